// Equal nonces planted to see them found, and nearly equal ones to see that they are not.
import { randomBytes } from 'node:crypto'
import { NONCE_BYTES, repeats } from './buckets.mjs'
import { run } from './run.mjs'

/** Where each of two equal nonces is added, as process and worker. */
const PLACES = {
  'within one worker': ['0.0', '0.0'],
  'across workers': ['0.0', '0.1'],
  'across processes': ['0.1', '1.0'],
}

/** Throws unless all of them are found, and nothing else is. Gives their names. */
export async function plant(plan) {
  nearMisses()
  const small = { ...plan, nonces: 20_000, processes: 2, workers: 2, reseeds: 2 }
  const expected = []
  const planted = {}
  for (const places of Object.values(PLACES)) {
    const nonce = randomBytes(NONCE_BYTES).toString('hex')
    expected.push(nonce)
    for (const place of places) planted[place] = [...(planted[place] ?? []), nonce]
  }
  const found = await run({ ...small, planted })
  const all = Object.values(planted).flat().length
  if (found.nonces !== small.nonces + all)
    throw new Error(`${small.nonces} + ${all} nonces became ${found.nonces}`)
  const { repeated, examples } = found
  if (repeated !== expected.length || examples.sort().join() !== expected.sort().join())
    throw new Error(
      `planted ${expected.join(', ')}, and found ${repeated}: ${examples.slice(0, 10).join(', ')}`,
    )
  return Object.keys(PLACES)
}

/** A nonce and its 96 neighbours by one bit are 97 nonces; a list said twice is repeated once, whole. */
function nearMisses() {
  const bytes = NONCE_BYTES * (1 + 8 * NONCE_BYTES)
  const list = new Uint8Array(2 * bytes)
  const nonce = randomBytes(NONCE_BYTES)
  for (let i = 0; i <= 8 * NONCE_BYTES; i++) {
    list.set(nonce, i * NONCE_BYTES)
    if (i > 0) list[i * NONCE_BYTES + ((i - 1) >> 3)] ^= 1 << (i & 7)
  }
  list.copyWithin(bytes, 0, bytes)
  const once = repeats(new Uint32Array(list.buffer, 0, bytes / 4)).repeated
  const twice = repeats(new Uint32Array(list.buffer)).repeated
  if (once !== 0 || twice !== bytes / NONCE_BYTES)
    throw new Error(
      `of ${bytes / NONCE_BYTES} nonces said once and twice, ${once} and ${twice} were found repeated`,
    )
}
