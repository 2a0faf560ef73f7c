// Random keysets, as this package reads them, and the traces that a key could leave in a text.
import type { Random } from '../../tools/support.js'
import { type Keyset, type KnownKey, keyTypeOf, type UnsupportedKey } from './internals.js'

const TYPES = ['AES-256-GCM', 'AES-128-GCM', 'XAES-256-GCM', 'AES-256-GCM-SIV', 'AES-128-GCM-SIV'] as const
const PREFIXES = ['tink', 'raw', 'crunchy', 'legacy'] as const
const URLS = ['type.googleapis.com/google.crypto.tink.AesEaxKey', 'x', '', 'Schlüssel "\\\u0000\u001f/', '🔑']

/** A keyset of 1 to `most` keys: every type, prefix and status, and keys that this package does not use. */
export function randomKeyset(random: Random, most = 6): Keyset {
  const ids = new Set<number>()
  const count = 1 + random.below(most)
  while (ids.size < count) ids.add(random.pick([0, 1, 2 ** 31, 2 ** 32 - 1, random.bytes(4).readUInt32BE()]))
  const primary = random.below(count)
  const keys = [...ids].map((id, i) => (i === primary ? known(random, id, 'enabled') : any(random, id)))
  return { primary: [...ids][primary] as number, keys }
}

function known(random: Random, id: number, status: 'enabled' | 'disabled'): KnownKey {
  const type = random.pick(TYPES)
  const prefix = random.pick(type === 'XAES-256-GCM' ? (['tink', 'raw'] as const) : PREFIXES)
  return {
    id,
    status,
    prefix,
    type: keyTypeOf('type', type),
    bytes: random.bytes(type.includes('128') ? 16 : 32),
  }
}

function any(random: Random, id: number): KnownKey | UnsupportedKey {
  const prefix = random.pick(PREFIXES)
  switch (random.below(6)) {
    case 0:
      return { id, status: 'destroyed', prefix, type: null, typeUrl: null, value: null, material: 0 }
    case 1: {
      const value = random.bytes(random.below(200))
      const status = random.pick(['disabled', 'destroyed'] as const)
      const material = random.pick([0, 1, 2, 3, 4, 5, 2 ** 31 - 1])
      return { id, status, prefix, type: null, typeUrl: random.pick(URLS), value, material }
    }
    case 2:
      return known(random, id, 'disabled')
    default:
      return known(random, id, 'enabled')
  }
}

/**
 * The parts of a key that a text must not show: any six bytes of it in hex, as characters, or in base64. Four bytes of one of the keys
 * of a run are a part of some error by chance, in one run of 200.
 */
export function tracesOf({ keys }: Keyset): string[] {
  return keys.flatMap(key => {
    const bytes = Buffer.from((key.type === null ? key.value : key.bytes) ?? [])
    const windows = (text: string, length: number, step = 1) =>
      Array.from({ length: Math.max(0, Math.ceil((text.length - length + 1) / step)) }, (_, i) =>
        text.slice(i * step, i * step + length),
      )
    // The value of a key begins with two bytes, or with six, and then the key; so all three shifts of base64 count.
    const shifted = [0, 1, 2].flatMap(shift =>
      (['base64', 'base64url'] as const).map(encoding =>
        Buffer.concat([Buffer.alloc(shift), bytes])
          .toString(encoding)
          .slice(shift === 0 ? 0 : 2),
      ),
    )
    return [
      ...windows(bytes.toString('hex'), 12, 2),
      ...windows(bytes.toString('hex').toUpperCase(), 12, 2),
      ...windows(bytes.toString('latin1'), 6),
      ...shifted.flatMap(text => windows(text.replaceAll('=', ''), 8)),
    ]
  })
}
