// Known vulnerabilities of the crates in the lock files, by a dated extract of RustSec (advisories.txt, which extract.py prints).
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'
import { cached } from '../tools/cache.mjs'
import { judge, planted } from './lines.mjs'
import { CARGO_LOCKS, crates } from './locks.mjs'

/** Advisories without a mended version, of programs that benchmarks are compared with. No package has their code. */
const ACCEPTED = {
  'bench/peers/Cargo.lock': [
    'RUSTSEC-2026-0173', // proc-macro-error2: no longer maintained
    'RUSTSEC-2026-0209', // libcrux-aesgcm
    'RUSTSEC-2026-0210', // libcrux-aesgcm: no longer maintained
    'RUSTSEC-2026-0211', // libcrux-aesgcm
    'RUSTSEC-2026-0212', // libcrux-secrets
  ],
}

/** The extract: its date, the number of all advisories, the crates that were looked for, and the advisories about them. */
function read(text) {
  const extract = { crates: [], advisories: [] }
  for (const line of text.trimEnd().split('\n')) {
    const [, id, crate, kind, ranges] = /^(RUSTSEC-\d+-\d+) (\S+) (\w+):(?: (.+))?$/.exec(line) ?? []
    if (id !== undefined) extract.advisories.push({ id, crate, kind, spared: ranges?.split(' | ') ?? [] })
    else if (line.startsWith('crates ')) extract.crates.push(...line.split(' ').slice(1))
    else if (line.startsWith('commit ')) [, extract.date, extract.count] = / of (\S+), (\d+) /.exec(line)
    else if (!line.startsWith('#'))
      throw new Error(`checks/supply/advisories.txt has a line of another form: ${line}`)
  }
  return extract
}

/** The open advisories of the crates of one lock file, and its crates that the extract does not know. */
function faults(file, packages, extract, { satisfies }) {
  // The crate's way of writing several comparators of one range has commas, npm's has spaces.
  const within = (version, ranges) => ranges.some(range => satisfies(version, range.replaceAll(',', ' ')))
  const open = packages.flatMap(({ name, version }) =>
    extract.advisories
      .filter(({ crate }) => crate === name)
      .filter(({ spared }) => !within(version, spared))
      .map(({ id, kind }) => ({ id, text: `${file}: ${name} ${version} has ${id} (${kind})` })),
  )
  const accepted = ACCEPTED[file] ?? []
  return [
    ...open.filter(({ id }) => !accepted.includes(id)).map(({ text }) => text),
    ...accepted
      .filter(id => !open.some(found => found.id === id))
      .map(id => `${file}: ${id} is accepted, and does not apply`),
    ...packages
      .filter(({ name }) => !extract.crates.includes(name))
      .map(({ name }) => `${file}: ${name} is new since the extract: run checks/supply/extract.py`),
  ]
}

export function checkAdvisories() {
  const semver = createRequire(import.meta.url)(join(cached('semver@7.7.3'), 'semver'))
  const extract = read(readFileSync(join(root, 'checks/supply/advisories.txt'), 'utf8'))
  const some = crate => [{ name: crate, version: '0.4.10' }]
  planted('RUSTSEC-2025-0047', faults('Cargo.lock', some('slab'), extract, semver))
  planted('new since the extract', faults('Cargo.lock', some('no-such-crate'), extract, semver))
  planted('does not apply', faults('bench/peers/Cargo.lock', [], extract, semver))
  const locks = CARGO_LOCKS.map(file => [file, crates(readFileSync(join(root, file), 'utf8'))])
  return judge(
    `advisories: RustSec of ${extract.date} (${extract.count} advisories, ${extract.advisories.length} about our ` +
      `crates): not one applies to Cargo.lock; ${ACCEPTED['bench/peers/Cargo.lock'].length} accepted in bench/peers/Cargo.lock`,
    locks.flatMap(([file, packages]) => faults(file, packages, extract, semver)),
  )
}
