// A first benchmark: this package against node:crypto doing the same work, in one run. Fails where a ratio is missed.
import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto'
import { cpus } from 'node:os'
import { AesGcm } from 'hardware-aes-gcm'
import { Bench } from 'tinybench'

/** How many times faster than node:crypto an encryption must be, by length of message. */
const LEAST = { 64: 15, [2 ** 20]: 2 }

const time = process.argv.includes('--quick') ? 100 : 1000
const key = AesGcm.generateKey()
const aes = new AesGcm(key)
const nonce = Buffer.alloc(12)

/** node:crypto's way to a message that this package can open: a fresh nonce, and the tag. */
function encrypt(plaintext) {
  const cipher = createCipheriv('aes-256-gcm', key, randomFillSync(nonce))
  const ciphertext = cipher.update(plaintext)
  cipher.final()
  return [nonce, ciphertext, cipher.getAuthTag()]
}

function decrypt(frame) {
  const decipher = createDecipheriv('aes-256-gcm', key, frame.subarray(0, 12))
  decipher.setAuthTag(frame.subarray(-16))
  const plaintext = decipher.update(frame.subarray(12, -16))
  decipher.final()
  return plaintext
}

/** Median and minimum of many samples of `calls` calls each, in ns per call, the two works taking turns. */
async function measure(calls, ours, theirs) {
  const rounds = 4
  const bench = new Bench({ time: time / rounds, warmupTime: time / rounds / 5, retainSamples: true })
  for (let round = 0; round < rounds; round++) {
    bench.add(`ours ${round}`, () => repeat(calls, ours))
    bench.add(`theirs ${round}`, () => repeat(Math.min(calls, 100), theirs))
  }
  await bench.run()
  return ['ours', 'theirs'].map((name, i) => {
    const samples = bench.tasks
      .filter(task => task.name.startsWith(name))
      .flatMap(task => task.result.latency.samples)
      .sort((a, b) => a - b)
    const ns = sample => (sample / (i === 0 ? calls : Math.min(calls, 100))) * 1e6
    return { median: ns(samples[samples.length >> 1]), least: ns(samples[0]) }
  })
}

function repeat(calls, work) {
  for (let i = 0; i < calls; i++) work()
}

const figure = ({ median, least }) => `${Math.round(median)} (${Math.round(least)})`.padStart(22)

console.log(
  `${cpus()[0]?.model}, ${aes.backend}; Node ${process.version}, OpenSSL ${process.versions.openssl}`,
)
console.log(
  'AES-256, no AAD, reused Buffers; median (minimum) in ns per message; at least 100 calls a sample',
)
console.log(
  `${'bytes'.padStart(9)}  ${'work'.padEnd(14)}${'hardware-aes-gcm'.padStart(22)}${'node:crypto'.padStart(22)}`,
)

for (const length of [16, 64, 256, 1440, 16_384, 2 ** 20]) {
  const plaintext = randomFillSync(Buffer.alloc(length))
  const [frame, target] = [Buffer.alloc(length + 28), Buffer.alloc(length)]
  aes.plaintextOf(frame).set(plaintext)
  aes.encryptInPlace(frame)
  aes.decryptInto(target, Buffer.concat(encrypt(plaintext)))
  if (!(decrypt(frame).equals(plaintext) && target.equals(plaintext))) throw new Error('the two disagree')

  const sealed = Buffer.from(frame)
  const works = {
    encryptInPlace: [() => aes.encryptInPlace(frame), () => encrypt(plaintext)],
    decryptInto: [() => aes.decryptInto(target, sealed), () => decrypt(sealed)],
  }
  for (const [name, [ours, theirs]] of Object.entries(works)) {
    const [a, b] = await measure(length < 10_000 ? 1000 : 100, ours, theirs)
    const ratio = b.median / a.median
    const least = name === 'encryptInPlace' ? (LEAST[length] ?? 0) : 0
    if (ratio < least) process.exitCode = 1
    const verdict = ratio < least ? `  MISSED: at least ${least}x` : ''
    console.log(
      `${String(length).padStart(9)}  ${name.padEnd(14)}${figure(a)}${figure(b)}${ratio.toFixed(1).padStart(8)}x${verdict}`,
    )
  }
}
