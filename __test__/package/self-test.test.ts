// The self-test at first use finds a faulty binding and names the fault.
import { expect, test } from 'vitest'
import { inTurn } from '../tools/in-turn.js'
import { StandIn } from '../tools/stand-in.js'
import { run } from '../tools/support.js'

const standIn = new StandIn()

/** What a first use of the package says with this binding. */
const verdictOf = (lie: string) => `
  globalThis.lie = ${JSON.stringify(lie)}
  const { AesGcm } = require('hardware-aes-gcm')
  const said = {}
  try { new AesGcm(Buffer.alloc(16)) } catch ({ code, message }) { Object.assign(said, { code, message }) }
  return { ...said, available: AesGcm.isAvailable() }`

/** The same for a first use of the generator. */
const randomOf = (lie: string) => `
  globalThis.lie = ${JSON.stringify(lie)}
  const { AesGcm, randomBytes, randomFillSync } = require('hardware-aes-gcm')
  const view = Buffer.alloc(32, 7)
  const uses = [() => randomBytes(16), () => randomBytes(99), () => randomFillSync(view), () => AesGcm.generateKey()]
  const said = uses.map(use => { try { use() } catch (error) { return error.code + ' ' + error.message } return 'used' })
  return [said, AesGcm.isAvailable(), new AesGcm(Buffer.alloc(16)).keyBits, view.equals(Buffer.alloc(32, 7))]`

const LIES = [
  [
    'loses writes',
    'encryptDetached: (h, data, ...rest) => real.encryptDetached(h, data.slice(), ...rest)',
    'was lost',
  ],
  [
    'encrypts wrongly',
    'encryptDetached: (h, data, ...rest) => real.encryptDetached(h, data, ...rest) + (data[9] ^= 1)',
    'encryption',
  ],
  [
    'makes a wrong tag',
    'encryptDetached: (h, d, n, tag, ...rest) => real.encryptDetached(h, d, n, tag, ...rest) + (tag[15] ^= 1)',
    'encryption',
  ],
  ['accepts any tag', 'decryptDetached: () => 0', 'a forged tag'],
  [
    'leaves a trace',
    'decryptDetached: (h, data, ...rest) => { const status = real.decryptDetached(h, data, ...rest); if (status < 0) data[3]++; return status }',
    'a failed decryption',
  ],
  [
    'accepts shared memory',
    'encryptDetached: (h, data, ...rest) => data.buffer instanceof SharedArrayBuffer ? 0 : real.encryptDetached(h, data, ...rest)',
    'shared memory',
  ],
  ['refuses any tag', 'decryptDetached: () => -1', 'a valid tag'],
  [
    'decrypts wrongly',
    'decryptDetached: (h, data, ...rest) => { const status = real.decryptDetached(h, data, ...rest); if (status >= 0) data[59]++; return status }',
    'decryption',
  ],
  ['refuses keys', 'create: () => -1', 'a key'],
  ['refuses messages', 'encryptDetached: () => -1', 'a message'],
  ['gives no status for messages', 'encryptDetached: () => undefined', 'a message was refused'],
  [
    'gives no status for true tags',
    'decryptDetached: (h, data, n, tag) => tag[15] === 0x1a ? -1 : undefined',
    'a valid tag was rejected',
  ],
] as const
const verdict = inTurn(
  LIES.map(([, lie]) => verdictOf(lie)),
  { cwd: standIn.folder },
)

test.each(LIES)('the binding %s', (_, lie, said) => {
  standIn.lieInTurn()
  expect(verdict(verdictOf(lie))).toEqual({
    code: 'ERR_AESGCM_SELF_TEST_FAILED',
    message: expect.stringMatching(new RegExp(`^the self-test failed: on backend \\w+, .*${said}`)),
    available: false,
  })
})

// The generator is tested at its own first use. Salts of frames do not wait for it, because they have other entropy too.
const RANDOM = [
  ['gives zeros', 'random: view => (view.fill(0), 0)'],
  ['gives ones', 'random: view => (view.fill(255), 0)'],
  ['loses random bytes', 'random: view => real.random(view.slice())'],
  ['gives them once', 'random: view => count++ ? 0 : real.random(view)'],
] as const
const drawn = inTurn(
  RANDOM.map(([, lie]) => randomOf(lie)),
  { cwd: standIn.folder },
)

test.each(RANDOM)('the binding %s', (_, lie) => {
  standIn.lieInTurn()
  const [said, ...rest] = drawn(randomOf(lie)) as [string[], ...unknown[]]
  const told = 'ERR_AESGCM_SELF_TEST_FAILED the self-test failed: the generator does not return random bytes'
  // Its first draw was real, so a later call may fail in another way.
  if (lie.includes('count++')) expect(said.slice(0, 2)).toEqual([told, expect.stringMatching(/^ERR_AESGCM/)])
  else expect(said).toEqual(Array(4).fill(told))
  expect(rest).toEqual([true, 128, true])
})

// The system may have entropy later, and calls that need no entropy work meanwhile.
test('an operating system without entropy is no fault of the binding', () => {
  standIn.lie('random: view => globalThis.fails ? -1 - real.reasons.indexOf("Entropy") : real.random(view)')
  const script = `
    import { randomBytes, randomFillSync } from 'hardware-aes-gcm'
    globalThis.fails = true
    const code = run => { try { return run() } catch (error) { return error.code } }
    const view = Buffer.alloc(32, 7)
    console.log(AesGcm.isAvailable(), code(() => randomBytes(8)), code(() => AesGcm.generateKey()))
    console.log(code(() => randomBytes(100)), code(() => randomFillSync(view)), view.equals(Buffer.alloc(32, 7)))
    globalThis.fails = false
    console.log(randomBytes(8).length, AesGcm.generateKey().length)`
  const failure = 'ERR_AESGCM_RNG_FAILURE'
  expect(run(script, { cwd: standIn.folder })).toEqual({
    status: 0,
    stdout: `true ${failure} ${failure}\n${failure} ${failure} true\n8 32\n`,
    stderr: '',
  })
})

test('the real one passes', () => {
  standIn.lie('')
  expect(run('console.log(AesGcm.isAvailable())', { cwd: standIn.folder }).stdout).toBe('true\n')
})
