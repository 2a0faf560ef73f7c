// Zig from PyPI, in the cache: the compiler driver that links against any version of any C library.
import { spawnSync } from 'node:child_process'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cache, run, stop } from '../tools.mjs'

const VERSION = '0.17.0'

/** The environment of scripts/dist/link-linux.sh, after installing zig where it is missing. */
export function zig() {
  const folder = join(cache(), `zig-${VERSION}`)
  if (!existsSync(folder)) {
    const part = `${folder}.part`
    rmSync(part, { recursive: true, force: true })
    if (spawnSync('python3', ['-m', 'pip', '--version']).status !== 0)
      stop('The Linux packages are linked by zig, which comes from PyPI: install Python 3 with pip.')
    const pip =
      '-m pip install --quiet --disable-pip-version-check --no-deps --root-user-action=ignore'.split(' ')
    run('python3', [...pip, '--target', part, `ziglang==${VERSION}`])
    renameSync(part, folder) // last, so that what is there is whole
  }
  return {
    ZIG: join(folder, 'ziglang', 'zig'),
    ZIG_GLOBAL_CACHE_DIR: join(cache(), 'zig-cache'),
    ZIG_LOCAL_CACHE_DIR: join(cache(), 'zig-cache'),
  }
}
