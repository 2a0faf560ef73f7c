// Mutated texts for each layout: every one is refused by the one error, or is the same message in another spelling.
import { AuthenticationError } from 'hardware-aes-gcm'
import {
  boringnodeReader,
  cloakReader,
  cryptrReader,
  type LegacyReader,
  layoutReader,
  typeormReader,
} from 'hardware-aes-gcm/legacy'
import { expect, test } from 'vitest'
import { laravel, mime, rails } from '../../models/frameworks.js'
import * as originals from '../../models/legacy.js'
import { must, Random } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import { mutated } from './mutations.js'

const TEXTS = count(5000, 20_000)

const random = new Random('mutated old texts')
const KEY = random.bytes(32)
const CLOAK = originals.cloakKey(random)
const SECRET = 'a secret of the user'
const QUICK = { pbkdf2Iterations: 1 }
const APP = { id: 'app', key: SECRET }
const json = (text: string) => {
  const { iv, tag, ct } = originals.gcm(KEY, random.bytes(12), text)
  const [a, b, c] = [iv, tag, ct].map(bytes => bytes.toString('base64'))
  return JSON.stringify({ iv: a, tag: b, data: c })
}
const dotted = (text: string) => {
  const { iv, tag, ct } = originals.gcm(KEY, random.bytes(16), text)
  return [iv, tag, ct].map(bytes => bytes.toString('hex')).join('.')
}

const READERS: [string, LegacyReader, (text: string) => string][] = [
  ['cloak', cloakReader(CLOAK), text => originals.cloak(CLOAK, text, random)],
  ['cryptr', cryptrReader(SECRET, QUICK), text => originals.cryptr(SECRET, text, QUICK, random)],
  [
    'typeorm-encrypted',
    typeormReader({ key: KEY, algorithm: 'aes-256-gcm', ivLength: 16 }),
    text => originals.typeorm(KEY, text, 16, random),
  ],
  [
    'boringnode',
    boringnodeReader({ id: 'app', keys: SECRET }),
    text => originals.boringnode(APP, JSON.stringify({ message: text }), random),
  ],
  ['dotted hex', layoutReader({ key: KEY, layout: '{iv}.{tag}.{ct}', encoding: 'hex' }), dotted],
  [
    'JSON',
    layoutReader({ key: KEY, layout: { iv: '{iv}', tag: '{tag}', data: '{ct}' }, encoding: 'base64' }),
    json,
  ],
  [
    'Rails',
    layoutReader({ key: KEY, layout: { p: '{ct}', h: { iv: '{iv}', at: '{tag}' } }, encoding: 'base64' }),
    text => rails(KEY, text, random),
  ],
  [
    'Laravel',
    layoutReader({
      key: KEY,
      layout: { iv: '{iv}', value: '{ct}', tag: '{tag}' },
      encoding: 'base64',
      outerEncoding: 'mime',
    }),
    text => mime(Buffer.from(laravel(KEY, text, random), 'base64')),
  ],
  [
    'numbers in JSON',
    layoutReader({ key: KEY, layout: { iv: '{iv}', tag: '{tag}', data: '{ct}' } }),
    text => {
      const { iv, tag, ct } = originals.gcm(KEY, random.bytes(12), text)
      return JSON.stringify({ iv: [...iv], tag, data: ct })
    },
  ],
]

/** Capitals of hex, padding, spaces of JSON: the bytes are the same, so the text is. */
const isText = (opened: string, text: string, wrong: string) =>
  must(opened === text, () => `${JSON.stringify(opened)}, not ${JSON.stringify(text)}, from ${wrong}`)

test.each(READERS)('%s', (_, reader, seal) => {
  let refused = 0
  for (let n = 0; n < TEXTS; n++) {
    const text = random.bytes(random.below(30)).toString('latin1')
    const sealed = seal(text)
    const wrong = mutated(sealed, random)
    if (n % 2 === 0) {
      try {
        isText(reader.open(wrong), text, wrong)
      } catch (error) {
        must(
          error instanceof AuthenticationError && Object.keys(error).join() === 'code',
          () => `${error} for ${wrong}`,
        )
        refused++
      }
    } else {
      const opened = reader.tryOpen(wrong)
      if (opened === null) refused++
      else isText(opened, text, wrong)
    }
  }
  expect(refused).toBeGreaterThan(0.75 * TEXTS)
})
