// Texts of the original packages open in their readers, and changed ones do not.

import { bytes, number } from '../tools/random.mjs'
import { peers } from './peers.mjs'

/** Characters of one to four bytes of UTF-8, and those that JSON escapes. */
const CHARACTERS = [...'aZ09 ."\\/{}\n\t\u0001äß€漢😀']

/** Runs all peers, and gives a line about each. */
export async function exchange() {
  const lines = []
  for (const { name, texts, seal, reader } of await peers()) {
    const begin = performance.now()
    let refused = 0
    for (let i = 0; i < texts; i++) {
      const text = textOf(`${name} ${i}`)
      const sealed = await seal(text)
      if (reader.tryOpen(sealed) !== text) throw new Error(`${name}: text ${i} does not come back`)
      const changed = changedAt(sealed, number(sealed.length, `${name}, place ${i}`))
      if (changed === undefined) continue
      // A check that cannot fail proves nothing.
      if (reader.tryOpen(changed) !== null) throw new Error(`planted in ${name}: a character, and it opens`)
      refused++
    }
    // The place may be padding or punctuation, so that not every text has a change; of few texts, most may lack one.
    if (refused < (texts < 10 ? 1 : texts / 2)) throw new Error(`${name}: only ${refused} changed texts`)
    const seconds = ((performance.now() - begin) / 1000).toFixed(1)
    lines.push(`${name}: ${texts} texts opened; planted and refused: ${refused}; ${seconds} s`)
  }
  return lines
}

/** A text of up to 100 characters, which is not empty: some of the packages take an empty text for no text. */
function textOf(name) {
  const length = 1 + number(100, `${name}, length`)
  return Array.from(bytes(length, name), byte => CHARACTERS[byte % CHARACTERS.length]).join('')
}

/** A text with another digit at this place; undefined where a change does not change the bytes, as in padding. */
function changedAt(sealed, at) {
  const digit = sealed[at]
  if (!/[0-9a-zA-Z]/.test(digit) || at > sealed.length - 4) return undefined
  return sealed.slice(0, at) + (digit === '1' ? '2' : '1') + sealed.slice(at + 1)
}
