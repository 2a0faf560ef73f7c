// Plants faults in a copy of the crate's sources, for checks that must find them there.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'

/** Files and folders that Cargo needs to build the crate. Cargo.toml names files of `bench` and `tests`. */
const CRATE = 'Cargo.toml Cargo.lock build.rs rust-toolchain.toml .cargo src tests bench/constant-time'.split(
  ' ',
)

/** Copies the crate to `folder` and replaces `from` by `to` in `src/FILE.rs` for every fault. Throws if a file has no such place. */
export function plant(folder, faults) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const name of CRATE)
    if (existsSync(join(root, name))) cpSync(join(root, name), join(folder, name), { recursive: true })
  for (const { file, from, to } of faults) {
    const path = join(folder, 'src', `${file}.rs`)
    const source = readFileSync(path, 'utf8')
    if (source.match(from) === null) throw new Error(`self-test: src/${file}.rs has no place for ${from}`)
    writeFileSync(path, source.replace(from, to))
  }
}
