// Proves that neither a process's memory nor its core dump shows keys that are gone: checks/run.mjs memory [--self-test]
//
// Each scenario (scenarios.mjs) runs in a process of its own. The parent knows the keys, computes their expansion by the
// book, and looks for any eight bytes of the expansion: in every mapping of the child, and in its core dump, registers
// included. As controls, test builds with faults switched on, and a key in an ordinary Buffer, must be found. Linux only.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../../scripts/tools.mjs'
import { stateBytes } from '../tools/state-bytes.mjs'
import { dumper } from './core.mjs'
import { mask } from './formula.mjs'
import { HELD_SCALARS, OF_IMPORTS, OF_SCALAR, ofHybrid } from './hybrid-needles.mjs'
import {
  BLOCKS,
  DERIVED,
  derivedKey,
  expanded,
  given,
  keyOfNonce,
  MAIN,
  OF_A_NONCE,
  RAW,
  UNITS,
} from './needles.mjs'
import { faulty } from './package.mjs'
import { HELD_PASSPHRASE, ofPassphrases } from './passphrase-needles.mjs'
import { examine } from './process.mjs'
import { PAD } from './scenarios.mjs'
import { Search } from './search.mjs'
import { selfTest } from './self-test.mjs'
import { HELD, keysOfMessages, ofMessage, ofMessages } from './stream-needles.mjs'
import { BEGUN, ENDED, LAST } from './stream-scenarios.mjs'
import { Verdict } from './verdict.mjs'

const KEYS = new Search(BLOCKS)
const DERIVING = { xaes: new Search([...BLOCKS, ...DERIVED]), siv: new Search([...BLOCKS, ...OF_A_NONCE]) }
const TEXTS = new Search(UNITS)
const generated = said => new Search(given(said))
const inMessages = said => new Search(ofMessages(said))
const keysInMessages = said => new Search(keysOfMessages(said))
const withPassphrases = said => new Search(ofPassphrases(said))
const ofPublicKeys = said => new Search(ofHybrid(said))
const verdict = new Verdict()

/** A scenario after which no piece of a key may be left. */
async function clean(options, search = KEYS) {
  console.log(options.scenario)
  const { memory, core } = await examine(options, search)
  verdict.none('memory', memory)
  verdict.none('the core dump', core)
}

/**
 * OpenSSL 3.0, which Node 20 has, frees a copy of the scalar that it imports, and does not wipe it: one of about eighty imports leaves
 * most of it on the heap. OpenSSL 3.5 leaves nothing (docs/security.md).
 */
const leavesScalars = process.versions.openssl.startsWith('3.0.')
const isOurs = ({ name, where }) => !(leavesScalars && where.name === '[heap]' && OF_IMPORTS.includes(name))

/** As `clean`, but for registers: OpenSSL leaves its last result in those of a thread of Node's pool, until the thread works again. */
async function wiped(options, search) {
  console.log(options.scenario)
  const { memory, core } = await examine(options, search)
  verdict.none('memory', { ...memory, finds: memory.finds.filter(isOurs) })
  const finds = core.finds.filter(({ where }) => where.name !== 'the registers of a thread').filter(isOurs)
  verdict.none('the core dump, but for registers', { ...core, finds })
}

/** A scenario that leaves KeyObjects: each holds its key once, and there is no other copy of it. */
async function owned(options, search = KEYS) {
  console.log(options.scenario)
  const { memory, core } = await examine(options, search)
  verdict.once('memory', RAW, memory.finds)
  verdict.once('the core dump', RAW, core.finds)
}

/**
 * A live private keyring has its scalar in two KeyObjects, one to compute with and one for export: in OpenSSL's memory, which core dumps
 * show, and over which this package has no say. Nothing else of a message is left.
 */
async function inKeyObjects(options, names, search) {
  console.log(options.scenario)
  const { memory, core } = await examine(options, search)
  if (leavesScalars) {
    for (const [what, all] of Object.entries({ memory, 'the core dump': core })) {
      verdict.every(what, names, all.finds)
      verdict.none(`${what}, but for scalars`, { ...all, finds: all.finds.filter(isOurs) })
    }
    return
  }
  verdict.once('memory', names, memory.finds, 2)
  verdict.once('the core dump', names, core.finds, 2)
}

/** A live key is in memory once, in pages that no core dump shows, and nowhere else. */
async function live(options, names, search = KEYS) {
  console.log(options.scenario)
  const { memory, core } = await examine(options, search)
  const belongs = ({ where }) => !where.dumped
  verdict.once('memory that no core dump shows', names, memory.finds.filter(belongs))
  verdict.none('other memory', { ...memory, finds: memory.finds.filter(find => !belongs(find)) })
  verdict.none('the core dump', core)
}

/**
 * A control: some pieces, of the key that was used last, must be found after one of these scenarios. The last instructions of a
 * backend may overwrite every register that held a part of a key.
 */
async function left(scenarios, options) {
  const all = []
  for (const scenario of scenarios) {
    const { core } = await examine({ ...options, scenario }, KEYS)
    console.log(`control: ${scenario} with ${options.faults}: ${core.finds.length} pieces in the core dump`)
    all.push(...core.finds)
  }
  verdict.some('one of these core dumps', all)
}

/** A control: all blocks must be found in each of the places; residues on stacks do not count. */
async function control(options, names, search, ...places) {
  console.log(`control: ${[options.scenario, ...(options.faults ?? [])].join(' with ')}`)
  const found = await examine(options, search)
  for (const place of places) {
    const finds = found[place].finds.filter(({ where }) => !where.stack)
    verdict.every(place === 'core' ? 'the core dump' : 'memory', names, finds)
  }
}

