#!/usr/bin/env node
// Holds the crates that reach the addon to a list, so that no cipher crate slips in: dependencies.mjs
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { PLATFORMS } from '../scripts/dist/platforms.mjs'

/** What the core itself is made of: libc for pages, forks and clocks, getrandom (with cfg-if) for entropy (src/hw), and what wipes and compares. */
const CORE = ['hardware-aes-gcm', 'cfg-if', 'getrandom', 'libc', 'subtle', 'zeroize']

/** What the boundary to Node adds: napi-rs, which brings futures, and its macros (convert_case to unicode-segmentation). */
const NODE = [
  ...['napi', 'napi-sys', 'bitflags', 'ctor', 'libloading', 'nohash-hasher', 'rustc-hash'],
  ...['futures', 'futures-channel', 'futures-core', 'futures-executor', 'futures-io', 'futures-macro'],
  ...['futures-sink', 'futures-task', 'futures-util', 'memchr', 'pin-project-lite', 'slab'],
  ...['napi-derive', 'napi-derive-backend', 'convert_case', 'proc-macro2', 'quote', 'semver', 'syn'],
  ...['unicode-ident', 'unicode-segmentation'],
]

/** Platforms a package is built for: the answer must not depend on the machine that asks. */
const TARGETS = Object.values(PLATFORMS).map(({ target }) => target)

/** The names of the crates that get linked in; `--locked`: of Cargo.lock, not of what could be resolved today. */
function linked(...features) {
  const options = ['tree', '--locked', '-e', 'normal', '--prefix', 'none', '--format', '{p}', ...features]
  for (const target of TARGETS) options.push('--target', target)
  const root = fileURLToPath(new URL('..', import.meta.url))
  return names(execFileSync('cargo', options, { cwd: root, encoding: 'utf8' }))
}

/** Crate names in `cargo tree` lines such as `napi v3.16.1 (*)`. */
function names(tree) {
  return [
    ...new Set(
      tree
        .split('\n')
        .map(line => line.split(' ')[0])
        .filter(name => name !== ''),
    ),
  ]
}

/** What is wrong with a tree: a crate that is not on the list, or an entry of the list that no longer stands for a crate. */
function faults(present, allowed) {
  return [
    ...present.filter(name => !allowed.includes(name)).map(name => `${name} is not on the list`),
    ...allowed
      .filter(name => !present.includes(name))
      .map(name => `${name} is on the list and not in the tree`),
  ]
}

const core = linked()
const all = linked('--features', 'node')
const found = [
  ...faults(core, CORE).map(fault => `without features: ${fault}`),
  ...faults(all, [...CORE, ...NODE]).map(fault => `with feature node: ${fault}`),
]

// A check that never fails proves nothing: a cipher crate and a Node crate in the wrong tree must be refused.
for (const [planted, allowed] of [
  ['aes v0.8.4', [...CORE, ...NODE]],
  ['napi v3.16.1 (*)', CORE],
]) {
  if (faults(names([...allowed, planted].join('\n')), allowed).length !== 1)
    found.push(`planted ${planted} was not refused`)
}

for (const fault of found) console.error(fault)
if (found.length > 0) process.exit(1)
console.log(
  `${core.length} crates, ${all.length} with feature node, all on the list; planted aes and napi refused`,
)
