// How many random cases a test tries: a sample by default, as in CI, and all of them with AESGCM_WHOLE=1. Prints the seed.
import { test } from 'vitest'
import { SEED } from '../conformance/checks.mjs'

export { SEED }

const WHOLE = process.env.AESGCM_WHOLE === '1'

console.log(`AESGCM_SEED=${SEED}${WHOLE ? ' AESGCM_WHOLE=1' : ', a sample; AESGCM_WHOLE=1 tries every case'}`)

/** Whether this run tries the case with this number: one in `of`, by the seed, or every one. */
export const isTried = (number: number, of: number): boolean => WHOLE || number % of === SEED % of

/** A test whose failure reports the seed. Its name does not: names of tests are the same in every run. */
export function randomTest(name: string, body: () => void | Promise<void>, timeout?: number): void {
  const told = async () => {
    try {
      await body()
    } catch (error) {
      if (error instanceof Error) error.message += ` (AESGCM_SEED=${SEED})`
      throw error
    }
  }
  test(name, told, timeout)
}

/** The number of cases that this run tries: `sample`, or `whole`. */
export const count = (sample: number, whole: number): number => (WHOLE ? whole : sample)