export default {
  about: 'Neither memory nor a core dump has keys that are gone, even if a step of a call fails',
  on: 'Linux',
  needs: ['build'],
  flags: ['self-test'],
  plants: { 'each half of each block': () => selfTest(BLOCKS) },
  async prove() {
    const { who, missing } = dumper()
    if (missing !== undefined) throw new Error(missing)
    console.log(`core dumps by ${who}`)
    const folder = mkdtempSync(join(tmpdir(), 'check-memory-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    const unsafe = faulty(folder)
    const { cpu } = await import(pathToFileURL(join(root, 'dist', 'index.mjs')))
    const { backend: best, backends } = cpu()
    const bytes = stateBytes()

    for (const scenario of [
      'destroyed at once',
      'destroyed, of a small Buffer',
      ...backends.map(backend => `destroyed on ${backend}`),
      ...backends.map(backend => `keyring destroyed on ${backend}`),
      ...backends.map(backend => `packet keys destroyed on ${backend}`),
      'collected',
      'packet keys collected',
      'shares wiped',
      'exhausted',
      'worker ended',
      'worker exited',
      'worker terminated',
      'only worker terminated',
      'arena destroyed',
    ])
      await clean({ package: root, scenario })
    for (const scenario of ['made of a KeyObject and destroyed', 'constructor threw'])
      await owned({ package: root, scenario })
    for (const backend of backends)
      await live({ package: root, scenario: `live on ${backend}` }, expanded(bytes[backend]))
    for (const scenario of ['live in an arena', 'live in a worker'])
      await live({ package: root, scenario }, expanded(bytes[best]))
    for (const [name, search] of Object.entries(DERIVING))
      for (const backend of backends) {
        await clean({ package: root, scenario: `${name} destroyed on ${backend}` }, search)
        await live({ package: root, scenario: `${name} live on ${backend}` }, MAIN, search)
      }
    // A control: the derived keys are found where they are keys of objects. The H of SIV is of another key, so only round keys are.
    for (const [name, [key, what]] of Object.entries({
      xaes: [derivedKey(), 'the derived key'],
      siv: [keyOfNonce(), 'a nonce'],
    })) {
      const masked = mask(Buffer.alloc(32), key, PAD).toString('hex')
      const names = expanded(bytes[best])
        .filter(each => each.endsWith(' of AES-256') && (name === 'xaes' || each.startsWith('round key')))
        .map(each => each.replace('AES-256', what))
      await live({ package: root, scenario: `derived key live on ${masked}` }, names, DERIVING[name])
    }
    await clean({ package: root, scenario: 'texts of a keyring wiped' }, TEXTS)
    await control(
      { package: root, scenario: 'units of a text kept' },
      UNITS.map(([name]) => name),
      TEXTS,
      'memory',
    )
    for (const scenario of ['random bytes wiped', 'generated keys wiped after collections'])
      await clean({ package: root, scenario }, generated)
    const toCome = Array.from({ length: 50 }, (_, i) => `random bytes 0 from ${16 * i}`)
    await live({ package: root, scenario: 'random bytes to come', pauses: true }, toCome, generated)

    for (const scenario of BEGUN) await clean({ package: root, scenario }, inMessages)
    for (const backend of backends) {
      for (const name of ENDED) await clean({ package: root, scenario: `${name} on ${backend}` }, inMessages)
      // Without the base nonce, which lies in ordinary memory as long as the key lives.
      const names = [...ofMessage(0, 128, bytes[backend]), ...ofMessage(1, 256, bytes[backend])]
      await live({ package: root, scenario: `readers live on ${backend}` }, names, keysInMessages)
    }
    await owned({ package: root, scenario: 'messages of a KeyObject' }, inMessages)
    const secrets = 'secrets of messages held in a Buffer'
    await control({ package: root, scenario: secrets }, HELD, inMessages, 'memory', 'core')

    await wiped({ package: root, scenario: 'passphrases and protected keys wiped' }, withPassphrases)
    await control(
      { package: root, scenario: 'a passphrase and its key held in Buffers' },
      HELD_PASSPHRASE,
      withPassphrases,
      'memory',
    )

    await wiped({ package: root, scenario: 'messages to a public key wiped' }, ofPublicKeys)
    await inKeyObjects({ package: root, scenario: 'a private keyring live' }, OF_SCALAR, ofPublicKeys)
    await control(
      { package: root, scenario: 'scalars and a plaintext held in Buffers' },
      HELD_SCALARS,
      ofPublicKeys,
      'memory',
    )

    await control({ package: root, scenario: 'held in a Buffer' }, RAW, KEYS, 'memory', 'core')
    for (const scenario of [
      'destroyed at once',
      'packet keys destroyed',
      'collected',
      'worker exited',
      'worker terminated',
      'arena destroyed',
    ])
      await control(
        { package: unsafe, scenario, faults: ['keep-keys'] },
        expanded(bytes[best]),
        KEYS,
        'memory',
      )
    // Later messages have the memory of earlier ones.
    for (const [scenario, last] of Object.entries(LAST)) {
      const options = { package: unsafe, scenario, faults: ['keep-keys'] }
      await control(options, ofMessage(last, 256, bytes[best]), keysInMessages, 'memory')
    }
    for (const scenario of [`live on ${best}`, 'live in a worker'])
      await control(
        { package: unsafe, scenario, faults: ['dump-keys'] },
        expanded(bytes[best]),
        KEYS,
        'memory',
        'core',
      )
    const destroyed = backends.map(backend => `destroyed on ${backend}`)
    await left(destroyed, { package: unsafe, faults: ['keep-registers'] })

    if (verdict.failures > 0) throw new Error(`${verdict.failures} failures`)
    return ['no key in any scenario']
  },
}
