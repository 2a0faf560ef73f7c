// Names mutants so that an entry of explained/ still names its mutant when lines are added elsewhere in the file.

/**
 * A text for the part of `lines` from `start` to `end`, { line, column } from 0: its first line, the part between « and ». A part of
 * several lines ends with its first line.
 */
export function marked(lines, start, end) {
  const line = lines[start.line]
  const last = start.line === end.line ? end.column : line.length
  return `${line.slice(0, start.column)}«${line.slice(start.column, last)}»${line.slice(last)}`.trim()
}

/** The key of a mutant: file, function, marked line and replacement. */
export const keyOf = ({ file, within, line, to }) => JSON.stringify([file, within, line, to])

/** A mutant as the text that the pattern of a class of mutants is tried on. */
const textOf = ({ file, within, line, to }) => `${file}, ${within}: ${line} becomes ${to}`

/** A function that gives the entry of explained/ for a mutant: its own, or that of a class to which it belongs. */
export function finder(explained) {
  const own = new Map(explained.filter(({ pattern }) => !pattern).map(entry => [keyOf(entry), entry]))
  const classes = explained.filter(({ pattern }) => pattern)
  return mutant => own.get(keyOf(mutant)) ?? classes.find(({ pattern }) => pattern.test(textOf(mutant)))
}

/**
 * The rows of `explained`, the entries of one language, that name another number of `mutants`, all mutants of that language, than they
 * say (some, for a class): a sentence for each.
 */
export function stale(explained, mutants) {
  const counts = new Map()
  for (const mutant of mutants) counts.set(keyOf(mutant), (counts.get(keyOf(mutant)) ?? 0) + 1)
  return explained.flatMap(entry => {
    if (entry.pattern)
      return mutants.some(mutant => entry.pattern.test(textOf(mutant)))
        ? []
        : [`a row of explained/ names no mutant: ${entry.pattern}`]
    const found = counts.get(keyOf(entry)) ?? 0
    return found === entry.times
      ? []
      : [`a row of explained/ names ${found} mutants, not ${entry.times}: ${textOf(entry)}`]
  })
}
