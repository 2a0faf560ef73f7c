// A thread that ends leaves neither its generator nor its keys in memory, though the process goes on.
import { expect, test } from 'vitest'
import { run } from './support.js'

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
