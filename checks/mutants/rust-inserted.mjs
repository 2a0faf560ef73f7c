// Rust files with many mutants compiled in, each of them behind a question to src/mutants.rs, which is written into the copy alone.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { write } from './tree.mjs'

const module = path => `//! Which mutant is chosen: read from a file when the program or library is loaded.
#![allow(unsafe_code)]
use core::sync::atomic::{AtomicU32, Ordering};
static CHOSEN: AtomicU32 = AtomicU32::new(0);
#[inline(always)]
pub(crate) fn chosen(id: u32) -> bool {
    CHOSEN.load(Ordering::Relaxed) == id
}
#[used]
#[unsafe(link_section = ".init_array")]
static READ: extern "C" fn() = read;
extern "C" fn read() {
    let text = std::fs::read_to_string(${JSON.stringify(path)}).unwrap_or_default();
    CHOSEN.store(text.strip_prefix("mutant ").and_then(|id| id.parse().ok()).unwrap_or(0), Ordering::Relaxed);
}
`

const begin = id => `/*<${id}>*/`
const end = id => `/*</${id}>*/`

/** The part of `content` from `from` to `to` with \`mutants\` compiled in, which lie inside of it, outer ones first. */
function render(content, from, to, mutants) {
  let text = ''
  let at = from
  let rest = mutants
  while (rest.length > 0) {
    const [first] = rest
    const same = rest.filter(other => other.from === first.from && other.to === first.to)
    const inner = rest.filter(other => !same.includes(other) && other.to <= first.to)
    text += content.slice(at, first.from)
    const original = render(content, first.from, first.to, inner)
    if (first.genre === 'value') {
      const returns = same.map(
        ({ id, text }) => ` if crate::mutants::chosen(${id}) { ${begin(id)} return ${text}; ${end(id)} }`,
      )
      text += `${returns.join('')} ${original}`
    } else {
      const tries = same.map(
        ({ id, text }) => `if crate::mutants::chosen(${id}) { ${begin(id)} ${text} ${end(id)} } else `,
      )
      text += `(${tries.join('')}{ ${original} })`
    }
    at = first.to
    rest = rest.filter(other => other.from >= first.to)
  }
  return text + content.slice(at, to)
}

/** Writes the files of `sources`, a map of names to texts, with `mutants` into the copy. */
export function insert(copy, sources, mutants) {
  for (const [name, content] of sources) {
    const inside = mutants.filter(({ file }) => file === name).sort((a, b) => a.from - b.from || b.to - a.to)
    let text = render(content, 0, content.length, inside)
    if (name === 'src/lib.rs') text += '\nmod mutants;\n'
    write(join(copy, name), text)
  }
  write(join(copy, 'src/mutants.rs'), module(join(copy, 'chosen')))
}

/** The mutants in which the compiler found an error, as its messages say, or round whose parts it found one. */
export function inError(copy, messages, mutants) {
  const bad = new Set()
  for (const { message } of messages.filter(({ message }) => message?.level === 'error')) {
    const spans = [message, ...message.children].flatMap(({ spans }) => spans)
    for (const { file_name: file, byte_start: from, byte_end: to } of spans) {
      const inside = mutants.filter(mutant => mutant.file === file)
      if (inside.length === 0) continue // a file of the standard library, too
      const bytes = readFileSync(join(copy, file))
      for (const { id } of inside) {
        if (bytes.indexOf(begin(id)) <= from && to <= bytes.indexOf(end(id))) bad.add(id)
      }
    }
  }
  return bad
}
