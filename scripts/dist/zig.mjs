// Zig from PyPI, in the cache: the compiler driver that links against any version of any C library.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { run } from '../tools.mjs'

const VERSION = '0.17.0'

/** The environment of scripts/dist/link-linux.sh, after installing zig where it is missing. */
export function zig() {
  const cache = join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'hardware-aes-gcm')
  const folder = join(cache, `zig-${VERSION}`)
  if (!existsSync(folder)) {
    const part = `${folder}.part`
    rmSync(part, { recursive: true, force: true })
    mkdirSync(cache, { recursive: true })
    const pip =
      '-m pip install --quiet --disable-pip-version-check --no-deps --root-user-action=ignore'.split(' ')
    run('python3', [...pip, '--target', part, `ziglang==${VERSION}`])
    renameSync(part, folder) // last, so that what is there is whole
  }
  return {
    ZIG: join(folder, 'ziglang', 'zig'),
    ZIG_GLOBAL_CACHE_DIR: join(cache, 'zig-cache'),
    ZIG_LOCAL_CACHE_DIR: join(cache, 'zig-cache'),
  }
}
