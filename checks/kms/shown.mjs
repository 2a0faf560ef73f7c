// What a log may show of an error, and the forms in which it would show bytes.
import { Buffer } from 'node:buffer'
import { inspect } from 'node:util'

/** Whether an error shows one of these bytes or texts, however deeply a log looks. */
export function shows(error, secrets) {
  const shown = inspect(error, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null })
  return secrets.flatMap(formsOf).some(form => shown.includes(form))
}

function formsOf(secret) {
  if (typeof secret === 'string') return [secret]
  const bytes = Buffer.from(secret)
  // The middle, which is in no line break, and whole bytes as Node and others print them.
  const hex = bytes.subarray(-24, -4).toString('hex')
  const decimal = [...bytes.subarray(-24, -4)]
  return [
    bytes.toString('base64'),
    bytes.toString('base64url'),
    hex,
    hex.replaceAll(/../g, '$& ').trim(),
    decimal.join(', '),
    decimal.join(','),
  ]
}
