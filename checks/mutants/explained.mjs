// Mutants that no test can kill, or that no test should, each with its reason. keys.mjs says how an entry names its mutant.
//
// `file`, `within` (the function), `line` (the line, with the part that changes between « and »), `to` (what takes its place), and
// `times`, if several mutants of the function look the same.

export const RUST = []

export const TYPESCRIPT = []
