// Published answers of AES-GCM-SIV, those of RFC 8452 and Tink's: the reference and AesGcmSiv give them, on every backend.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpu } from 'hardware-aes-gcm'
import { AesGcmSiv, TAG_BYTES } from 'hardware-aes-gcm/siv'
import { describe, expect, test } from 'vitest'
import { siv } from '../../models/siv.mjs'
import { must, ROOT } from '../../tools/support.js'
import { TINK } from '../../vectors/siv.js'

const { backends } = cpu()

/** The answers of RFC 8452, C.1 to C.3: a line each, after a comment. */
const RFC = readFileSync(join(ROOT, '__test__/vectors/rfc8452.txt'), 'utf8')
  .split('\n')
  .filter(line => /^[0-9a-f]/.test(line))
  .map((line, i) => {
    const fields = line.split(' ').map(field => Buffer.from(field === '-' ? '' : field, 'hex'))
    const [key, nonce, aad, plaintext, sealed] = fields as [Buffer, Buffer, Buffer, Buffer, Buffer]
    const [text, tag] = [sealed.subarray(0, -TAG_BYTES), sealed.subarray(-TAG_BYTES)]
    return { name: `RFC 8452, ${i + 1}`, key, nonce, plaintext, aad, text, tag }
  })

test('there are 50 answers of RFC 8452, and 12 of Tink', () => {
  expect([RFC.length, TINK.length]).toEqual([50, 12])
})

describe.each([...RFC, ...TINK])('$name', ({ key, nonce, plaintext, aad, text, tag }) => {
  test('the reference', () => {
    expect(siv(key, nonce, plaintext, aad)).toEqual({ nonce, text, tag })
  })

  test.each(backends)('AesGcmSiv, %s', backend => {
    for (const nonceAt of ['start', 'end'] as const) {
      for (const verifyFirst of [false, true]) {
        using aes = new AesGcmSiv(key, { backend, nonceAt, verifyFirst })
        expect(aes.backend).toBe(backend)
        const [data, made] = [Buffer.from(plaintext), Buffer.alloc(TAG_BYTES)]
        aes.encryptDetached(data, nonce, made, aad)
        expect([data, made]).toEqual([text, tag])
        const frame = Buffer.concat(nonceAt === 'start' ? [nonce, text, tag] : [text, tag, nonce])
        aes.decryptDetached(data, nonce, tag, aad)
        for (const [i, result] of [data, aes.decrypt(frame, aad), aes.decryptInPlace(frame, aad)].entries())
          must(result.equals(plaintext), `nonceAt ${nonceAt}, verifyFirst ${verifyFirst}, method ${i}`)
      }
    }
  })
})
