// Judges the package on the CPU that runs this: program.mjs BACKENDS SOURCE FORK [brief]. BACKENDS: those that the CPU must
// offer, best first, or `none`. SOURCE: the state in which its entropy source must end, see random.mjs. FORK: how a fork must
// be noticed. brief: of the conformance suite, only the known answers.
import { readFileSync } from 'node:fs'
import { AesGcm, cpu } from 'hardware-aes-gcm'
import { must, refuses } from './conformance/checks.mjs'
import { CLASSES } from './conformance/classes.mjs'
import { conforms, runAll } from './conformance/index.mjs'
import { arenas, randomness } from './random.mjs'

/** Every backend that the package's manual names. */
const MANUAL = readFileSync(
  new URL('node_modules/hardware-aes-gcm/dist/index.d.cts', import.meta.url),
  'utf8',
)
const [, NAMED] = /^export type Backend = (.*)$/m.exec(MANUAL)
const NAMES = NAMED.replaceAll("'", '').split(' | ')

/** The backends on offer, before anything runs on them. */
function choice(expected) {
  const { backend, backends, features } = cpu()
  const there = Object.keys(features).filter(name => features[name])
  must(
    backends.join() === expected.join(),
    `offers ${backends.join() || 'none'} with ${there.sort().join(' ') || 'no features'}`,
  )
  must(backend === (expected[0] ?? null), `the best backend is ${backend}`)
  must(AesGcm.isAvailable() === expected.length > 0, 'isAvailable()')

  const key = Buffer.alloc(32)
  const unsupported = options =>
    refuses(() => new AesGcm(key, options), 'ERR_AESGCM_UNSUPPORTED_CPU', JSON.stringify(options))
  for (const backend of NAMES) if (!expected.includes(backend)) unsupported({ backend })
  if (expected.length === 0) unsupported({})
  else must(new AesGcm(key).backend === expected[0], 'a key runs on another backend than the best')
}

try {
  const [backends, source, fork, brief] = process.argv.slice(2)
  const expected = backends === 'none' ? [] : backends.split(',')
  const machine = [
    { name: 'cpu()', run: () => choice(expected) },
    ...randomness(expected.length > 0, source, fork),
    { name: 'KeyArena', run: () => arenas(expected.length > 0) },
  ]
  runAll(machine)
  console.log(machine.length + conforms(CLASSES, expected, brief === 'brief'))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
