// Runs calls whose memory must be clean: after success, after a refusal, and after runs in which a step fails.
import { createSecretKey, type KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import { isTried } from '../tools/whole.js'
import { Planted, type Teller, traced } from './memories.js'

/** Of more steps, a run fails a third, by the seed. */
const MANY = 40

export type Run = (tell: Teller) => unknown

/** The memory is clean after the run, and after runs in which each of its steps fails. */
async function clean(run: Run, options: { from?: number; to?: number } = {}): Promise<void> {
  await traced(run, { ...options, first: true })
  const whole = await traced(run, options)
  expect(whole).toMatchObject({ error: undefined, left: [] })
  for (let fail = 1; fail <= whole.steps; fail++) {
    if (whole.steps > MANY && !isTried(fail, 3)) continue
    const { left } = await traced(run, { ...options, fail })
    expect(left, `step ${fail} of ${whole.steps} fails`).toEqual([])
  }
}

/** The error of a call that must fail. */
export function refused(call: () => unknown): void {
  try {
    call()
  } catch (error) {
    if (error instanceof Planted) throw error
    return
  }
  throw new Error('the call did not fail')
}

/** A test for each of these runs, by its name. */
export const suite = (runs: Record<string, Run>, options: { from?: number; to?: number } = {}) =>
  test.each(Object.entries(runs))('%s', (_, run) => clean(run, options))

/** A KeyObject of secret bytes. */
export const keyObject = (tell: Teller, length: number): KeyObject => createSecretKey(tell.secret(length))
