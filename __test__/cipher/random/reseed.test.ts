// reseed and randomInfo: the facts that randomInfo reports, and that a reseed reaches all generators and salts of a process.
import { Worker } from 'node:worker_threads'
import { AesGcm, randomBytes, randomInfo, reseed } from 'hardware-aes-gcm'
import { expect, test } from 'vitest'
import { run, SEED } from '../../tools/support.js'

test('a reseed is counted, named and changes the stream', () => {
  randomBytes(1)
  const { seedings } = randomInfo()
  const seen = new Set<string>()
  for (let n = 1; n <= 100; n++) {
    expect(reseed()).toBe(undefined)
    expect(randomInfo().lastSeed).toMatchObject({ cause: 'reseed', bytesSince: 0 })
    seen.add(randomBytes(16).toString('hex'))
    expect(randomInfo().seedings).toBe(seedings + n)
  }
  expect(seen.size).toBe(100)
})

test('the shape is the one promised, and no two calls share it', () => {
  randomBytes(40)
  const info = randomInfo()
  expect(info).toEqual({
    seedings: expect.any(Number),
    lastSeed: {
      cause: expect.stringMatching(/^(first use|bytes|time|copy|reseed)$/),
      sources: expect.arrayContaining(['os']),
      secondsAgo: expect.any(Number),
      bytesSince: expect.any(Number),
    },
    cpuSource: {
      name: info.cpuSource.state === 'absent' ? null : process.arch === 'arm64' ? 'rndrrs' : 'rdseed',
      state: expect.stringMatching(/^(absent|untested|testing|healthy|dropped)$/),
      reason: info.cpuSource.state === 'dropped' ? expect.any(String) : null,
      wordsTested: expect.any(Number),
    },
    copyDetection: {
      fork: expect.stringMatching(/^(wiped page|process id)$/),
      vm: expect.toSatisfy(vm => [null, '/dev/sysgenid', '/dev/vmclock0'].includes(vm)),
    },
  })
  expect(info.seedings).toBeGreaterThan(0)
  expect(info.lastSeed?.sources.length).toBe(new Set(info.lastSeed?.sources).size)
  const { state } = info.cpuSource
  if (state === 'absent') expect(info.lastSeed?.sources).toEqual(['os'])
  if (state === 'healthy') expect(info.cpuSource.wordsTested).toBeGreaterThanOrEqual(1024)
  Object.assign(info, { seedings: -1 }).lastSeed?.sources.push('rdseed')
  expect(randomInfo()).not.toEqual(info)
})

test('bytes are counted from one seed to the next', () => {
  reseed()
  let given = 0
  for (const size of [1, 32, 64, 65, 1000, 100_000]) {
    randomBytes(size)
    given += size
  }
  // The count may include whole blocks and the generator's new keys, but is never less than the bytes given.
  expect(randomInfo().lastSeed?.bytesSince).toBeGreaterThanOrEqual(given)
  reseed()
  expect(randomInfo().lastSeed?.bytesSince).toBe(0)
})

test('a reseed in one thread reaches the others', async () => {
  const code = `
    import(${JSON.stringify(new URL('../../../dist/index.mjs', import.meta.url).href)}).then(({ reseed }) => reseed())`
  randomBytes(1)
  const before = randomInfo().seedings
  await new Promise(done => new Worker(code, { eval: true, execArgv: [] }).on('exit', done))
  randomBytes(1)
  expect([randomInfo().seedings, randomInfo().lastSeed?.cause]).toEqual([before + 1, 'copy'])
})

test('after a reseed, frames still open, and each has a nonce of its own', () => {
  const aes = new AesGcm(Buffer.alloc(32, SEED & 0xff))
  const salts = new Set<string>()
  for (let n = 0; n < 100; n++) {
    const [first, second] = [aes.encrypt(Buffer.alloc(3)), aes.encrypt(Buffer.alloc(3))]
    // The count stands in the first eight bytes, least significant first; only the salt reaches the last four.
    expect(second.readBigUInt64LE() - first.readBigUInt64LE()).toBe(1n)
    salts.add(first.toString('hex', 0, 12))
    reseed()
    expect(aes.decrypt(second)).toEqual(Buffer.alloc(3))
  }
  expect([salts.size, aes.messagesEncrypted]).toEqual([100, 200])
})

test('the first frame of a thread seeds its generator, for the salt of every object', () => {
  const script = `
    import { randomInfo } from 'hardware-aes-gcm'
    const told = () => [randomInfo().seedings, randomInfo().lastSeed?.bytesSince ?? null]
    const [one, two] = [new AesGcm(Buffer.alloc(32)), new AesGcm(Buffer.alloc(32))]
    const before = told()
    const after = [one, one, two].map(aes => (aes.encrypt(Buffer.alloc(5)), told()))
    console.log(JSON.stringify([before, ...after]))`
  expect(run(script)).toEqual({ status: 0, stdout: '[[0,null],[1,12],[1,12],[1,24]]\n', stderr: '' })
})
