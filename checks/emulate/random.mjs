// Random bytes and the memory of keys on the machine that runs this: cases for program.mjs.
import { AesGcm, KeyArena, OVERHEAD, randomBytes, randomFillSync, randomInfo, reseed } from 'hardware-aes-gcm'
import { must, refuses } from './conformance/checks.mjs'
import { gcm } from './models/gcm.mjs'

/** From the pool, past its end, under a key of their own, and in several chunks. */
const SIZES = [16, 32, 64, 65, 1000, 1024, 1025, 4096, 16384, 50001]

/**
 * Cases as the conformance suite has them. `runs`: whether the CPU has a backend. `source`: the entropy source and its state
 * after its tests, such as `rndrrs healthy`, or `absent`. `fork`: the means by which a fork is noticed.
 */
export function* randomness(runs, source, fork) {
  yield { name: 'randomInfo()', run: () => facts(source, fork) }
  if (!runs) {
    for (const use of [() => randomBytes(1), () => AesGcm.generateKey(), reseed])
      yield { name: 'random bytes without a backend', run: () => refuses(use, 'ERR_AESGCM_UNSUPPORTED_CPU') }
    return
  }
  const seen = new Set()
  for (const size of SIZES) yield { name: `${size} random bytes`, run: () => fills(seen, size) }
  yield { name: 'generateKey()', run: () => keys(seen) }
  yield { name: 'reseed()', run: () => seeds(source) }
  yield { name: 'the nonces of frames', run: nonces }
}

function facts(source, fork) {
  const { copyDetection, cpuSource } = randomInfo()
  must(copyDetection.fork === fork, `notices a fork by ${copyDetection.fork}, not ${fork}`)
  must(copyDetection.vm === null, `there is a device ${copyDetection.vm}`)
  must((cpuSource.name ?? 'absent') === source.split(' ')[0], `the CPU's source is ${cpuSource.name}`)
}

function isNew(seen, bytes, what) {
  must(!seen.has(bytes.toString('hex')), `${what}: these ${bytes.length} bytes were given before`)
  seen.add(bytes.toString('hex'))
  // Half of the bits are set, within eight times the standard deviation.
  const bits = 8 * bytes.length
  const set = bytes.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)
  must(Math.abs(set - bits / 2) < 4 * Math.sqrt(bits), `${what}: ${set} of ${bits} bits are set`)
}

function fills(seen, size) {
  for (let i = 0; i < 3; i++) {
    const bytes = randomBytes(size)
    must(bytes.length === size && bytes.buffer.byteLength === size, 'randomBytes: a Buffer of its own')
    isNew(seen, bytes, 'randomBytes')

    const memory = Buffer.alloc(size + 32, 0xa5)
    must(randomFillSync(memory, 16, size) === memory, 'randomFillSync gives its view back')
    isNew(seen, memory.subarray(16, -16), 'randomFillSync')
    const beside = Buffer.concat([memory.subarray(0, 16), memory.subarray(-16)])
    must(beside.equals(Buffer.alloc(32, 0xa5)), 'randomFillSync: bytes beside it were written')
    randomFillSync(memory)
    isNew(seen, memory, 'randomFillSync of all')
  }
}

function keys(seen) {
  for (const bits of [128, 256]) {
    const key = AesGcm.generateKey(bits)
    must(key.length === bits / 8, 'another length')
    isNew(seen, key, 'generateKey')
  }
}

/** Seeds until the CPU's source has passed or failed its tests. */
function seeds(source) {
  const before = randomInfo().seedings
  must(before > 0, 'nothing was seeded')
  let seedings = before
  let info
  do {
    reseed()
    info = randomInfo()
    must(info.seedings === ++seedings, `${info.seedings} seedings`)
    must(info.lastSeed.cause === 'reseed', `the cause is ${info.lastSeed.cause}`)
  } while (!['absent', 'healthy', 'dropped'].includes(info.cpuSource.state) && seedings < before + 2000)
  const { name, state, reason, wordsTested } = info.cpuSource
  const found = [name, state].filter(word => word !== null).join(' ')
  must(
    found === source,
    `the CPU's source is ${found}${reason === null ? '' : ` (${reason})`}, not ${source}`,
  )
  must((reason !== null) === (state === 'dropped'), `the reason is ${reason}`)
  must(state !== 'healthy' || wordsTested >= 1024, `${wordsTested} words tested`)

  reseed()
  const { sources, bytesSince, secondsAgo } = randomInfo().lastSeed
  must(sources.join() === (state === 'healthy' ? `os,${name}` : 'os'), `seeded from ${sources}`)
  must(bytesSince === 0 && secondsAgo < 10, `${bytesSince} bytes since, ${secondsAgo} s ago`)
  randomBytes(100)
  must(randomInfo().lastSeed.bytesSince === 100, 'does not count what it gives')
}

/** Every object draws a new salt after `reseed`, as it does in a copy of the process. */
function nonces() {
  const aes = new AesGcm(AesGcm.generateKey())
  const frame = Buffer.alloc(OVERHEAD)
  const nonce = () => {
    aes.encryptInPlace(frame)
    return BigInt(`0x${Buffer.from(frame.subarray(0, 12)).reverse().toString('hex')}`)
  }
  let last = nonce()
  for (const [calls, renew] of [0, 0, 1, 0, 1, 1].entries()) {
    if (renew) reseed()
    const next = nonce()
    const isNext = BigInt.asUintN(96, next - last) === 1n
    must(
      next !== last && isNext === !renew,
      `frame ${calls}: ${last.toString(16)}, then ${next.toString(16)}`,
    )
    last = next
  }
}

/** The default arena and one of a hundred places. `runs`: whether the CPU has a backend. */
export function arenas(runs) {
  must(KeyArena.default.capacity === Infinity, 'the default arena is bounded')
  for (const { locked } of [KeyArena.default, new KeyArena({ keys: 1 })])
    must(typeof locked === 'boolean', `locked is ${locked}`)
  const arena = new KeyArena({ keys: 100 })
  must(arena.capacity === 100 && arena.used === 0, `${arena.used} of ${arena.capacity} places are taken`)
  if (!runs) return

  const keys = Array.from({ length: 100 }, () => Buffer.from(AesGcm.generateKey()))
  const objects = keys.map(key => new AesGcm(key, { arena }))
  must(arena.used === 100, `${arena.used} places are taken by 100 keys`)
  const full = () => new AesGcm(keys[0], { arena })
  refuses(full, 'ERR_AESGCM_ARENA_FULL', 'a key too many')
  for (const i of [0, 63, 64, 99]) objects[i].destroy()
  must(arena.used === 96, `${arena.used} places are taken by 96 keys`)
  for (const i of [0, 63, 64, 99]) objects[i] = new AesGcm(keys[i], { arena })
  refuses(full, 'ERR_AESGCM_ARENA_FULL', 'a key too many')
  for (const [i, aes] of objects.entries()) {
    const frame = aes.encrypt(keys[i])
    const { nonce, text, tag } = gcm(keys[i], frame.subarray(0, 12), keys[i])
    must(frame.equals(Buffer.concat([nonce, text, tag])), `key ${i} of 100 encrypts as another`)
  }
  arena.destroy()
  must(arena.used === 0, `${arena.used} places are taken after destroy()`)
  refuses(() => objects[7].encrypt(keys[7]), 'ERR_AESGCM_DESTROYED', 'a key of it')
  refuses(full, 'ERR_AESGCM_DESTROYED', 'a key in it')
}
