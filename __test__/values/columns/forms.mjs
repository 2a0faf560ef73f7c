// Values of every form, and which of them has that of a sealed value: the tests judge SQLite by it, and checks/databases the servers.
import { Keyring } from 'hardware-aes-gcm/keyring'

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const OTHERS = ['', ' ', '\n', '\0', '=', '+', '/', 'é', 'Ａ', '\u212a', 'ſ', '😀']

/** What docs/formats.md calls the form of a sealed value. */
export const isSealed = (/** @type {unknown} */ value) =>
  typeof value === 'string' && /^A[Q-Za-f][A-Za-z0-9_-]{42,}$/.test(value) && !/\n/.test(value)

const types = /** @type {const} */ (['AES-256-GCM', 'XAES-256-GCM', 'AES-128-GCM-SIV'])
/** Sealed values of several lengths, under keys of several types. */
export const sealed = types.flatMap(type =>
  ['', 'a', 'é'.repeat(50), 'x'.repeat(5000)].map(text => Keyring.generate(type).sealText(text)),
)
/** The shortest. */
export const one = /** @type {string} */ (sealed[0])

/** A sealed value with another character in some places, and other strings. */
export const forms = [...DIGITS, ...OTHERS]
  .flatMap(letter => [
    letter + one.slice(1),
    one[0] + letter + one.slice(2),
    one.slice(0, 20) + letter + one.slice(21),
    one.slice(0, -1) + letter,
    one + letter,
    letter + one,
  ])
  .concat(
    '',
    'A',
    'AQ',
    'ada@example.org',
    one.toLowerCase(),
    one.slice(0, 43),
    `${one}\r\n`,
    `${one}\0in clear`,
    '{"a":1}',
  )
