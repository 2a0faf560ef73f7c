// Uses every export of hardware-aes-gcm/quic once, as a caller would: packets(quic, package). CommonJS, since Jest requires this
// file.
const assert = require('node:assert/strict')

const EXPORTS = ['PacketProtection', 'VERSION_1', 'VERSION_2', 'initialSecrets', 'retryIntegrityTag']
const HEADER_BYTES = 11
const NUMBER_AT = 9
const PACKET_BYTES = 60

/** A short header with a connection id of 8 bytes and a packet number of 2, a payload, and room for the tag. */
function packetOf(keyPhase) {
  const header = Buffer.from([0x41 | ((keyPhase & 1) << 2), ...Buffer.alloc(HEADER_BYTES - 1, 0x1d)])
  return Buffer.concat([header, Buffer.alloc(PACKET_BYTES - HEADER_BYTES - 16, 'text'), Buffer.alloc(16)])
}

module.exports = function packets(quic, { AesGcmError, KeyArena }) {
  assert.deepEqual(Object.keys(quic).sort(), EXPORTS)
  for (const version of [quic.VERSION_1, quic.VERSION_2]) {
    tables(quic, version)
    for (const bytes of [32, 48]) updates(quic, version, Buffer.alloc(bytes, 0x5e), KeyArena)
  }
  keys(quic)
  errors(quic, AesGcmError)
}

/** RFC 9001 appendices A.1 and A.4, RFC 9369 appendices A.1 and A.4. */
function tables({ VERSION_1, initialSecrets, retryIntegrityTag }, version) {
  const id = Buffer.from('8394c8f03e515708', 'hex')
  const { client, server } = initialSecrets(version, id)
  const retry = version === VERSION_1 ? 'ff00000001' : 'cf6b3343cf'
  const tag = retryIntegrityTag(version, id, Buffer.from(`${retry}0008f067a5502a4262b5746f6b656e`, 'hex'))
  const wanted =
    version === VERSION_1
      ? ['c00cf151ca5be075', '3c199828fd139efd', '04a265ba2eff4d829058fb3f0f2496ba']
      : ['14ec9d6eb9fd7af8', '0263db1782731bf4', 'c8646ce8bfe33952d955543665dcc7b6']
  const beginning = secret => secret.subarray(0, 8).toString('hex')
  assert.deepEqual([beginning(client), beginning(server), tag.toString('hex')], wanted)
}

/** A connection that updates its keys twice. */
function updates({ PacketProtection }, version, secret, KeyArena) {
  const arena = new KeyArena({ keys: 12 })
  let sender = new PacketProtection(secret, { version, arena })
  const receiver = new PacketProtection(secret, { version, arena, maxPackets: 1, maxFailures: 9 })
  assert.equal(sender.keyBits, secret.length === 32 ? 128 : 256)
  for (let phase = 0; phase < 3; phase++) {
    const number = phase * 4
    const packet = packetOf(phase)
    sender.seal(packet, HEADER_BYTES, number)
    assert.equal(receiver.open(packet, NUMBER_AT, number - 1), number)
    assert.equal(packet.toString('latin1', HEADER_BYTES, HEADER_BYTES + 8), 'texttext')

    const run = Buffer.concat([packetOf(phase), packetOf(phase), packetOf(phase)])
    sender.sealRun(run, PACKET_BYTES, HEADER_BYTES, number + 1)
    run[PACKET_BYTES + 40] ^= 1
    const ends = Uint32Array.of(1, 2, 3).map(n => n * PACKET_BYTES)
    const numbers = receiver.openRun(run, ends, NUMBER_AT, number)
    assert.deepEqual(numbers, Float64Array.of(number + 1, -1, number + 3))
    assert.deepEqual([sender.packetsSealed, receiver.failedOpens], [4, phase + 1])
    assert.deepEqual([sender.keyPhase, receiver.keyPhase], [phase, phase])

    receiver.dropPreviousKeys()
    const next = sender.nextKeys()
    sender.destroy()
    assert.equal(sender.destroyed, true)
    sender = next
  }
  assert.equal(receiver.backend, sender.backend)
  arena.destroy()
  assert.equal(receiver.destroyed, true)
}

/** The header key of RFC 9001 appendix A.1 (client), and its sample and mask of appendix A.2. */
function keys({ PacketProtection }) {
  const hp = Buffer.from('9f50449e04a0e810283a1e9933adedd2', 'hex')
  const protection = new PacketProtection({ key: hp, iv: hp.subarray(4), hp })
  const mask = protection.headerProtectionMask(Buffer.from('d1b1c98dd7689fb8ec11d242b123dc9b', 'hex'))
  assert.equal(mask.toString('hex'), '437b9aec36')
  assert.throws(() => protection.nextKeys(), { code: 'ERR_INVALID_STATE' })
  if (Symbol.dispose !== undefined) protection[Symbol.dispose]()
}

/** The errors are those of the main entry. */
function errors({ PacketProtection }, AesGcmError) {
  const spent = new PacketProtection(Buffer.alloc(32), { maxPackets: 0 })
  const seal = () => spent.seal(packetOf(0), HEADER_BYTES, 0)
  assert.throws(seal, error => error.constructor === AesGcmError && error.code === 'ERR_AESGCM_KEY_EXHAUSTED')
}
