// Prints the finds as lines, and counts as failures the forbidden finds and the missing ones.

/** Finds by place: how many in each, and of what. */
function described(finds) {
  const places = new Map()
  for (const { name, where } of finds) {
    if (!places.has(where.name)) places.set(where.name, [])
    places.get(where.name).push(name)
  }
  return [...places].map(([place, names]) => {
    const different = [...new Set(names)]
    const more = different.length > 6 ? ` and ${different.length - 6} more` : ''
    return `${names.length} pieces in ${place}: ${different.slice(0, 6).join(', ')}${more}`
  })
}

export class Verdict {
  failures = 0

  /** No find is allowed. */
  none(what, { bytes, finds }) {
    if (finds.length === 0) return console.log(`  nothing in ${what} (${(bytes / 1e6).toFixed(0)} MB)`)
    this.failures++
    for (const line of described(finds)) console.log(`  FOUND in ${what}: ${line}`)
  }

  /** Each block of those names must have been found, both halves of it, and in one place, or in so many. */
  once(what, names, finds, places = 1) {
    this.every(what, names, finds)
    const pieces = 2 * names.length * places
    if (finds.length === pieces) return
    this.failures++
    console.log(`  ${finds.length} pieces in ${what} instead of ${pieces}`)
  }

  /** Something must have been found. */
  some(what, finds) {
    if (finds.length > 0) return console.log(`  in ${what}, as it must be: ${finds.length} pieces`)
    this.failures++
    console.log(`  NOTHING in ${what}`)
  }

  /** Each of those names must have been found. */
  every(what, names, finds) {
    const there = new Set(finds.map(({ name }) => name))
    const missing = names.filter(name => !there.has(name))
    if (missing.length === 0) return console.log(`  in ${what}, as it must be: ${names.length} blocks`)
    this.failures++
    console.log(`  NOT in ${what}: ${missing.length} of ${names.length} blocks, among them ${missing[0]}`)
  }
}
