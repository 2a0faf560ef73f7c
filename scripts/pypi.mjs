// Installs a package from PyPI into the cache folder, once, and gives the folder from which Python imports it.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cache, root, run, settle, stop } from './tools.mjs'

const PIP = '-m pip install --quiet --disable-pip-version-check --root-user-action=ignore'.split(' ')

/** `requirements`: the path of a file that names a package with its version and the hashes of its wheels, then those it needs. */
export function pypi(requirements) {
  const file = join(root, requirements)
  const [, name, version] = /^(\w+)==(\S+)/m.exec(readFileSync(file, 'utf8'))
  const folder = join(cache(), `${name}-${version}`)
  if (!existsSync(folder)) {
    const part = `${folder}.${process.pid}.part`
    rmSync(part, { recursive: true, force: true })
    if (spawnSync('python3', ['-m', 'pip', '--version']).status !== 0)
      stop(`${name} is installed from PyPI: install Python 3.11 or later with pip.`)
    const only = ['--no-deps', '--only-binary=:all:', '--require-hashes']
    run('python3', [...PIP, ...only, '--target', part, '--requirement', file])
    settle(part, folder)
  }
  return folder
}
