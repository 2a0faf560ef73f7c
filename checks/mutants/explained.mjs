// Mutants that no test can kill, or that no test should, each with its reason. keys.mjs says how an entry names its mutant.
//
// `file`, `within` (the function), `line` (the line, with the part that changes between « and »), `to` (what takes its place), and
// `times`, if several mutants of the function look the same. For a whole class, `pattern` is tried on a text of all four (keys.mjs).

import { AEAD } from './explained/aead.mjs'
import { CLI } from './explained/cli.mjs'
import { EVERYWHERE } from './explained/everywhere.mjs'
import { KEYRING } from './explained/keyring.mjs'
import { KEYSETS } from './explained/keysets.mjs'
import { LEGACY } from './explained/legacy.mjs'
import { QUIC } from './explained/quic.mjs'
import { RUST } from './explained/rust.mjs'
import { SESSION } from './explained/session.mjs'
import { SHAMIR } from './explained/shamir.mjs'
import { STREAM } from './explained/stream.mjs'

export { RUST }

export const TYPESCRIPT = [
  ...EVERYWHERE,
  ...AEAD,
  ...CLI,
  ...KEYRING,
  ...KEYSETS,
  ...LEGACY,
  ...QUIC,
  ...SESSION,
  ...SHAMIR,
  ...STREAM,
]
