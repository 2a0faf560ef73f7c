// Proves that a build in another folder gives the same bytes as `npm run dist`: checks/run.mjs reproducible [PLATFORM]...
//
// Builds the named platforms, or all, again and from scratch, from a copy of the tracked files in a folder of another
// name and length, and compares the binaries with artifacts/.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { binaryOf, PLATFORMS } from '../scripts/dist/platforms.mjs'
import { forEachBeside, root } from '../scripts/tools.mjs'

const ALL = Object.keys(PLATFORMS)
const published = name => join(root, 'artifacts', name, binaryOf(name))

export default {
  about: 'A build in another folder gives the same bytes',
  operands: [0, ALL.length],
  among: ALL,
  async prove({ operands }) {
    const names = operands.length > 0 ? operands : ALL
    const missing = names.find(name => !existsSync(published(name)))
    if (missing !== undefined)
      throw new Error(`there is no binary of ${missing} to compare with: run npm run dist first`)

    const elsewhere = mkdtempSync(join(tmpdir(), 'a-folder-with-quite-another-name-'))
    process.on('exit', () => rmSync(elsewhere, { recursive: true, force: true }))
    const sources = join(elsewhere, 'sources')
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
    for (const file of tracked) if (file !== '') cpSync(join(root, file), join(sources, file))

    // The copy's own script, which takes the copy for the repository.
    process.env.CARGO_TARGET_DIR = join(elsewhere, 'built')
    const { buildLibrary } = await import(pathToFileURL(join(sources, 'scripts', 'dist', 'build.mjs')))
    let differing = 0
    await forEachBeside(names, async name => {
      const { library } = await buildLibrary(name)
      const there = readFileSync(library)
      const here = readFileSync(published(name))
      if (here.equals(there)) {
        console.log(`${name}: the same ${here.length} bytes`)
      } else {
        const at = here.findIndex((byte, i) => byte !== there[i])
        const first = at < 0 ? `byte ${here.length}, where the first ends` : `byte 0x${at.toString(16)}`
        console.error(`${name}: ${here.length} and ${there.length} bytes, different from ${first}`)
        differing++
      }
    })
    if (differing > 0)
      throw new Error(
        `${differing} of ${names.length} differ: was artifacts/ made from these sources? (npm run dist)`,
      )
  },
}
