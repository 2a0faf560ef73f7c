// Proves what the kernels of the published x64 library compute: checks/run.mjs machine-code [--whole] [--lengths] [--encodings]
//
// docs/proof.md says which theorems hold, and prove.py proves them. Without --whole, it proves a sample of the cases and planted faults,
// without --lengths, of the inductions, and without --encodings, the CPU judges a sample of the instructions. Needs Python 3.11 or later and
// binutils; the library is the one that `npm run dist` made.
import { join } from 'node:path'
import { binaryOf } from '../../scripts/dist/platforms.mjs'
import { artifacts, twin } from '../../scripts/dist/stage.mjs'
import { run } from '../../scripts/tools.mjs'

const PLATFORM = 'linux-x64-gnu'
const FLAGS = ['whole', 'lengths', 'encodings']

export default {
  about: 'The kernels of the published x64 library compute what the standards say',
  on: 'x64 Linux',
  needs: ['python3', 'objdump', 'nm', 'as', 'ld'],
  flags: FLAGS,
  prove({ flags }) {
    const libraries = [twin(PLATFORM), join(artifacts, PLATFORM, binaryOf(PLATFORM))]
    const chosen = FLAGS.filter(flag => flags[flag]).map(flag => `--${flag}`)
    run('python3', ['-B', 'checks/machine-code/prove.py', ...libraries, ...chosen])
  },
}
