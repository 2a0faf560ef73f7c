// Programs in Go that checks talk to. The versions and hashes stand in go.mod and go.sum, from which the build does not depart.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { env } from 'node:process'
import { cache, run } from '../../scripts/tools.mjs'

export const hasGo = () => spawnSync('go', ['version']).status === 0

/** Builds the package in a folder of the module at this URL. Gives the program, which is called `name`. */
export function goProgram(name, module, folder = '.') {
  const program = join(cache(), name)
  const options = { ...env, GOFLAGS: '-mod=readonly -buildvcs=false', GOTOOLCHAIN: 'local' }
  run('go', ['build', '-o', program, folder], { cwd: module, env: options })
  return program
}
