// Changes of a text at random, as an attacker or a careless program would make them.
import type { Random } from '../../tools/support.js'

const CHARACTERS = [
  ...'AZaz09+/-_=.:|{}[]"\\,$% \n\0\ufeffé€😀',
  'null',
  '1e400',
  '"__proto__":',
  '"crit":[],',
  '..',
  '==',
]

/** A text with one to three changes. */
export function mutated(text: string, random: Random): string {
  let result = text
  for (let changes = 1 + random.below(3); changes > 0; changes--) result = change(result, random)
  return result
}

function change(text: string, random: Random): string {
  const at = random.below(text.length + 1)
  const end = Math.min(text.length, at + 1 + random.below(8))
  const [before, some, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)]
  const one = random.pick(CHARACTERS)
  switch (random.below(9)) {
    case 0:
      return before + after
    case 1:
      return before + one + text.slice(at)
    case 2:
      return before + some + some + after
    case 3:
      return before
    case 4:
      return text.slice(at)
    case 5:
      return before + some.toUpperCase() + after
    case 6:
      return before + [...some].reverse().join('') + after
    case 7:
      return after + some + before
    default:
      return before + one + text.slice(at + 1)
  }
}
