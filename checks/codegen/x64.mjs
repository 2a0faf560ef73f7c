// Proves that the compiled kernels are straight machine code: checks/run.mjs codegen [--self-test] [LIBRARY]
//
// A kernel must not call a function, panic, store a vector register to the stack in a loop over the message, or mix SSE with
// AVX. None of its branches and addresses may depend on a key, a text, a tag or an element (taint.mjs). No part of a kernel may be a
// separate function. Every caller of a kernel must clear registers and stack from the same frame. LIBRARY is an addon with its symbols; without LIBRARY, it is the twin of the one that `npm run dist` made to be
// published. --self-test first plants faults in a copy of the sources, builds the copy, and must find the faults. For x64 Linux, with
// objdump.
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { env } from 'node:process'
import { twin } from '../../scripts/dist/stage.mjs'
import { root } from '../../scripts/tools.mjs'
import { modulesOf } from './backends.mjs'
import { judgeCallers, layout } from './callers.mjs'
import { checkListings, checkPlanted, plantAll } from './controls.mjs'
import { table } from './count.mjs'
import { open } from './image.mjs'
import { judge as judgeKernels } from './judge.mjs'

/** Builds the addon of `folder` with its symbols, into `target`, and gives its path. */
function build(folder, target) {
  const { status, error } = spawnSync(
    'cargo',
    ['build', '--release', '--locked', '--quiet', '--features', 'node', '--lib', '--target-dir', target],
    { cwd: folder, stdio: 'inherit', env: { ...env, CARGO_PROFILE_RELEASE_STRIP: 'none' } },
  )
  if (status !== 0)
    throw new Error(`cargo build failed in ${folder}: ${error?.message ?? `exit code ${status}`}`)
  return join(target, 'release', 'libhardware_aes_gcm.so')
}

/** The kernels of a library, their callers, and the faults of both. */
function judge(library) {
  const image = open(library)
  const { faults, kernels } = judgeKernels(image, modulesOf('x86_64'))
  const { faults: more, callers } = judgeCallers(image.functions, image.word, layout(image.slots))
  return { faults: [...faults, ...more], kernels, callers }
}

export default {
  about: 'No kernel of the published library has a branch, an address or a division by a secret',
  on: 'x64 Linux',
  needs: ['objdump'],
  flags: ['self-test'],
  operands: [0, 1],
  *prove({ flags, operands: [library] }) {
    const target = resolve(root, env.CARGO_TARGET_DIR ?? 'target', 'codegen')
    // Runs always, because it takes only milliseconds, and a check that never fails proves nothing.
    yield `self-test: ${checkListings()} listings judged rightly`
    if (flags['self-test']) {
      const sources = join(target, 'planted', 'sources')
      plantAll(sources)
      yield `planted and found: ${checkPlanted(judge(build(sources, join(target, 'planted'))).faults)}`
    }

    const { faults, kernels, callers } = judge(library ?? twin('linux-x64-gnu'))
    if (kernels.length === 0) throw new Error('no kernel found: has the library its symbols?')
    console.log(`\n${table(kernels)}\n`)
    for (const { kind, text } of faults) console.error(`${kind}: ${text}`)
    if (faults.length > 0) throw new Error(`${faults.length} faults in the compiled kernels`)
    const jumps = kernels.reduce((sum, kernel) => sum + kernel.jumps, 0)
    yield `${kernels.length} kernel functions: no call, no panic, no spill in a bulk loop, no word outlined; ` +
      `none of ${jumps} conditional jumps and no address depends on a secret; ` +
      `${callers.length} callers, which all clear registers and stack`
  },
}
