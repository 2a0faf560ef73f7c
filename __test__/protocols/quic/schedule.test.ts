// How QUIC keys come from secrets: the published values of both versions, and HKDF of node:crypto for both hashes.
import { createCipheriv, createHmac, hkdfSync } from 'node:crypto'
import {
  initialSecrets,
  PacketProtection,
  retryIntegrityTag,
  VERSION_1,
  VERSION_2,
  type Version,
} from 'hardware-aes-gcm/quic'
import { describe, expect, test } from 'vitest'
import { isOwn, Random } from '../../tools/support.js'

const hex = (text: string) => Buffer.from(text, 'hex')
const random = new Random('quic schedule')
const CONNECTION_ID = hex('8394c8f03e515708')

/** RFC 9001 appendix A.1 and RFC 9369 appendix A.1. `next` is HKDF-Expand-Label(secret, "quic ku", "", 32) by pyca/cryptography. */
const VERSIONS = [
  {
    name: 'version 1',
    version: VERSION_1,
    prefix: 'quic',
    client: {
      secret: 'c00cf151ca5be075ed0ebfb5c80323c42d6b7db67881289af4008f1f6c357aea',
      key: '1f369613dd76d5467730efcbe3b1a22d',
      iv: 'fa044b2f42a3fd3b46fb255c',
      hp: '9f50449e04a0e810283a1e9933adedd2',
      next: '4428ffa195ad665b9ebf9456945b99e8ff848512cab93d0426436409047d666c',
      sample: 'd1b1c98dd7689fb8ec11d242b123dc9b',
      mask: '437b9aec36',
    },
    server: {
      secret: '3c199828fd139efd216c155ad844cc81fb82fa8d7446fa7d78be803acdda951b',
      key: 'cf3a5331653c364c88f0f379b6067e37',
      iv: '0ac1493ca1905853b0bba03e',
      hp: 'c206b8d9b9f0f37644430b490eeaa314',
      next: 'ae372bd4e82a5284eac04299b656bf1a0f8aafb43fe9dc4937fa071c81379756',
      sample: '2cd0991cd25b0aac406a5816b6394100',
      mask: '2ec0d8356a',
    },
    // Appendix A.4 of both.
    retry: 'ff000000010008f067a5502a4262b5746f6b656e',
    tag: '04a265ba2eff4d829058fb3f0f2496ba',
  },
  {
    name: 'version 2',
    version: VERSION_2,
    prefix: 'quicv2',
    client: {
      secret: '14ec9d6eb9fd7af83bf5a668bc17a7e283766aade7ecd0891f70f9ff7f4bf47b',
      key: '8b1a0bc121284290a29e0971b5cd045d',
      iv: '91f73e2351d8fa91660e909f',
      hp: '45b95e15235d6f45a6b19cbcb0294ba9',
      next: '164364fad7ac392dbeecd964e1e3def646b6fbe3bd2b8141ed2da4524fba3de0',
      sample: 'ffe67b6abcdb4298b485dd04de806071',
      mask: '94a0c95e80',
    },
    server: {
      secret: '0263db1782731bf4588e7e4d93b7463907cb8cd8200b5da55a8bd488eafc37c1',
      key: '82db637861d55e1d011f19ea71d5d2a7',
      iv: 'dd13c276499c0249d3310652',
      hp: 'edf6d05c83121201b436e16877593c3a',
      next: '9e6c71d7ea3a454fe9b079743ccb3a588a687d189d356a5475c4ccb1ac9b326f',
      sample: '6f05d8a4398c47089698baeea26b91eb',
      mask: '4dd92e91ea',
    },
    retry: 'cf6b3343cf0008f067a5502a4262b5746f6b656e',
    tag: 'c8646ce8bfe33952d955543665dcc7b6',
  },
] as const

