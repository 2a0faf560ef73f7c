// A part of the check of the supply chain finds faults, and must find a planted one.
import { stop } from '../../scripts/tools.mjs'

/** Ends the process if there are faults, each a sentence. Otherwise prints the fact that was checked. */
export function judge(fact, faults) {
  if (faults.length > 0) stop(faults.join('\n'))
  console.log(fact)
}

/** Ends the process unless `faults`, those of an input with a planted fault, name `wanted`. */
export function planted(wanted, faults) {
  if (!faults.some(fault => fault.includes(wanted)))
    stop(`self-test: planted ${wanted}, and it was not found`)
}
