// publint and arethetypeswrong on the packed tarballs: not an error, a warning or a suggestion.
import { join } from 'node:path'
import { execPath } from 'node:process'
import { cached } from './cache.mjs'
import { child } from './child.mjs'
import { isPlatform } from './contents.mjs'

export async function lint(tarballs, folder) {
  const modules = cached('publint@0.3.25', '@arethetypeswrong/cli@0.18.5')
  for (const tarball of tarballs) {
    const output = await child(
      execPath,
      [join(modules, 'publint/src/cli.js'), 'run', tarball.path, '--strict'],
      folder,
    )
    // Suggestions do not change its exit code.
    if (!output.endsWith('All good!')) throw new Error(`publint has remarks:\n${output}`)
    if (isPlatform(tarball)) continue
    // Every Node that the package is for can `require` ES modules; without that rule, CommonJS is checked like the rest.
    const rule = ['--ignore-rules', 'cjs-resolves-to-esm']
    const cli = join(modules, '@arethetypeswrong/cli/dist/index.js')
    await child(execPath, [cli, tarball.path, ...rule], folder)
  }
}
