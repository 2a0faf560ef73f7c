// Holds the crates that reach the addon to a list, so that no cipher crate slips in: checks/run.mjs crates
import { execFileSync } from 'node:child_process'
import { PLATFORMS } from '../../scripts/dist/platforms.mjs'
import { root } from '../../scripts/tools.mjs'

/** The core: libc for pages, forks and clocks, getrandom (with cfg-if) for entropy, crates that wipe and compare. */
const CORE = 'hardware-aes-gcm cfg-if getrandom libc subtle zeroize'.split(' ')

/**
 * And the boundary to Node: napi-rs, which brings futures, its macros (convert_case to unicode-segmentation), and windows-link,
 * by which its libloading links on Windows.
 */
const NODE = `napi napi-sys bitflags ctor libloading nohash-hasher rustc-hash
  futures futures-channel futures-core futures-executor futures-io futures-macro futures-sink futures-task futures-util
  memchr pin-project-lite slab napi-derive napi-derive-backend convert_case proc-macro2 quote semver syn unicode-ident
  unicode-segmentation windows-link`.split(/\s+/)

/** The names of the crates that are linked for any platform with a package, by Cargo.lock. */
function linked(...features) {
  const targets = Object.values(PLATFORMS).flatMap(({ target }) => ['--target', target])
  const options = ['--locked', '-e', 'normal', '--prefix', 'none', '--format', '{p}', ...targets, ...features]
  return names(execFileSync('cargo', ['tree', ...options], { cwd: root, encoding: 'utf8' }))
}

/** Crate names in `cargo tree` lines such as `napi v3.16.1 (*)`. */
const names = tree => [...new Set(tree.match(/^\S+/gm))]

/** The faults of a tree: a crate that is not on the list, or an entry of the list that stands for no crate. */
const faults = (present, allowed) => [
  ...present.filter(name => !allowed.includes(name)).map(name => `${name} is not on the list`),
  ...allowed
    .filter(name => !present.includes(name))
    .map(name => `${name} is on the list and not in the tree`),
]

/** A list that `crate` is not on must refuse it, and nothing else. */
const planted = (crate, allowed) => () => {
  const found = faults(names([...allowed, crate].join('\n')), allowed)
  return found.length === 1 ? found[0] : undefined
}

export default {
  about: 'Only listed crates are linked, and none is a cipher',
  needs: ['cargo'],
  plants: {
    'a cipher crate': planted('aes v0.8.4', [...CORE, ...NODE]),
    'a Node crate in the core': planted('napi v3.16.1 (*)', CORE),
  },
  prove() {
    const [core, all] = [linked(), linked('--features', 'node')]
    const found = [
      ...faults(core, CORE).map(fault => `without features: ${fault}`),
      ...faults(all, [...CORE, ...NODE]).map(fault => `with feature node: ${fault}`),
    ]
    if (found.length > 0) throw new Error(found.join('\n'))
    return [`${core.length} crates, ${all.length} with feature node, all on the list`]
  },
}
