// Keys that a passphrase protects, before a process is examined.
import { scryptSync } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { fill, outside } from './formula.mjs'
import { fails, kept } from './stream-tools.mjs'

/** The number of the passphrase's bytes, and how many there are. */
export const [NUMBER, LENGTH] = [4, 48]
const SALT = 8
export const COST = { N: 2 ** 10, r: 8, p: 1 }
const CHEAP = { memory: 2 ** 20 }

/** Each scenario says the salts of its files. */
export const PASSPHRASES = {
  async 'passphrases and protected keys wiped'(entry) {
    const { openProtectedKey, protectKey } = await import(new URL('values/passphrase/index.mjs', entry))
    const passphrase = fill(outside(LENGTH), NUMBER)
    const key = fill(outside(32), 256)
    const text = await protectKey(key, passphrase, CHEAP)
    const again = await openProtectedKey(text, passphrase)
    if (!again.equals(key)) throw new Error('not what was protected')
    again.fill(0)
    const changed = `${text.slice(0, -4)}AAAA`
    await fails('ERR_AESGCM_WRONG_PASSPHRASE', openProtectedKey(changed, passphrase))
    key.fill(0)
    passphrase.fill(0)
    // Node destroys a job of its own, and wipes the copy of the passphrase there, after the job's callback has returned.
    await turn()
    return saltOf(text)
  },

  // A control, without the library: these bytes must be found.
  async 'a passphrase and its key held in Buffers'() {
    const salt = outside(16).fill(7)
    const passphrase = fill(outside(LENGTH), NUMBER)
    kept.push(passphrase, scryptSync(passphrase, salt, 32, COST))
    return salt.toString('hex')
  },
}

function saltOf(text) {
  const bytes = Buffer.concat([Buffer.from('AGP1'), Buffer.from(text.slice(5), 'base64url')])
  return bytes.subarray(SALT, SALT + 16).toString('hex')
}
