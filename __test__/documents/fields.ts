// What the examples of docs/guide/fields.md print, and what holds after them.
import type { Run } from './examples.js'

/** node:sqlite as it is, or where Node has none, its stand-in; without the warning that it is new. */
export const NODE = [
  '--disable-warning=ExperimentalWarning',
  '--import',
  new URL('./sqlite.mjs', import.meta.url).href,
]

/** A value is sealed for its place, moved, and rotated. */
export const VALUE: Run = { prints: 'sk_live_1234 null\ntrue false sk_live_1234\n' }

export const KEYSET_FILE: Run = {
  command: ['keyset', 'new', 'keys.json'],
  after: 'console.log(keyring.keys.length)',
  prints: 'attack at dawn\n1\n',
}

export const VARIABLE: Run = { prints: '20250100 AES-128-GCM; 20260100 AES-256-GCM, seals\n' }

export const SERVICE: Run = {
  after: `console.log(/primaryKeyId/.test(readFileSync('keys.encrypted.json', 'utf8')))`,
  prints: 'attack at dawn\ntrue\n',
}

export const LOOKUP: Run = { prints: '22 true\n' }

export const RAW: Run = { prints: 'true sk_live_1234\n' }

/** The column of the README: its value does not show in the row, and does not open in another one. */
export const README_COLUMN: Run = {
  after: `
    console.log(/example/.test(JSON.stringify(row)), users.tryOpen({ ...row, id: 18 }))`,
  prints: /^A[\w-]+ ada@example\.org\nfalse null\n$/,
}

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
