// Installs npm packages into the user's cache folder, once, and says where they are.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cache, settle } from '../../scripts/tools.mjs'

/** Dependencies of the packages are resolved as of this day; move the day when a version here is younger. */
const DAY = '2026-11-21'

/** The node_modules folder that holds these packages, each given as NAME@VERSION. */
export function cached(...packages) {
  const folder = join(cache(), 'npm', packages.join('_').replaceAll('/', '+'))
  if (!existsSync(folder)) {
    const part = `${folder}.${process.pid}.part`
    rmSync(part, { recursive: true, force: true })
    mkdirSync(part, { recursive: true })
    // --force: packages for another version of Node are installed, too.
    const options = [
      `--before=${DAY}`,
      '--force',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ]
    try {
      execFileSync('npm', ['install', '--prefix', part, ...options, ...packages], {
        cwd: part,
        stdio: ['ignore', 'ignore', 'inherit'],
      })
    } catch {
      throw new Error(`npm could not install ${packages.join(', ')}: its own message stands above.`)
    }
    settle(part, folder)
  }
  return join(folder, 'node_modules')
}