/** HKDF-Expand-Label of RFC 8446 section 7.1, block by block. */
function expandLabel(hash: string, secret: Uint8Array, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`)
  const info = Buffer.concat([Buffer.of(length >> 8, length & 255, name.length), name, Buffer.of(0)])
  let [output, block] = [Buffer.alloc(0), Buffer.alloc(0)]
  for (let counter = 1; output.length < length; counter++) {
    block = createHmac(hash, secret).update(block).update(info).update(Buffer.of(counter)).digest()
    output = Buffer.concat([output, block])
  }
  return output.subarray(0, length)
}

interface Derived {
  key: Buffer
  iv: Buffer
  hp: Buffer
}

function derive(secret: Uint8Array, prefix: string): Derived {
  const [hash, keyBytes] = secret.length === 32 ? ['sha256', 16] : ['sha384', 32]
  const of = (label: string, length: number) =>
    expandLabel(hash as string, secret, `${prefix} ${label}`, length)
  return { key: of('key', keyBytes as number), iv: of('iv', 12), hp: of('hp', keyBytes as number) }
}

const HEADER = 9

/** A short header with a packet number of four bytes, a payload and free bytes. */
const packetOf = (phase: number) =>
  Buffer.concat([
    Buffer.from([0x43 | (phase << 2)]),
    Buffer.from('cid!'),
    Buffer.alloc(4),
    Buffer.alloc(48, 7),
  ])

/** The packet of `packetOf(phase)` with this number, as node:crypto protects it. */
function expected(number: number, phase: number, { key, iv, hp }: Derived): Buffer {
  const packet = packetOf(phase)
  packet.writeUInt32BE(number, 5)
  const nonce = Buffer.from(iv)
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ number) >>> 0, 8)
  const bits = key.length * 8
  const cipher = createCipheriv(`aes-${bits}-gcm` as 'aes-128-gcm', key, nonce)
  cipher.setAAD(packet.subarray(0, HEADER))
  const text = Buffer.concat([cipher.update(packet.subarray(HEADER, -16)), cipher.final()])
  Buffer.concat([text, cipher.getAuthTag()]).copy(packet, HEADER)
  const sample = packet.subarray(9, 25)
  const mask = createCipheriv(`aes-${bits}-ecb`, hp, null).update(sample)
  packet[0] = (packet[0] as number) ^ ((mask[0] as number) & 0x1f)
  for (let i = 0; i < 4; i++) packet[5 + i] = (packet[5 + i] as number) ^ (mask[1 + i] as number)
  return packet
}

function sealed(protection: PacketProtection, number: number, phase: number): Buffer {
  const packet = packetOf(phase)
  protection.seal(packet, HEADER, number)
  return packet
}

describe.each(VERSIONS)('$name', ({ version, prefix, client, server, retry, tag }) => {
  test('initial secrets, in memory of their own', () => {
    const secrets = initialSecrets(version, CONNECTION_ID)
    for (const secret of [secrets.client, secrets.server]) isOwn(secret)
    expect(secrets.client.buffer).not.toBe(secrets.server.buffer)
    expect(secrets.client.toString('hex')).toBe(client.secret)
    expect(secrets.server.toString('hex')).toBe(server.secret)
  })

  test('initial secrets of connection ids of every length', () => {
    const salt = hex(
      version === VERSION_1
        ? '38762cf7f55934b34d179ae6a4c80cadccbb7f0a'
        : '0dede3def700a6db819381be6e269dcbf9bd2ed9',
    )
    for (let length = 0; length <= 20; length++) {
      const id = random.bytes(length)
      const info = (label: string) =>
        Buffer.concat([Buffer.of(0, 32, 6 + label.length), Buffer.from(`tls13 ${label}`), Buffer.of(0)])
      const wanted = (label: string) => Buffer.from(hkdfSync('sha256', id, salt, info(label), 32))
      expect(initialSecrets(version, id)).toEqual({
        client: wanted('client in'),
        server: wanted('server in'),
      })
    }
  })

  test.each([
    ['client', client],
    ['server', server],
  ])('keys of the %s, and the secret of its next key phase', (_, vectors) => {
    const given = { key: hex(vectors.key), iv: hex(vectors.iv), hp: hex(vectors.hp) }
    const derived = new PacketProtection(hex(vectors.secret), { version })
    expect(derived.headerProtectionMask(hex(vectors.sample)).toString('hex')).toBe(vectors.mask)
    const wanted = expected(1, 0, given)
    expect(sealed(derived, 1, 0)).toEqual(wanted)
    expect(sealed(new PacketProtection(given), 1, 0)).toEqual(wanted)

    const next = derived.nextKeys()
    const { key, iv } = derive(hex(vectors.next), prefix)
    expect(sealed(next, 2, 1)).toEqual(expected(2, 1, { key, iv, hp: given.hp }))
    expect(derive(hex(vectors.secret), prefix)).toEqual(given)
  })

  test('the tag of the Retry packet', () => {
    const made = retryIntegrityTag(version, CONNECTION_ID, hex(retry))
    isOwn(made)
    expect(made.toString('hex')).toBe(tag)
    // Every byte counts: of the packet, of the id, and where one ends.
    const other = hex(retry)
    other[3] = 7
    for (const [id, packet] of [
      [CONNECTION_ID, other],
      [Buffer.alloc(8), hex(retry)],
      [CONNECTION_ID.subarray(0, 7), Buffer.concat([CONNECTION_ID.subarray(7), hex(retry)])],
    ] as const)
      expect(retryIntegrityTag(version, id, packet).toString('hex')).not.toBe(tag)
  })

  test.each([32, 48])('five key phases of random secrets of %i bytes', length => {
    const secret = random.bytes(length)
    const { hp } = derive(secret, prefix)
    const hash = length === 32 ? 'sha256' : 'sha384'
    let ofPhase: Buffer = secret
    let sender = new PacketProtection(secret, { version })
    const receiver = new PacketProtection(secret, { version })
    expect(sender.keyBits).toBe(length === 32 ? 128 : 256)
    for (let phase = 0; phase < 5; phase++) {
      const bit = phase & 1
      const wanted = expected(phase, bit, { ...derive(ofPhase, prefix), hp })
      expect(sealed(sender, phase, bit)).toEqual(wanted)
      expect(receiver.open(wanted, 5, phase - 1)).toBe(phase)
      expect([sender.keyPhase, receiver.keyPhase]).toEqual([phase, phase])
      receiver.dropPreviousKeys()
      ofPhase = expandLabel(hash, ofPhase, `${prefix} ku`, length)
      const next = sender.nextKeys()
      sender.destroy()
      sender = next
    }
  })

  test.each([32, 48])('a receiver gives next keys in every state, of %i bytes', length => {
    const secret = random.bytes(length)
    const { hp } = derive(secret, prefix)
    const hash = length === 32 ? 'sha256' : 'sha384'
    const secrets: Buffer[] = [secret]
    for (let phase = 1; phase < 4; phase++)
      secrets.push(expandLabel(hash, secrets[phase - 1] as Buffer, `${prefix} ku`, length))
    const receiver = new PacketProtection(secret, { version })
    const nextIs = (phase: number) => {
      const next = receiver.nextKeys()
      expect(next.keyPhase).toBe(phase)
      const keys = { ...derive(secrets[phase] as Buffer, prefix), hp }
      expect(sealed(next, 9, phase & 1)).toEqual(expected(9, phase & 1, keys))
      // The new object follows updates from its own phase on.
      const after = { ...derive(secrets[phase + 1] ?? secret, prefix), hp }
      if (phase < 3) expect(next.open(expected(10, (phase + 1) & 1, after), 5, 9)).toBe(10)
    }
    const open = (phase: number) =>
      receiver.open(expected(phase, phase & 1, { ...derive(secrets[phase] as Buffer, prefix), hp }), 5, -1)
    nextIs(1)
    expect(open(0)).toBe(0)
    nextIs(1)
    expect(open(1)).toBe(1)
    nextIs(2)
    receiver.dropPreviousKeys()
    nextIs(2)
    expect(open(2)).toBe(2)
    nextIs(3)
  })
})

test('keys of one version do not open packets of the other', () => {
  const secret = random.bytes(32)
  const versions: Version[] = [VERSION_1, VERSION_2]
  for (const version of versions) {
    const packet = sealed(new PacketProtection(secret, { version }), 0, 0)
    const other = versions.find(one => one !== version) as Version
    expect(new PacketProtection(secret, { version: other }).open(Buffer.from(packet), 5, -1)).toBe(-1)
    expect(new PacketProtection(secret, { version }).open(packet, 5, -1)).toBe(0)
  }
  const packet = sealed(new PacketProtection(secret), 0, 0)
  expect(new PacketProtection(secret, { version: VERSION_1 }).open(packet, 5, -1)).toBe(0)
})
