// Words that a user may have meant, and which typed words are shown.

/** Steps within which a word is taken for another, if below half of its letters. */
const NEAR = 2
/** Minimum length of an abbreviated word. */
const MIN_CHARACTERS = 3

/** The known word that resembles `given`, or begins with it. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const near = known.filter(name => Math.abs(name.length - given.length) <= NEAR || isStart(given, name))
  const ranked = near.map(name => ({ name, steps: isStart(given, name) ? 0 : distance(given, name) }))
  const [best] = ranked.sort((a, b) => a.steps - b.steps)
  const isNear = best !== undefined && best.steps <= NEAR && 2 * best.steps < given.length
  return isNear ? best.name : undefined
}

/** The known word that resembles `given`, as a question. */
export function hint(given: string, known: readonly string[]): string {
  const meant = nearest(given, known)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

/**
 * An argument as a message shows it: repeated only if it is a known word or nearly one, whether or
 * not it looks like a secret, which may have any form. A single letter after a hyphen is an option.
 */
export function shownWord(given: string, known: readonly string[]): string {
  const isWord = known.includes(given) || nearest(given, known) !== undefined || /^-.$/u.test(given)
  if (!isWord) return `an argument of ${given.length} characters`
  return given.startsWith('-') ? given : `'${given}'`
}

/** Whether `given` is a name cut short. */
function isStart(given: string, name: string): boolean {
  return given.replace(/^-+/, '').length >= MIN_CHARACTERS && name.startsWith(given)
}

/** Levenshtein's distance, with two swapped neighbours as one step: the commonest slip. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (before[j - 2] as number) + 1
          : Number.POSITIVE_INFINITY
      next.push(Math.min(replaced, swapped, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] as number
}
