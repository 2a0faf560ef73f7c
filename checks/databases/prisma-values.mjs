// Values of encrypted fields in the random operations of Prisma, and the arguments that they become on each side.

/** A value of an encrypted field, and the text that stands for it in clear. */
export class Value {
  constructor(value, isJson) {
    this.value = value
    this.isJson = isJson
  }
  get text() {
    if (typeof this.value === 'string' && !this.isJson) return this.value
    return this.value instanceof Uint8Array
      ? Buffer.from(this.value).toString('base64')
      : JSON.stringify(this.value)
  }
}

/** A key of a new row, which the sealed client makes by itself. */
export class NewKey {
  constructor(value) {
    this.value = value
  }
}

/** The arguments for one side. `onKey` learns the key that the sealed client must make. */
export function argumentsFor(isSealed, given, onKey) {
  if (given instanceof Value) return isSealed ? given.value : given.text
  if (Array.isArray(given)) return given.map(one => argumentsFor(isSealed, one, onKey))
  if (typeof given !== 'object' || given === null) return given
  const entries = Object.entries(given).flatMap(([name, one]) => {
    if (!(one instanceof NewKey)) return [[name, argumentsFor(isSealed, one, onKey)]]
    if (!isSealed) return [[name, one.value]]
    onKey(one.value)
    return []
  })
  return Object.fromEntries(entries)
}
