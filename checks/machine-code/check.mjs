// Proves what the kernels of the published x64 library compute: checks/run.mjs machine-code [--whole] [--lengths] [--encodings]
//
// The instructions run on symbols (machine.py, vectors.py) and are compared with the standards (specification.py) by normal forms
// (forms.py), for all keys, nonces and contents: for exact lengths, and by induction (lengths.py) for all of seal, open, authenticate.
// docs/proof.md says which theorems hold. Without --whole a sample of the cases and planted faults, without --lengths a sample of the
// inductions. The CPU judges the executor (judge.py, jumps.py): a sample of the encodings, or all of them with --encodings.
// Needs Python 3.11 or later and binutils, and nothing from PyPI; the library is the one that `npm run dist` made.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { binaryOf } from '../../scripts/dist/platforms.mjs'
import { artifacts, twin } from '../../scripts/dist/stage.mjs'
import { root } from '../../scripts/tools.mjs'

const PLATFORM = 'linux-x64-gnu'

export default {
  about: 'The kernels of the published x64 library compute what the standards say',
  on: 'x64 Linux',
  needs: ['python3', 'objdump', 'nm', 'as', 'ld'],
  flags: ['whole', 'lengths', 'encodings'],
  prove({ flags }) {
    const packed = join(artifacts, PLATFORM, binaryOf(PLATFORM))
    const program = ['-B', join(root, 'checks/machine-code/prove.py'), twin(PLATFORM), packed]
    const { status, stdout } = spawnSync(
      'python3',
      [...program, ...['whole', 'lengths', 'encodings'].filter(flag => flags[flag]).map(flag => `--${flag}`)],
      {
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const lines = stdout.trimEnd().split('\n')
    if (status !== 0) throw new Error(lines.slice(-40).join('\n'))
    return lines
  },
}
