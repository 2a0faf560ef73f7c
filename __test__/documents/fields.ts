// What the examples of docs/guide/fields.md print, and what holds after them.
import type { Run } from './examples.js'

/** node:sqlite as it is, or where Node has none, its stand-in; without the warning that it is new. */
export const NODE = [
  '--disable-warning=ExperimentalWarning',
  '--import',
  new URL('./sqlite.mjs', import.meta.url).href,
]

/** A column in under 30 lines: it is sealed, rotated and counted; then it is moved, and does not open. */
export const COLUMN: Run = {
  flags: NODE,
  after: `
    const all = db.prepare('SELECT id, email FROM users').all()
    db.prepare('INSERT INTO users VALUES (?, ?)').run('eve', all[0].email)
    const moved = db.prepare('SELECT email FROM users WHERE id = ?').get('eve').email
    console.log(keyring.openText(all[0].email, place), keyring.tryOpenText(moved, context('users', 'email', 'eve')))
    console.log(all.length, all[0].email.startsWith(old))
    db.close()`,
  prints: /^A[\w-]{63} ada@example\.org\n0\nada@example\.org null\n1 false\n$/,
}

export const KEYSET_FILE: Run = {
  command: ['keyset', 'new', 'keys.json'],
  after: 'console.log(keyring.keys.length)',
  prints: 'attack at dawn\n1\n',
}

export const VARIABLE: Run = {
  prints: '20250100 AES-128-GCM; 20260100 AES-256-GCM, seals\n',
}

export const SERVICE: Run = {
  after: `console.log(/primaryKeyId/.test(readFileSync('keys.encrypted.json', 'utf8')))`,
  prints: 'attack at dawn\ntrue\n',
}

export const LOOKUP: Run = { flags: NODE, prints: 'ada Ada@example.org\n' }

export const UNKNOWN: Run = { prints: 'ERR_AESGCM_UNKNOWN_KEY true\nnull null\n' }

export const RAW: Run = { prints: 'true sk_live_1234\n' }

/** The example of the README. */
export const README_FIELD: Run = { prints: 'sk_live_1234 true false\n' }

/** The reader of docs/formats.md, which opens what a keyring sealed and refuses what was changed. */
export const FORMAT: Run = {
  after: `
    import { context, Keyring } from 'hardware-aes-gcm/keyring'
    const keyring = new Keyring([{ key: Buffer.alloc(32, 7) }, { key: Buffer.alloc(16, 8) }])
    const keyset = JSON.parse(keyring.export()), aad = context('users', 'email', 17)
    for (const { id } of keyring.keys) {
      keyring.promote(id)
      console.log(openText(keyset, keyring.sealText('attack at dawn', aad), aad))
    }
    const text = keyring.sealText('attack at dawn', aad)
    const changed = at => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
    for (const wrong of [text + '=', text.slice(0, 43), changed(0), changed(2), changed(50)])
      try { console.log(openText(keyset, wrong, aad)) } catch (error) { console.log(error.message.replace(/\\d+/, 'N')) }`,
  prints: `attack at dawn
attack at dawn
not a sealed text
not a sealed text
not a sealed text
key N is unknown
Unsupported state or unable to authenticate data
`,
}
