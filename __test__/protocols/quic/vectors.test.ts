// Published packets, secrets, masks and tags: the reference gives them, and so does the package, in both directions.
import {
  initialSecrets,
  PacketProtection,
  retryIntegrityTag,
  VERSION_1,
  VERSION_2,
} from 'hardware-aes-gcm/quic'
import { describe, expect, test } from 'vitest'
import * as reference from '../../models/quic.js'
import { isOwn, Random } from '../../tools/support.js'
import { MASKS, UPDATES, VERSIONS } from '../../vectors/quic.js'
import { BACKENDS, offsetOf, unsealed, withoutTag } from './packets.js'

const same = (actual: Uint8Array, wanted: Uint8Array) =>
  expect(Buffer.from(actual).toString('hex')).toBe(Buffer.from(wanted).toString('hex'))

test('the versions', () => {
  expect([VERSION_1, VERSION_2]).toEqual(VERSIONS.map(({ version }) => version))
  expect(VERSION_2.toString(16)).toBe('6b3343cf')
})

describe.each(VERSIONS)('$name, the reference', ({ version, destinationConnectionId, packets, retry }) => {
  test('initial secrets', () => {
    const { client, server } = reference.initialSecrets(version, destinationConnectionId)
    for (const [n, secret] of [client, server].entries()) same(secret, packets[n]?.secret as Buffer)
  })

  test.each(packets)(
    '$name',
    ({ secret, key, iv, hp, header, payload, packetNumber, sample, mask, packet }) => {
      const keys = reference.keysOf(version, secret)
      for (const [name, value] of Object.entries({ key, iv, hp })) same(keys[name as 'key'], value)
      same(reference.maskOf(hp, sample), mask)
      same(reference.seal(keys, header, payload, packetNumber), packet)
      const offset = header.length - ((header[0] as number) & 3) - 1
      const opened = reference.open(hp, () => keys, packet, offset, packetNumber - 1)
      expect(opened).toEqual({ number: packetNumber, header, payload })
    },
  )

  test('the tag of a Retry packet', () => {
    same(
      reference.retryIntegrityTag(version, retry.originalId, retry.packet.subarray(0, -16)),
      retry.packet.subarray(-16),
    )
  })
})

test.each(UPDATES)(
  'the secret after a key update, version $version, in the reference',
  ({ version, secret, next }) => {
    same(reference.nextSecret(version, secret), next)
  },
)

test('masks of the reference', () => {
  for (const { hp, sample, mask } of MASKS) same(reference.maskOf(hp, sample), mask)
})

// RFC 9000 A.3 has one example. The others lie at the ends of a window.
test.each([
  ['the example of RFC 9000 A.3', 0xa82f30ean, 0x9b32n, 16n, 0xa82f9b32n],
  ['the first packet', -1n, 0n, 8n, 0n],
  ['the last number ahead of the window', 0n, 129n, 8n, 129n],
  ['half a window ahead', 255n, 128n, 8n, 384n],
  ['more than half a window ahead', 255n, 129n, 8n, 129n],
])('packet number recovery of the reference: %s', (_, largest, truncated, bits, number) => {
  expect(reference.decodePacketNumber(largest, truncated, bits)).toBe(number)
})

describe.each(VERSIONS)('$name, the package', ({ version, destinationConnectionId, packets, retry }) => {
  test('initial secrets', () => {
    const { client, server } = initialSecrets(version, destinationConnectionId)
    for (const [n, secret] of [client, server].entries()) {
      isOwn(secret)
      same(secret, packets[n]?.secret as Buffer)
    }
  })

  test.each(packets)('$name', packet => {
    const { secret, key, iv, hp, header, payload, packetNumber, sample, mask } = packet
    for (const backend of BACKENDS) {
      for (const keys of [secret, { key, iv, hp }]) {
        const protection = new PacketProtection(keys, { version, backend })
        expect([protection.backend, protection.keyBits]).toEqual([backend, 128])
        same(protection.headerProtectionMask(sample), mask)
        const bytes = unsealed(header, payload)
        protection.seal(bytes, header.length, packetNumber)
        same(bytes, packet.packet)
        for (const largest of [-1, packetNumber - 1]) {
          const copy = Buffer.from(packet.packet)
          expect(protection.open(copy, offsetOf(header), largest)).toBe(packetNumber)
          same(withoutTag(copy), Buffer.concat([header, payload]))
        }
      }
    }
  })

  test('the tag of a Retry packet', () => {
    const tag = retryIntegrityTag(version, retry.originalId, retry.packet.subarray(0, -16))
    isOwn(tag)
    same(tag, retry.packet.subarray(-16))
  })
})

test('initial secrets and Retry tags for ids of every length, against the reference', () => {
  const random = new Random('quic ids')
  for (const version of reference.VERSIONS) {
    for (let length = 0; length <= 20; length++) {
      const id = random.bytes(length)
      expect(initialSecrets(version, id)).toEqual(reference.initialSecrets(version, id))
      const packet = random.bytes(random.below(300))
      same(retryIntegrityTag(version, id, packet), reference.retryIntegrityTag(version, id, packet))
    }
  }
})

test('masks of the package', () => {
  for (const { hp, sample, mask } of MASKS) {
    for (const backend of BACKENDS) {
      const keys = { key: Buffer.alloc(hp.length), iv: Buffer.alloc(12), hp }
      const given = new PacketProtection(keys, { backend }).headerProtectionMask(sample)
      isOwn(given)
      same(given, mask)
    }
  }
})
