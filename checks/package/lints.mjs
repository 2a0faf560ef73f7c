// publint and arethetypeswrong, in each of its profiles, on the packed tarballs: no error, no warning and no suggestion is allowed.
import { join } from 'node:path'
import { execPath } from 'node:process'
import { isPlatform } from '../../scripts/dist/contents.mjs'
import { cached } from '../tools/cache.mjs'
import { child } from '../tools/child.mjs'

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
    const cli = join(modules, '@arethetypeswrong/cli/dist/index.js')
    for (const profile of ['strict', 'node16', 'esm-only'])
      await child(execPath, [cli, tarball.path, '--profile', profile], folder)
  }
}
