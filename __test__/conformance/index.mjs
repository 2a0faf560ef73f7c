// The conformance suite: what every AEAD class of the package does and refuses, as cases that any program can run.
import { Aead } from './aead.mjs'
import { agreement } from './agreement.mjs'
import { answers } from './answers.mjs'
import { badArguments } from './arguments.mjs'
import { SEED } from './checks.mjs'
import { construction } from './construction.mjs'
import { frames } from './frames.mjs'
import { limits } from './limits.mjs'
import { objects } from './objects.mjs'
import { overlap } from './overlap.mjs'
import { tampering } from './tampering.mjs'

const SUBJECTS = [answers, agreement, frames, tampering, badArguments, overlap, construction, objects, limits]

/**
 * Every case for one class of classes.mjs, with keys of one size, on one backend. A case that finds a fault throws its name and the seed.
 * @param {import('./aead.mjs').Subject} subject
 * @param {{ keyBytes: number, backend?: string, thorough?: boolean }} options `thorough`: whole sweeps, which take seconds
 * @returns {import('./aead.mjs').Case[]}
 */
export function conformance(subject, options) {
  const aead = new Aead(subject, options)
  return SUBJECTS.flatMap(cases => [...cases(aead)]).map(({ name, run }) => ({
    name,
    run: () => {
      try {
        run()
      } catch (error) {
        throw new Error(`${name}: ${error.message} (AESGCM_SEED=${SEED})`, { cause: error })
      }
    },
  }))
}

/** Runs the thinned suite for all classes, key sizes and the given backends. Gives the number of cases that passed. */
export function conforms(classes, backends) {
  let passed = 0
  for (const subject of classes) {
    for (const keyBytes of subject.keyBytes) {
      for (const backend of backends) {
        const cases = conformance(subject, { keyBytes, backend })
        runAll(`${subject.Class.name}, keys of ${keyBytes} bytes, ${backend}`, cases)
        passed += cases.length
      }
    }
  }
  return passed
}

/** Runs cases until the first that fails, and throws an error that says where. */
export function runAll(where, cases) {
  for (const { run } of cases) {
    try {
      run()
    } catch (error) {
      throw new Error(`${where}: ${error.message}`, { cause: error })
    }
  }
}
