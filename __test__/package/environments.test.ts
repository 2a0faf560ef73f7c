// A thread that ends leaves neither its generator nor its keys nor its buffers in memory, though the process goes on.
import { expect, test } from 'vitest'
import { BINARY, run } from '../tools/support.js'

// The kernel shows a generator's pages by the flag of what it wipes in a child of fork, and those of keys by the flag of what
// it leaves out of dumps (Documentation/filesystems/proc.rst). Both kinds have the second flag.
test.runIf(process.platform === 'linux')('the memory of a thread is unmapped when the thread ends', () => {
  const script = `
    import { readFileSync } from 'node:fs'
    import { Worker } from 'node:worker_threads'
    const mapped = () => {
      const all = readFileSync('/proc/self/smaps', 'latin1').match(/^VmFlags:.*/gm).map(line => line.split(' '))
      return ['wf', 'dd'].map(flag => all.filter(flags => flags.includes(flag)).length)
    }
    const code = \`
      import { parentPort } from 'node:worker_threads'
      import { AesGcm, randomBytes } from 'hardware-aes-gcm'
      globalThis.kept = [randomBytes(8), new AesGcm(Buffer.alloc(32))]
      parentPort.postMessage('ready')
      parentPort.once('message', () => process.exit())\`
    new AesGcm(Buffer.alloc(32)).encrypt(Buffer.alloc(8))
    const counts = [mapped()]
    const workers = Array.from({ length: 4 }, () => new Worker(code, { eval: true }))
    await Promise.all(workers.map(worker => new Promise(resolve => worker.once('message', resolve))))
    counts.push(mapped())
    await Promise.all(workers.map(worker => new Promise(resolve => {
      worker.once('exit', resolve)
      worker.postMessage('end')
    })))
    counts.push(mapped())
    console.log(JSON.stringify(counts))`
  const { stdout, stderr } = run(script)
  expect(stderr).toBe('')
  const [before, during, after] = JSON.parse(stdout) as [number, number][]
  expect(during).toEqual([(before?.[0] ?? 0) + 4, (before?.[1] ?? 0) + 8])
  expect(after).toEqual(before)
})

// One thread loads the addon many times, because each loading has memory of its own, and threads of their own would take minutes.
test.runIf(process.platform === 'linux')(
  'each loading once left 42 KiB for texts behind, and a table of jobs',
  () => {
    const LOADINGS = 300
    const script = `
    import { readFileSync } from 'node:fs'
    import { Worker } from 'node:worker_threads'
    const code = \`
      const transfer = memory => structuredClone(memory, { transfer: [memory] })
      for (let n = 0; n < ${LOADINGS}; n++) {
        const addon = { exports: {} }
        process.dlopen(addon, ${JSON.stringify(BINARY)})
        const raw = addon.exports
        raw.validateWith(Uint8Array.prototype.at, transfer)
        const key = raw.create(0, 255, new Uint8Array(32), false, false, 2 ** 32, 2 ** 32)
        if (typeof raw.sealText(key, 2 ** 32, 'text') !== 'string') throw new Error('no text')
        if (raw.encryptInPlaceAsync(key, new ArrayBuffer(28), undefined, () => {}) < 0) throw new Error('no job')
      }\`
    const thread = () => new Promise((resolve, reject) => {
      new Worker(code, { eval: true }).on('exit', resolve).on('error', reject)
    })
    const resident = () => {
      globalThis.gc()
      return Number(/^Rss: +(\\d+) kB$/m.exec(readFileSync('/proc/self/smaps_rollup', 'latin1'))[1])
    }
    const left = []
    for (let round = 0; round < 6; round++) {
      const before = resident()
      await thread()
      left.push((resident() - before) / ${LOADINGS})
    }
    // The heap grows to its size in the first rounds. Other rounds grow by what the system happens to keep, and the least by what
    // each loading leaves.
    console.log(Math.min(...left.slice(2)))`
    const { stdout, stderr } = run(script, { flags: ['--expose-gc'] })
    expect(stderr).toBe('')
    // In KiB. The table of jobs alone has six.
    expect(Number.parseFloat(stdout)).toBeLessThan(4)
  },
)
