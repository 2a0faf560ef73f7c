// What program.mjs and random.mjs check with: each check is counted, and one that fails says where.
import { strict as assert } from 'node:assert'

let calls = 0
let where = 'start'

/** Names what is checked from here on. */
export function at(place) {
  where = place
}

/** How many checks there were. */
export const count = () => calls

export function must(holds, what) {
  calls++
  if (!holds) assert.fail(`${where}: ${what}`)
}

export function throws(run, type, code, what) {
  calls++
  try {
    run()
  } catch (error) {
    if (error instanceof type && error.code === code) return
    assert.fail(`${where}: ${what} threw ${error.name} ${error.code}: ${error.message}`)
  }
  assert.fail(`${where}: ${what} threw nothing`)
}
