// Proves that the kernel computes the same at widths that no backend of this machine has, on registers that are arrays:
// checks/run.mjs shapes
//
// `npm test` has two of the shapes for AES-GCM. The compiler takes a minute for the others, and for derived keys.
import { run } from '../scripts/tools.mjs'

export default {
  about: 'The kernel agrees with the book in every shape',
  needs: ['cargo'],
  prove() {
    run('cargo', [
      'test',
      '--locked',
      '--quiet',
      '--features',
      'faults',
      '--test',
      'shapes',
      '--',
      'arrays::',
      'derived::',
    ])
  },
}
