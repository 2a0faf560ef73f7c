// Searches the dump of a database for every plaintext that was written, in the forms in which it could be there.

/** Forms are found by their first characters. Shorter plaintexts would be found by chance. */
const PREFIX = 8

export class Plaintexts {
  #texts = new Set()

  /** The number of different plaintexts that are searched for. */
  get size() {
    return this.#texts.size
  }

  /** Adds a string, a Uint8Array, or the strings and names in JSON. */
  add(value) {
    if (typeof value === 'string') {
      if (value.length >= PREFIX) this.#texts.add(value)
    } else if (value instanceof Uint8Array) this.add(Buffer.from(value).toString('latin1'))
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) {
        this.add(name)
        this.add(member)
      }
  }

  /** The first plaintext of which the dump contains a form, with that form; undefined if there is none. */
  foundIn(dump) {
    const byPrefix = new Map()
    for (const text of this.#texts)
      for (const form of formsOf(text)) {
        const prefix = form.slice(0, PREFIX)
        const forms = byPrefix.get(prefix)
        if (form.length < PREFIX) continue
        if (forms === undefined) byPrefix.set(prefix, [[form, text]])
        else forms.push([form, text])
      }
    for (let i = 0; i + PREFIX <= dump.length; i++)
      for (const [form, text] of byPrefix.get(dump.slice(i, i + PREFIX)) ?? [])
        if (dump.startsWith(form, i)) return `${text} as ${form}`
    return undefined
  }
}

/** A plaintext as it is, as SQL and JSON escape it, in lower case, in hexadecimal, and in Base64 at each of its three positions. */
function formsOf(text) {
  const bytes = Buffer.from(text)
  const hex = bytes.toString('hex')
  const forms = [text, text.replaceAll("'", "''"), JSON.stringify(text).slice(1, -1), text.toLowerCase()]
  forms.push(hex, hex.toUpperCase())
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url')
    // Without the characters that depend on what is around the plaintext.
    const own = encoded.slice(before === 0 ? 0 : 4, 4 * Math.floor((before + bytes.length) / 3))
    forms.push(own, own.replaceAll('-', '+').replaceAll('_', '/'))
  }
  return new Set(forms)
}

/** Forms that the search must find: throws unless it does. */
export function proveSearch() {
  const plaintexts = new Plaintexts()
  plaintexts.add({ city: "D'Arcy Street 17", list: ['ada-1f3c@example.org'] })
  const [quoted, email] = ["D'Arcy Street 17", 'ada-1f3c@example.org']
  const dumps = [
    `('${email}')`,
    quoted.replaceAll("'", "''"),
    email.toUpperCase().toLowerCase(),
    `\\x${Buffer.from(email).toString('hex')}`,
    Buffer.from(`x${email}y`).toString('base64'),
    Buffer.from(`xy${quoted}`).toString('base64url'),
    JSON.stringify(JSON.stringify({ email })),
  ]
  for (const dump of dumps)
    if (plaintexts.foundIn(`INSERT ${dump}`) === undefined) throw new Error(`the search did not find ${dump}`)
  if (plaintexts.foundIn('AQQ5RG7prr53aFpp2BtOoi0nDtrCw1z35HdITG_fFyDLLo5ZkfZJGx5E') !== undefined)
    throw new Error('the search finds plaintexts in a sealed value')
}
