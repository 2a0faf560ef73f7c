// Reads explained/*.txt: the mutants that no test can kill, or that no test should, each with its reason.
//
// A row is two lines: what a mutant is, and why it survives. Rows are grouped by file:
//
//   lib/cipher/base/json.cts
//     objectOf: return «typeof value === 'object'» && value !== null becomes true
//       The reason, a sentence.
//
// A row names the function, the line with the part that changes between « and », and what the part becomes (nothing, if the line ends
// there). `objectOf, 2 times:` is for two mutants of one function that look the same. Under `classes`, the first line is a regular
// expression between slashes, tried on `FILE, FUNCTION: LINE becomes TEXT`. A line that begins with # is a comment.
import { readdirSync, readFileSync } from 'node:fs'
import { keyOf } from './keys.mjs'

const FOLDER = new URL('explained/', import.meta.url)
const OWN = /^(.*?)(?:, ([2-9]) times)?: ([^«»]*«[^«»]+»[^«»]*?) becomes(?: (.+))?$/
const CLASS = /^\/(.+)\/$/
const REASON = /^[A-Z`].{20,}\.$/

/** The entries of one file of rows: { file, within, line, to, times, reason }, or { pattern, reason } for a class. */
export function entriesOf(text, name) {
  const entries = []
  const seen = new Set()
  let file
  let row
  for (const [i, all] of text.split('\n').entries()) {
    const refuse = fault => {
      throw new Error(`checks/mutants/explained/${name}:${i + 1}: ${fault}: ${all}`)
    }
    const [, indent, line] = /^( *)(.*)$/.exec(all)
    if (line === '' || line.startsWith('#')) continue
    if (indent.length === 4) {
      if (row === undefined) refuse('a reason without a row')
      if (!REASON.test(line)) refuse('a reason is a sentence')
      entries.push({ ...row, reason: line })
      row = undefined
      continue
    }
    if (row !== undefined) refuse('the row before has no reason')
    if (indent.length === 0) {
      if (line !== 'classes' && !/^(src|lib)\/[\w/-]+\.(rs|cts)$/.test(line))
        refuse('not a file of src or lib')
      file = line
    } else if (indent.length !== 2 || file === undefined) refuse('a row stands two spaces in, under a file')
    else {
      const found = (file === 'classes' ? CLASS : OWN).exec(line)
      if (found === null) refuse('not a row')
      const [, first, times = '1', marked, to = ''] = found
      row =
        file === 'classes'
          ? { pattern: new RegExp(first) }
          : { file, within: first, line: marked, to, times: Number(times) }
      const key = row.pattern ? String(row.pattern) : keyOf(row)
      if (seen.has(key)) refuse('a second row of this mutant')
      seen.add(key)
    }
  }
  if (row !== undefined) throw new Error(`checks/mutants/explained/${name}: the last row has no reason`)
  return entries
}

const read = names => names.flatMap(name => entriesOf(readFileSync(new URL(name, FOLDER), 'utf8'), name))

/** Of src/ and of lib/: rust.txt has those of src/. */
export const RUST = read(['rust.txt'])
export const TYPESCRIPT = read(readdirSync(FOLDER).filter(name => name !== 'rust.txt'))
