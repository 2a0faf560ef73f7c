// Events that packet protection publishes on node:diagnostics_channel, and where a run stops at a limit.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { AesGcmError } from 'hardware-aes-gcm'
import { PacketProtection } from 'hardware-aes-gcm/quic'
import { afterEach, describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'
import { forged, NUMBER_AT, PACKET_BYTES, SECRET, sealed } from './samples.js'

describe('events', () => {
  const FAILED = 'hardware-aes-gcm:authentication-failed'
  const EXHAUSTED = 'hardware-aes-gcm:key-exhausted'
  const heard: unknown[] = []
  const listen = (message: unknown) => void heard.push(message)
  const failure = { code: 'ERR_AESGCM_AUTHENTICATION_FAILED' }
  const exhaustion = (limit: string) => ({ code: 'ERR_AESGCM_KEY_EXHAUSTED', limit })
  const news = () => heard.splice(0)
  const hear = () => [FAILED, EXHAUSTED].map(name => subscribe(name, listen))
  afterEach(() => {
    for (const name of [FAILED, EXHAUSTED]) unsubscribe(name, listen)
    news()
  })

  test('tell of every packet that is not authentic, and of no other', () => {
    const protection = new PacketProtection(SECRET)
    protection.open(forged(), NUMBER_AT, -1)
    hear()
    expect(protection.open(sealed(), NUMBER_AT, -1)).toBe(0)
    expect(protection.open(Buffer.alloc(20), NUMBER_AT, -1)).toBe(-1)
    expect(news()).toEqual([])
    protection.open(forged(), NUMBER_AT, -1)
    expect(news()).toEqual([failure])
    const packets = Buffer.concat([forged(), sealed(1), forged()])
    expect([...protection.openRun(packets, PACKET_BYTES, NUMBER_AT, 0)]).toEqual([-1, 1, -1])
    expect(news()).toEqual([failure, failure])
    const next = protection.nextKeys()
    next.open(forged(), NUMBER_AT, -1)
    expect([news(), next.failedOpens]).toEqual([[failure], 5])
  })

  test('tell of limits, whose errors say where a run stopped', () => {
    hear()
    const protection = new PacketProtection(SECRET, { maxFailures: 2, maxPackets: 1 })
    const packets = Buffer.concat([forged(), sealed(1), forged(), sealed(2)])
    const before = Buffer.from(packets)
    const open = () => protection.openRun(packets, PACKET_BYTES, NUMBER_AT, 0)
    const stopped = refuses(open, 'ERR_AESGCM_KEY_EXHAUSTED') as AesGcmError
    expect(Object.entries(stopped)).toEqual([
      ['code', 'ERR_AESGCM_KEY_EXHAUSTED'],
      ['stoppedAt', 3],
    ])
    expect(news()).toEqual([failure, failure, exhaustion('failures')])
    const parts = [0, 1, 2, 3].map(i => [i * PACKET_BYTES, (i + 1) * PACKET_BYTES] as const)
    expect(parts.map(part => packets.subarray(...part).equals(before.subarray(...part)))).toEqual([
      ...[true, false, true, true],
    ])
    expect((refuses(open, 'ERR_AESGCM_KEY_EXHAUSTED') as AesGcmError).stoppedAt).toBe(0)
    const one = () => protection.open(sealed(3), NUMBER_AT, 0)
    expect(refuses(one, 'ERR_AESGCM_KEY_EXHAUSTED')).not.toHaveProperty('stoppedAt')
    expect(news()).toEqual([exhaustion('failures'), exhaustion('failures')])

    sealed(0, protection)
    refuses(() => sealed(1, protection), 'ERR_AESGCM_KEY_EXHAUSTED')
    expect(news()).toEqual([exhaustion('encryptions')])
  })

  test('a subscriber may use the object again', () => {
    const protection = new PacketProtection(SECRET)
    let depth = 0
    const again = () => {
      if (++depth < 3) protection.open(forged(), NUMBER_AT, -1)
    }
    subscribe(FAILED, again)
    protection.openRun(Buffer.concat([forged(), forged()]), PACKET_BYTES, NUMBER_AT, -1)
    unsubscribe(FAILED, again)
    expect([depth, protection.failedOpens]).toEqual([4, 4])
  })
})
