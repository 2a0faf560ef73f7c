// Keys that programs make of a text by SHA-256.
import { createHash, createSecretKey } from 'node:crypto'
import { layoutReader } from 'hardware-aes-gcm/legacy'
import { describe, test } from 'vitest'
import { gcm } from '../../models/legacy.js'
import { detach, Random, refuses } from '../../tools/support.js'
import { isForged, opens, says } from './opened.js'

const random = new Random('hashed keys of old texts')

describe('keys of a text by SHA-256', () => {
  const secret = 'pässword of the user'
  const hash = () => createHash('sha256').update(secret)
  const keys: [object, Buffer][] = [
    [{ sha256: secret }, hash().digest()],
    [{ sha256: secret, digest: undefined }, hash().digest()],
    [{ sha256: Buffer.from(secret) }, hash().digest()],
    [{ sha256: secret, digest: 'hex' }, Buffer.from(hash().digest('hex').slice(0, 32))],
    [{ sha256: secret, digest: 'base64' }, Buffer.from(hash().digest('base64').slice(0, 32))],
  ]
  const options = { layout: '{iv}:{tag}:{ct}', encoding: 'hex' } as const
  const hex = (key: Uint8Array) => {
    const { iv, tag, ct } = gcm(key, random.bytes(16), 'text')
    return [iv, tag, ct].map(part => part.toString('hex')).join(':')
  }

  test.each(keys)('%o', (given, key) => {
    const own = { ...options, key: given as { sha256: string } }
    opens(own, hex(key), 'text')
    opens({ ...own, key: [random.bytes(32), own.key, createSecretKey(random.bytes(16))] }, hex(key), 'text')
    isForged({ ...own, key: { ...own.key, sha256: 'another text' } }, hex(key))
  })

  test('wrong keys', () => {
    const wrong = (key: unknown) => () => layoutReader({ ...options, key: key as never })
    for (const one of ['', Buffer.alloc(0)])
      says(wrong({ sha256: one }), 'ERR_INVALID_ARG_VALUE', '"options.key.sha256" must not be empty')
    for (const one of [undefined, null, 7, ['a'], new ArrayBuffer(8)])
      says(
        wrong({ sha256: one }),
        'ERR_INVALID_ARG_TYPE',
        '"options.key.sha256" must be a string or a Uint8Array, got',
      )
    for (const digest of [null, 'base64url', 'latin1', 7])
      says(
        wrong({ sha256: 'a', digest }),
        'ERR_INVALID_ARG_VALUE',
        `"options.key.digest" must be 'hex' or 'base64', got`,
      )
    // It was hashed as U+FFFD, so that two texts were one key.
    const half = '"options.key.sha256" has an unpaired surrogate, which UTF-8 cannot encode'
    says(wrong({ sha256: 'a\ud800' }), 'ERR_INVALID_ARG_VALUE', half)
    says(wrong([{ sha256: '' }]), 'ERR_INVALID_ARG_VALUE', '"options.key[0].sha256" must not be empty')
    says(wrong({ sha256: 'a', rounds: 1 }), 'ERR_INVALID_ARG_VALUE', `"options.key" has no 'rounds'`)
    refuses(wrong({ sha512: 'a' }), 'ERR_INVALID_ARG_TYPE')
    refuses(wrong(Object.create({ sha256: 'a' })), 'ERR_INVALID_ARG_TYPE')
    refuses(wrong({ sha256: detach(Buffer.from(Buffer.alloc(200).buffer)) }), 'ERR_AESGCM_DETACHED_BUFFER')
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    says(wrong(proxy), 'ERR_INVALID_ARG_TYPE', '"options.key"')
  })
})
