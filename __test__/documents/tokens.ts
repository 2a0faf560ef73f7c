// What the examples of docs/guide/tokens.md print, and what holds after them.
import type { Run } from './examples.js'

/** A token opens; one of another type, and one that was changed, do not. The kid is in its header. */
export const TOKEN: Run = {
  after: `
    const refusal = token => { try { keyring.openJwe(token, { typ: 'session+jwt' }) } catch (error) { return error.code } }
    const [header, ...rest] = token.split('.')
    const { kid, ...others } = JSON.parse(Buffer.from(header, 'base64url'))
    console.log(kid === String(keyring.keys[0].id), JSON.stringify(others))
    const reset = keyring.sealJwe('{"sub":"17","exp":1e12}', { typ: 'password-reset+jwt' })
    console.log(refusal(reset), refusal([header.slice(1), ...rest].join('.')), refusal(token.slice(0, -1)))`,
  prints: `17
true {"alg":"dir","enc":"A256GCM","typ":"session+jwt"}
ERR_AESGCM_AUTHENTICATION_FAILED ERR_AESGCM_AUTHENTICATION_FAILED ERR_AESGCM_AUTHENTICATION_FAILED
`,
}

/** Rows of three kinds are read, rotated, and read again in their places alone. */
export const OLD_DATA: Run = {
  after: `
    const place = row => context('users', 'token', row.id)
    rows.push({ id: 3, token: keyring.sealText('new', place({ id: 3 })) })
    console.log(rows.map(row => keyring.openText(row.token, place(row))).join(), rows.filter(row => keyring.needsRotation(row.token)).length)
    console.log(keyring.tryOpenText(rows[0].token, place(rows[1]), { fallback }), keyring.tryOpenText('plaintext', place(rows[0]), { fallback }))`,
  prints: `sk_live_4eC39HqLyjWDarjtT1zdp7dc
by hand
sk_live_4eC39HqLyjWDarjtT1zdp7dc,by hand,new 0
null null
`,
}

/** A text under a key of a password. */
export const PASSWORD: Run = { prints: 'attack at dawn\n' }

/** Columns, Laravel's and bytes, which stand in the block. */
export const SHAPES: Run = { prints: 'ada@example.com +49 30 1234567 A 17\n' }

/** Rails' texts, one of them compressed; the reader refuses what is changed. */
export const RAILS: Run = {
  after: `
    const refusal = (sealed, options) => { try { return keyring.openText(sealed, '', options) } catch (error) { return error.code } }
    console.log(refusal(short.replace('xIfb', 'xIfc'), { fallback: rails }), refusal(long, { fallback: reader }))
    console.log(refusal(short.replace('}}', ',"c":true}}'), { fallback: rails }), refusal(long.replace(',"c":true', ''), { fallback: rails }).length)`,
  prints: 'Ada\n200\nERR_AESGCM_AUTHENTICATION_FAILED ERR_INVALID_ARG_VALUE\nAda 200\n',
}

/** Clear text passes, and a forged value does not. */
export const CLEAR: Run = {
  after: `
    try {
      reader.open(column[1].slice(0, -1) + '2')
    } catch (error) {
      console.log(error.name)
    }`,
  prints: 'clear text\nada@example.com\nAuthenticationError\n',
}
