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
import { HELD_FILE_KEY, HELD_SCALARS, OF_IMPORTS, OF_SCALAR, ofFiles, ofHybrid } from './hybrid-needles.mjs'
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
const toRecipients = said => new Search(ofFiles(said))
const verdict = new Verdict()
/** The folder of the package whose builds have faults. */
let unsafe

/** What the process of a scenario has, as examine() finds it. `more` may name faults, and then comes the package that can have them. */
function shown(scenario, search, more = {}) {
  const faults = more.faults ?? []
  console.log([faults.length > 0 ? `control: ${scenario}` : scenario, ...faults].join(' with '))
  return examine({ package: faults.length > 0 ? unsafe : root, scenario, ...more }, search)
}

/** A scenario after which no piece of a key may be left. */
async function clean(scenario, search = KEYS) {
  const { memory, core } = await shown(scenario, search)
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
async function wiped(scenario, search) {
  const { memory, core } = await shown(scenario, search)
  verdict.none('memory', { ...memory, finds: memory.finds.filter(isOurs) })
  const finds = core.finds.filter(({ where }) => where.name !== 'the registers of a thread').filter(isOurs)
  verdict.none('the core dump, but for registers', { ...core, finds })
}

/** A scenario that leaves KeyObjects: each holds its key once, and there is no other copy of it. */
async function owned(scenario, search = KEYS) {
  const { memory, core } = await shown(scenario, search)
  verdict.once('memory', RAW, memory.finds)
  verdict.once('the core dump', RAW, core.finds)
}

/**
 * A live private keyring has its scalar in two KeyObjects, one to compute with and one for export: in OpenSSL's memory, which core dumps
 * show, and over which this package has no say. Nothing else of a message is left.
 */
async function inKeyObjects(scenario, names, search) {
  const { memory, core } = await shown(scenario, search)
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
async function live(scenario, names, search = KEYS, more = {}) {
  const { memory, core } = await shown(scenario, search, more)
  const belongs = ({ where }) => !where.dumped
  verdict.once('memory that no core dump shows', names, memory.finds.filter(belongs))
  verdict.none('other memory', { ...memory, finds: memory.finds.filter(find => !belongs(find)) })
  verdict.none('the core dump', core)
}

/**
 * A control: some pieces, of the key that was used last, must be found after one of these scenarios. The last instructions of a
 * backend may overwrite every register that held a part of a key.
 */
async function left(scenarios, fault) {
  const all = []
  for (const scenario of scenarios) all.push(...(await shown(scenario, KEYS, { faults: [fault] })).core.finds)
  verdict.some('one of these core dumps', all)
}

/** A control: all blocks must be found in each of the places; residues on stacks do not count. */
async function held(scenario, names, search, places = ['memory'], more = {}) {
  const found = await shown(scenario, search, more)
  for (const place of places) {
    const finds = found[place].finds.filter(({ where }) => !where.stack)
    verdict.every(place === 'core' ? 'the core dump' : 'memory', names, finds)
  }
}
const control = (fault, scenario, names, search = KEYS, places = ['memory']) =>
  held(scenario, names, search, places, { faults: [fault] })

/** Keys of every kind that are gone, and those that live. */
async function keys({ best, backends, bytes }) {
  const kinds = ['destroyed', 'keyring destroyed', 'packet keys destroyed']
  for (const scenario of [
    ...['destroyed at once', 'destroyed, of a small Buffer'],
    ...kinds.flatMap(kind => backends.map(backend => `${kind} on ${backend}`)),
    ...['collected', 'packet keys collected', 'shares wiped', 'exhausted', 'worker ended', 'worker exited'],
    ...['worker terminated', 'only worker terminated', 'arena destroyed'],
  ])
    await clean(scenario)
  for (const scenario of ['made of a KeyObject and destroyed', 'constructor threw']) await owned(scenario)
  for (const backend of backends) await live(`live on ${backend}`, expanded(bytes[backend]))
  for (const scenario of ['live in an arena', 'live in a worker']) await live(scenario, expanded(bytes[best]))
  await held('held in a Buffer', RAW, KEYS, ['memory', 'core'])
}

/** Classes that derive a key for each message. */
async function derivedKeys({ best, backends, bytes }) {
  for (const [name, search] of Object.entries(DERIVING))
    for (const backend of backends) {
      await clean(`${name} destroyed on ${backend}`, search)
      await live(`${name} live on ${backend}`, MAIN, search)
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
    await live(`derived key live on ${masked}`, names, DERIVING[name])
  }
}

async function textsAndRandomBytes() {
  await clean('texts of a keyring wiped', TEXTS)
  const units = UNITS.map(([name]) => name)
  await held('units of a text kept', units, TEXTS)
  for (const scenario of ['random bytes wiped', 'generated keys wiped after collections'])
    await clean(scenario, generated)
  const toCome = Array.from({ length: 50 }, (_, i) => `random bytes 0 from ${16 * i}`)
  await live('random bytes to come', toCome, generated, { pauses: true })
}

/** Messages of streams, passphrases, public keys and their files. */
async function messages({ backends, bytes }) {
  for (const scenario of BEGUN) await clean(scenario, inMessages)
  for (const backend of backends) {
    for (const name of ENDED) await clean(`${name} on ${backend}`, inMessages)
    // Without the base nonce, which lies in ordinary memory as long as the key lives.
    const names = [...ofMessage(0, 128, bytes[backend]), ...ofMessage(1, 256, bytes[backend])]
    await live(`readers live on ${backend}`, names, keysInMessages)
  }
  await owned('messages of a KeyObject', inMessages)
  await held('secrets of messages held in a Buffer', HELD, inMessages, ['memory', 'core'])

  await wiped('passphrases and protected keys wiped', withPassphrases)
  await held('a passphrase and its key held in Buffers', HELD_PASSPHRASE, withPassphrases)

  await wiped('messages to a public key wiped', ofPublicKeys)
  await inKeyObjects('a private keyring live', OF_SCALAR, ofPublicKeys)
  await held('scalars and a plaintext held in Buffers', HELD_SCALARS, ofPublicKeys)
  await wiped('files to recipients wiped', toRecipients)
  await held('the key of a file held in a Buffer', HELD_FILE_KEY, toRecipients)
}

/** Controls: builds with faults leave what they should not. */
async function faults({ best, backends, bytes }) {
  const all = expanded(bytes[best])
  for (const scenario of [
    ...['destroyed at once', 'packet keys destroyed', 'collected'],
    ...['worker exited', 'worker terminated', 'arena destroyed'],
  ])
    await control('keep-keys', scenario, all)
  // Later messages have the memory of earlier ones.
  for (const [scenario, last] of Object.entries(LAST))
    await control('keep-keys', scenario, ofMessage(last, 256, bytes[best]), keysInMessages)
  for (const scenario of [`live on ${best}`, 'live in a worker'])
    await control('dump-keys', scenario, all, KEYS, ['memory', 'core'])
  const destroyed = backends.map(backend => `destroyed on ${backend}`)
  await left(destroyed, 'keep-registers')
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
    unsafe = faulty(folder)
    const { cpu } = await import(pathToFileURL(join(root, 'dist', 'index.mjs')))
    const { backend: best, backends } = cpu()
    const here = { best, backends, bytes: stateBytes() }
    await keys(here)
    await derivedKeys(here)
    await textsAndRandomBytes()
    await messages(here)
    await faults(here)
    if (verdict.failures > 0) throw new Error(`${verdict.failures} failures`)
    return ['no key in any scenario']
  },
}
