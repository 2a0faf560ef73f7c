// The conformance suite: every promise that the AEAD classes share, as cases that any program can run.
import { Aead } from './aead.mjs'
import { agreement } from './agreement.mjs'
import { answers } from './answers.mjs'
import { badArguments } from './arguments.mjs'
import { batches } from './batch.mjs'
import { batchArguments } from './batch-arguments.mjs'
import { batchLimits } from './batch-limits.mjs'
import { batchMemory } from './batch-memory.mjs'
import { SEED } from './checks.mjs'
import { construction } from './construction.mjs'
import { frames } from './frames.mjs'
import { limits } from './limits.mjs'
import { objects } from './objects.mjs'
import { overlap } from './overlap.mjs'
import { pieces } from './pieces.mjs'
import { piecesArguments } from './pieces-arguments.mjs'
import { piecesAndCode } from './pieces-code.mjs'
import { remembered } from './remembered.mjs'
import { rows } from './rows.mjs'
import { tampering } from './tampering.mjs'

/** About the cipher, which every backend has of its own. */
export const CIPHER = [answers, agreement, frames, pieces, batches, tampering]
/** About arguments and objects, which are the same code for every backend and key size. */
const PIECES = [piecesArguments, piecesAndCode]
const BATCHES = [batchArguments, batchMemory, batchLimits]
const MEMORY = [overlap, remembered]
const INTERFACE = [badArguments, ...PIECES, ...BATCHES, rows, ...MEMORY, construction, objects, limits]
export const ALL = [...CIPHER, ...INTERFACE]

/**
 * The cases for one class of classes.mjs, with keys of one size, on one backend. A case that finds a fault throws.
 * @param {import('./aead.mjs').Subject} subject
 * @param {{ keyBytes: number, backend?: string, thorough?: boolean }} options `thorough`: whole sweeps, which take seconds
 * @returns {import('./aead.mjs').Case[]}
 */
export function conformance(subject, options, parts = ALL) {
  const aead = new Aead(subject, options)
  return parts.flatMap(cases => [...cases(aead)])
}

/** A class with keys of each size on each of these backends, by name, and the function that gives the cases. */
export function everywhere(subject, backends) {
  return backends.flatMap(backend =>
    subject.keyBytes.map(keyBytes => ({
      name: `${subject.Class.name}, keys of ${keyBytes} bytes, ${backend}`,
      cases: (parts, thorough) => conformance(subject, { keyBytes, backend, thorough }, parts),
    })),
  )
}

/**
 * Runs the thinned suite for each class: the cipher with every key size on each of these backends, the interface once. If
 * `brief`, only the known answers. Returns the number of cases, all of which passed.
 */
export function conforms(classes, backends, brief = false) {
  let passed = 0
  for (const subject of classes) {
    for (const [n, { name, cases }] of everywhere(subject, backends).entries()) {
      const these = cases(brief ? [answers] : n === 0 ? ALL : CIPHER, false)
      runAll(these, `${name}: `)
      passed += these.length
    }
  }
  return passed
}

/** Runs cases until the first that fails, and throws an error that names the case and the seed. */
export function runAll(cases, where = '') {
  for (const { name, run } of cases) {
    try {
      run()
    } catch (error) {
      throw new Error(`${where}${name}: ${error.message} (AESGCM_SEED=${SEED})`, { cause: error })
    }
  }
}
