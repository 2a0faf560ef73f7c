// Installs packages of Debian for a check.
import { getuid } from 'node:process'
import { root, run } from '../../scripts/tools.mjs'

/** Installs these packages, as root or with sudo; throws if there are some and `install` is false. Their output goes to standard error. */
export function needDebian(packages, install) {
  if (packages.length === 0) return
  if (!install) throw new Error(`missing Debian packages: ${packages.join(' ')} (--install installs them)`)
  // Other checks install packages at the same time: checks/tools/system.sh waits for the same lock.
  const apt = ['flock', 'checks/tools/system.sh', ...(getuid() === 0 ? [] : ['sudo'])]
  const command = [...apt, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq']
  const [program, ...args] = command
  const options = { cwd: root, stdio: ['ignore', 2, 2] }
  run(program, [...args, 'update'], options)
  run(program, [...args, 'install', '-y', '--no-install-recommends', ...packages], options)
}
