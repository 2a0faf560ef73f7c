// Where the keys of packet protection lie: places of an arena, limits that next keys take along, backends.
import { cpu, KeyArena } from 'hardware-aes-gcm'
import { PacketProtection } from 'hardware-aes-gcm/quic'
import { describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'
import { forged, given, NUMBER_AT, PACKET_BYTES, SECRET, sealed } from './samples.js'

describe('arenas', () => {
  test('an object needs two places, a third for the next keys, a fourth to drop the previous ones', () => {
    for (const keys of [SECRET, given()])
      refuses(() => new PacketProtection(keys, { arena: new KeyArena({ keys: 1 }) }), 'ERR_AESGCM_ARENA_FULL')
    const arena = new KeyArena({ keys: 2 })
    const small = new PacketProtection(SECRET, { arena })
    const packet = sealed()
    const before = Buffer.from(packet)
    for (let again = 0; again < 2; again++) {
      refuses(() => small.open(packet, NUMBER_AT, -1), 'ERR_AESGCM_ARENA_FULL')
      refuses(() => small.openRun(packet, PACKET_BYTES, NUMBER_AT, -1), 'ERR_AESGCM_ARENA_FULL')
    }
    expect([packet.equals(before), small.failedOpens, arena.used]).toEqual([true, 0, 2])
    // A long header shows no key update.
    packet[0] = (packet[0] as number) | 0x80
    expect(small.open(packet, NUMBER_AT, -1)).toBe(-1)
    small.destroy()
    expect(arena.used).toBe(0)

    const three = new KeyArena({ keys: 3 })
    const receiver = new PacketProtection(SECRET, { arena: three })
    const next = new PacketProtection(SECRET).nextKeys()
    expect(receiver.open(sealed(0, next), NUMBER_AT, -1)).toBe(0)
    for (let again = 0; again < 2; again++)
      refuses(() => receiver.dropPreviousKeys(), 'ERR_AESGCM_ARENA_FULL')
    // The object still holds the keys that it had.
    expect(receiver.open(sealed(1, next), NUMBER_AT, 0)).toBe(1)
    expect(receiver.keyPhase).toBe(1)

    const four = new KeyArena({ keys: 4 })
    const whole = new PacketProtection(SECRET, { arena: four })
    whole.open(sealed(0, next.nextKeys()), NUMBER_AT, -1)
    whole.open(sealed(2, next), NUMBER_AT, -1)
    whole.dropPreviousKeys()
    expect([whole.keyPhase, four.used]).toEqual([1, 3])
  })

  test('next keys lie in the same arena, under the same limits', () => {
    const arena = new KeyArena({ keys: 4 })
    const protection = new PacketProtection(SECRET, { arena, maxPackets: 1, maxFailures: 2 })
    protection.open(forged().fill(0x80, 0, 1), NUMBER_AT, -1)
    const next = protection.nextKeys()
    expect([arena.used, next.failedOpens, next.packetsSealed]).toEqual([4, 1, 0])
    sealed(0, next)
    refuses(() => sealed(1, next), 'ERR_AESGCM_KEY_EXHAUSTED')
    refuses(() => next.nextKeys(), 'ERR_AESGCM_ARENA_FULL')
  })

  test('an arena that is destroyed takes its own keys along, and no others', () => {
    const [one, two] = [new KeyArena({ keys: 4 }), new KeyArena({ keys: 4 })]
    const [first, second, third] = [{ arena: one }, { arena: two }, {}].map(
      options => new PacketProtection(SECRET, options),
    )
    one.destroy()
    expect([first, second, third].map(one => one?.destroyed)).toEqual([true, false, false])
    for (const other of [second, third]) expect(other?.open(sealed(), NUMBER_AT, -1)).toBe(0)
  })

  test.each(cpu().backends)('on %s', backend => {
    const protection = new PacketProtection(SECRET, { backend })
    expect([protection.backend, protection.nextKeys().backend]).toEqual([backend, backend])
    expect(protection.open(sealed(), NUMBER_AT, -1)).toBe(0)
  })

  test('a backend that this CPU lacks', () => {
    const foreign = cpu().arch === 'x64' ? 'armv8' : 'aesni'
    refuses(() => new PacketProtection(SECRET, { backend: foreign }), 'ERR_AESGCM_UNSUPPORTED_CPU')
  })
})
