// A part of the check of the supply chain finds faults, and must find a planted one.

/** The fact that was checked, if there are no faults, each a sentence. */
export function judge(fact, faults) {
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return fact
}

/** Throws unless `faults`, those of an input with a planted fault, name `wanted`. */
export function planted(wanted, faults) {
  if (!faults.some(fault => fault.includes(wanted)))
    throw new Error(`planted: ${wanted}, and it was not found`)
}
