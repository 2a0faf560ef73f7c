// Progress on a terminal: one line at the bottom that says which part runs, and is written again. Elsewhere, no line.
import { stderr } from 'node:process'

const CLEAR = '\r\x1b[K'

/** Shows the beginning of each of `count` parts: their number, their name, and the time since the first one began. */
export function parts(count) {
  const began = performance.now()
  let number = 0
  return name => {
    number++
    const seconds = Math.round((performance.now() - began) / 1000)
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    if (stderr.isTTY) stderr.write(`${CLEAR}${number} of ${count}: ${name} (${time})`)
  }
}

/** Prints a result in the place of that line. */
export function show(text) {
  if (stderr.isTTY) stderr.write(CLEAR)
  console.log(text)
}
