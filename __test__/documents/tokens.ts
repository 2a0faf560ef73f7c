// The code around the recipes of docs/guide/tokens.md, and the lines that they print.

/** Sealed by node:crypto, as old programs did. */
const SEAL = `
  import { createCipheriv, pbkdf2Sync as derive } from 'node:crypto'
  const seal = (key, iv, text) => {
    const cipher = createCipheriv('aes-256-gcm', key, iv)
    const ct = Buffer.concat([cipher.update(text), cipher.final()])
    return { iv, ct, tag: cipher.getAuthTag() }
  }\n`

const LINE = `'200:${'07'.repeat(32)},100:${'08'.repeat(32)}'`

/** A token opens, one that expired and one that was changed do not, and the kid is in its header. */
export const TOKEN = {
  before: `process.env.TOKEN_KEYSET = ${LINE}\n`,
  after: `
    const late = keyring.sealJwe('{"exp":1}', { typ: 'session+jwt' })
    const reset = keyring.sealJwe('{"sub":"17","exp":1e12}', { typ: 'password-reset+jwt' })
    const refusal = token => { try { claimsOf(token) } catch (error) { return error.code ?? error.message } }
    const [header, ...rest] = token.split('.')
    console.log(Buffer.from(header, 'base64url').toString())
    console.log(refusal(late), refusal(reset), refusal([header.slice(1), ...rest].join('.')), refusal(token.slice(0, -1)))`,
  prints: `17
{"alg":"dir","enc":"A256GCM","kid":"200","typ":"session+jwt"}
the token has expired ERR_AESGCM_AUTHENTICATION_FAILED ERR_AESGCM_AUTHENTICATION_FAILED ERR_AESGCM_AUTHENTICATION_FAILED
`,
}

/** A cookie that jose wrote as next-auth calls it. */
export const NEXT_AUTH = {
  before: `
    import { EncryptJWT } from 'jose'
    import { hkdf } from 'node:crypto'
    import { promisify } from 'node:util'
    process.env.NEXTAUTH_SECRET = 'a secret of the program'
    const derived = await promisify(hkdf)('sha256', process.env.NEXTAUTH_SECRET, '', 'NextAuth.js Generated Encryption Key', 32)
    const cookie = await new EncryptJWT({ name: 'Ada' })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).setIssuedAt().setExpirationTime('1h').encrypt(new Uint8Array(derived))\n`,
  prints: 'Ada\n',
}

/** Rows of three kinds are read, migrated, and read again in their places alone. */
export const OLD_DATA = {
  before: `${SEAL}
    process.env.KEYSET = ${LINE}
    process.env.OLD_KEY = '10'.repeat(32)
    process.env.CLOAK_MASTER_KEY = 'k1.aesgcm256.fkW0qpBqsL5jDY-tORenouf1mjY8pw_XnYaneHeUa28='
    const { iv, tag, ct } = seal(Buffer.alloc(32, 16), Buffer.alloc(16, 9), 'by hand')
    const rows = [
      { id: 1, token: 'v1.aesgcm256.6e350aa2.uQik2e1Eu0jmoyvt.h-eW9w09OsfHiGdo93rr-8tUgw6tQntcAWPRxVvLrbDvdgmmE2MxAthaBHBxIMd0' },
      { id: 2, token: [iv, tag, ct].map(part => part.toString('hex')).join(':') },
    ]\n`,
  after: `
    rows.push({ id: 3, token: keyring.sealText('new', place({ id: 3 })) })
    console.log(rows.map(tokenOf).join())
    const updates = []
    migrate(rows, (id, token) => { updates.push(id); rows.find(row => row.id === id).token = token })
    console.log(updates.join(), rows.map(row => keyring.openText(row.token, place(row))).join())
    console.log(keyring.tryOpenText(rows[0].token, place(rows[1]), { fallback }), keyring.tryOpenText('plaintext', place(rows[0]), { fallback }))`,
  prints:
    'sk_live_4eC39HqLyjWDarjtT1zdp7dc,by hand,new\n1,2 sk_live_4eC39HqLyjWDarjtT1zdp7dc,by hand,new\nnull null\n',
}

/** A text under a key of a password. */
export const PASSWORD = {
  before: `${SEAL}
    process.env.PASSWORD = 'a password'
    const salt = Buffer.alloc(64, 3)
    const { iv, tag, ct } = seal(derive('a password', salt, 2145, 32, 'sha512'), Buffer.alloc(16, 9), 'by a password')
    const stored = Buffer.concat([salt, iv, tag, ct]).toString('base64')\n`,
  prints: 'by a password\n',
}

/** Parts of a cookie, of which the tenth has another place among texts than among numbers. */
export const COOKIE = {
  after: `
    const parts = Object.fromEntries(Array.from('abcdefghijkl', (part, i) => [NAME + '.' + i, part]))
    console.log(cookieOf(parts), cookieOf({ [NAME]: 'whole', ...parts }))`,
  prints: 'here and there\nabcdefghijkl whole\n',
}

/** Columns, Laravel's and bytes, which stand in the block. */
export const SHAPES = { prints: 'ada@example.com +49 30 1234567 A 17\n' }

/** Rails' texts, one of them compressed; the reader refuses what is changed. */
export const RAILS = {
  after: `
    const refusal = (sealed, options) => { try { return keyring.openText(sealed, '', options) } catch (error) { return error.code } }
    console.log(refusal(short.replace('xIfb', 'xIfc'), { fallback: rails }), refusal(long, { fallback: reader }))
    console.log(refusal(short.replace('}}', ',"c":true}}'), { fallback: rails }), refusal(long.replace(',"c":true', ''), { fallback: rails }).length)`,
  prints: 'Ada\n200\nERR_AESGCM_AUTHENTICATION_FAILED ERR_INVALID_ARG_VALUE\nAda 200\n',
}

/** Clear text passes, and a forged value does not. */
export const CLEAR = {
  after: `
    try {
      textOf('66f5c382a79e168eecbc5034:a0481e94d58992ee10ab14370727474b:8f1262ac5c3a8bd29c5376a77bded2')
    } catch (error) {
      console.log(error.name)
    }`,
  prints: 'clear text\nada@example.com\nAuthenticationError\n',
}
