// The code around the recipes of docs/guide/fields.md, and the lines that they print.

/** A folder of their own, where the recipes work. */
const FOLDER = `
  import { mkdtempSync, rmSync } from 'node:fs'
  import { tmpdir } from 'node:os'
  import { join } from 'node:path'
  const [root, folder] = [process.cwd(), mkdtempSync(join(tmpdir(), 'fields-'))]
  process.chdir(folder)
  process.on('exit', () => { process.chdir(root); rmSync(folder, { recursive: true, maxRetries: 10 }) })\n`

/** node:sqlite as it is, or where Node has none, its stand-in; without the warning that it is new. */
const NODE = [
  '--disable-warning=ExperimentalWarning',
  '--import',
  new URL('../recipes/sqlite.mjs', import.meta.url).href,
]

const SQLITE = `import { DatabaseSync as Database } from 'node:sqlite'\nconst db = new Database(':memory:')\n`

/** A column in under 30 lines: it is sealed, moved, rotated and counted. */
export const COLUMN = {
  flags: NODE,
  before: FOLDER,
  after: `
    const all = db.prepare('SELECT id, email FROM users').all()
    db.prepare('INSERT INTO users VALUES (?, ?)').run('eve', all[0].email)
    const moved = db.prepare('SELECT email FROM users WHERE id = ?').get('eve').email
    console.log(keyring.openText(all[0].email, placeOf('ada')), keyring.tryOpenText(moved, placeOf('eve')))
    db.close()`,
  prints: /^A[\w-]{63} ada@example\.org\n0\nada@example\.org null\n$/,
}

export const KEYSET_FILE = {
  before: `${FOLDER}
    import { Keyring as Made } from 'hardware-aes-gcm/keyring'
    import { writeFileSync } from 'node:fs'
    writeFileSync('keys.json', Made.generate('XAES-256-GCM').export())\n`,
  after: 'console.log(keyring.keys[0].type)',
  prints: 'XAES-256-GCM\n',
}

export const VARIABLE = {
  before: `process.env.KEYSET = '20260100:${'5a'.repeat(32)},20250100:${'a5'.repeat(16)}'\n`,
  prints: '20250100 AES-128-GCM; 20260100 AES-256-GCM, seals\n',
}

export const SERVICE = {
  before: `${FOLDER}
    import { AesGcm } from 'hardware-aes-gcm'
    const aes = new AesGcm(Buffer.alloc(32, 7))
    const kms = { encrypt: async bytes => aes.encrypt(bytes), decrypt: async bytes => aes.decrypt(bytes) }\n`,
  after: `console.log(keyring.openText(keyring.sealText('attack at dawn')), /primaryKeyId/.test(readFileSync('keys.encrypted.json', 'utf8')))`,
  prints: 'attack at dawn true\n',
}

export const LOOKUP = {
  flags: NODE,
  before: SQLITE,
  prints: 'ada Ada@example.org\n',
}

export const UNKNOWN = { prints: 'ERR_AESGCM_UNKNOWN_KEY true\nnull null\n' }

export const RAW = {
  before: `
    import { AesGcm } from 'hardware-aes-gcm'
    const [newKey, key] = [Buffer.alloc(32, 8), Buffer.alloc(32, 7)]
    const stored = new AesGcm(key).encrypt(Buffer.from('sk_live_1234')).toString('base64')\n`,
  prints: 'true sk_live_1234\n',
}

/** The recipe of the README. */
export const README_FIELD = {
  before: `
    import { Keyring as Made } from 'hardware-aes-gcm/keyring'
    process.env.KEYSET = Made.generate().export()\n`,
  prints: 'sk_live_1234\ntrue false\n',
}

/** The reader of docs/formats.md, which opens what a keyring sealed and refuses what was changed. */
export const FORMAT = {
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
