// The tools that make mutants, as tools/package-lock.json pins them, installed into the cache folder once.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cache, npm, root, settle } from '../../scripts/tools.mjs'

/** A `require` that finds the tools. */
export function installed() {
  const from = join(root, 'checks', 'mutants', 'tools')
  const lock = readFileSync(join(from, 'package-lock.json'))
  const folder = join(cache(), `mutants-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`)
  if (!existsSync(folder)) {
    const part = `${folder}.${process.pid}.part`
    rmSync(part, { recursive: true, force: true })
    cpSync(from, part, { recursive: true })
    npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], { cwd: part })
    settle(part, folder)
  }
  return createRequire(join(folder, 'package.json'))
}
