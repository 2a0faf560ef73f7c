// Key services: keysets come back, are bound to their context, and every failure of a service is named.
import { Keyring, type KeysetWrapping } from 'hardware-aes-gcm/keyring'
import { awsKms, azureKeyVault, googleKms, vaultTransit } from 'hardware-aes-gcm/kms'
import { describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'
import { answering, CALLS, failure, KEYSET, NAME, SERVICES, type Service } from './each.js'
import { aws, crc32c, google, type Request, vault } from './services.js'

const PATIENT = { timeout: 5000 }

describe.each(Object.keys(SERVICES) as Service[])('%s', service => {
  const make = SERVICES[service]

  test('a keyset comes back, and only in its context', async () => {
    const keyring = Keyring.generate()
    const { wrap, unwrap } = make('users', {}, PATIENT)
    const encrypted = await keyring.wrap(wrap)
    const same = await Keyring.unwrap(encrypted, unwrap)
    expect(same.openText(keyring.sealText('text', 'aad'), 'aad')).toBe('text')
    const other = await failure(make('orders').unwrap(await wrap(KEYSET)))
    expect(other.code).toBe(
      service === 'Azure Key Vault' ? 'ERR_AESGCM_AUTHENTICATION_FAILED' : 'ERR_AESGCM_KEY_SERVICE',
    )
  })

  test('a service that fails: the error names it, and keeps the cause', async () => {
    const cause = Object.assign(new Error('with a secret'), { name: 'AccessDeniedException' })
    const broken = answering(service, () => {
      throw cause
    })
    const { wrap, unwrap } = make(
      'users',
      service === 'Vault' ? { fetch: () => Promise.reject(cause) } : broken,
    )
    const wrapped = await make('users').wrap(KEYSET)
    for (const promise of [wrap(KEYSET), unwrap(wrapped)]) {
      const found = await failure(promise)
      expect(found).toMatchObject({ code: 'ERR_AESGCM_KEY_SERVICE', cause })
      expect(found.message).toMatch(new RegExp(`^${service} failed at \\w+: AccessDeniedException$`))
    }
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty object', {}],
    ['an empty array', []],
    ['an array of null', [null]],
    ['a string', 'garbage'],
    ['no bytes', { CiphertextBlob: 'x', Plaintext: 1, result: [], data: { ciphertext: 7, plaintext: null } }],
    [
      'empty bytes',
      {
        CiphertextBlob: new Uint8Array(0),
        Plaintext: new Uint8Array(0),
        result: new Uint8Array(0),
        data: { ciphertext: '', plaintext: '' },
      },
    ],
    ['bytes of another kind', { data: { ciphertext: 'garbage', plaintext: 'not base64!' } }],
  ])('a service that answers garbage: %s', async (_, answer) => {
    const wrapped = await make('users').wrap(KEYSET)
    const { wrap, unwrap } = make(
      'users',
      answering(service, () => answer),
    )
    for (const promise of [wrap(KEYSET), unwrap(wrapped)])
      expect(await failure(promise)).toMatchObject({ code: 'ERR_AESGCM_KEY_SERVICE', cause: undefined })
  })

  test('a service that is slow, and a signal', async () => {
    let aborted = 0
    const [encrypt, decrypt] = CALLS[service]
    const never = (...given: unknown[]) => {
      const { signal, abortSignal } = (given.at(-1) ?? {}) as Record<string, AbortSignal | undefined>
      ;(signal ?? abortSignal)?.addEventListener('abort', () => aborted++)
      return new Promise(() => {})
    }
    const slow = { [encrypt]: never, [decrypt]: never }
    const late = await failure(make('users', slow, { timeout: 5 }).wrap(KEYSET))
    expect(late).toMatchObject({
      code: 'ERR_AESGCM_KEY_SERVICE',
      message: expect.stringMatching(new RegExp(`^${service} did not answer \\w+ within 5 ms$`)),
    })
    const controller = new AbortController()
    const { wrap } = make('users', slow, { signal: controller.signal })
    const running = failure(wrap(KEYSET))
    controller.abort('enough')
    expect(await running).toMatchObject({ code: 'ABORT_ERR', cause: 'enough' })
    expect(await failure(wrap(KEYSET))).toMatchObject({ code: 'ABORT_ERR' })
    // Google's client accepts a time, and no signal.
    expect(aborted).toBe(service === 'Google Cloud KMS' ? 0 : 2)
  })

  test('wrong arguments and options', async () => {
    const { wrap, unwrap } = make('users')
    for (const call of [wrap, unwrap] as KeysetWrapping['wrap'][])
      for (const value of ['text', null, [1]])
        expect((await failure(call(value as never))).code).toBe('ERR_INVALID_ARG_TYPE')
    for (const [more, code] of [
      [{ timeout: 0 }, 'ERR_OUT_OF_RANGE'],
      [{ timeout: '1' }, 'ERR_INVALID_ARG_TYPE'],
      [{ signal: {} }, 'ERR_INVALID_ARG_TYPE'],
      [{ unknown: 1 }, 'ERR_INVALID_ARG_VALUE'],
    ] as const)
      expect(() => make('users', {}, more)).toThrow(expect.objectContaining({ code }))
    expect(() => make('')).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE' }))
    expect(() => make('\ud800')).toThrow(expect.anything())
  })

  test('a Proxy that was revoked', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const revoked = expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' })
    const calls: Record<Service, () => unknown> = {
      'AWS KMS': () => awsKms(proxy as never, { keyId: 'k', encryptionContext: { a: 'b' } }),
      'Google Cloud KMS': () => googleKms(proxy as never, { name: NAME, context: 'users' }),
      'Azure Key Vault': () => azureKeyVault(proxy as never, { algorithm: 'A256KW', context: 'users' }),
      Vault: () => vaultTransit(proxy as never),
    }
    expect(calls[service]).toThrow(revoked)
    if (service === 'AWS KMS')
      expect(() => awsKms(aws() as never, { keyId: 'k', encryptionContext: proxy })).toThrow(revoked)
  })

  test('a keyset that is too long is refused before the service is called', async () => {
    const limits = { 'AWS KMS': 4096, 'Google Cloud KMS': 65_536, 'Azure Key Vault': 2 ** 21, Vault: 2 ** 21 }
    const [encrypt] = CALLS[service]
    let calls = 0
    const { wrap } = make('users', { [encrypt]: () => Promise.reject(new Error(`call ${++calls}`)) })
    const most = limits[service]
    expect(await failure(wrap(Buffer.alloc(most + 1)))).toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
      message: expect.stringContaining(`has ${most + 1} bytes, and ${service} encrypts at most ${most}`),
    })
    expect(calls).toBe(0)
    await failure(wrap(Buffer.alloc(most)))
    expect(calls).toBe(1)
  })
})

describe('AWS KMS', () => {
  test('40 keys fit, and the key is named at decryption, too', async () => {
    const keyring = Keyring.generate()
    for (let i = 1; i < 40; i++) keyring.add({ key: Buffer.alloc(32, i) })
    const seen: unknown[] = []
    const client = aws()
    const { wrap, unwrap } = awsKms(
      {
        encrypt: async (input, options) => {
          seen.push(input.KeyId, input.EncryptionContext, options.abortSignal)
          return await client.encrypt(input)
        },
        decrypt: async input => {
          seen.push(input.KeyId, input.EncryptionContext)
          return await client.decrypt(input)
        },
      },
      { keyId: 'alias/app', encryptionContext: { keyset: 'users' } },
    )
    const same = await Keyring.unwrap(await keyring.wrap(wrap), unwrap)
    expect(same.keys.length).toBe(40)
    const context = { keyset: 'users' }
    expect(seen).toEqual(['alias/app', context, expect.any(AbortSignal), 'alias/app', context])
  })

  test('a client without the functions, and a context of nothing', () => {
    const options = { keyId: 'k', encryptionContext: { a: 'b' } }
    expect(() => awsKms({ send() {} } as never, options)).toThrow(
      /must have the function encrypt, as a KMS of/,
    )
    expect(() => awsKms(null as never, options)).toThrow(TypeError)
    for (const encryptionContext of [{}, { a: '' }, { a: 1 }, null, 'users'])
      expect(() => awsKms(aws() as never, { keyId: 'k', encryptionContext } as never)).toThrow(TypeError)
  })
})

describe('Google Cloud KMS', () => {
  test('CRC-32C is that of RFC 3720', async () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283)
    const { wrap } = SERVICES['Google Cloud KMS']('users')
    // The stand-in verifies the checksums by its own table.
    for (const length of [1, 7, 300]) await wrap(Buffer.alloc(length, 0xa5))
  })

  test.each(['verifiedPlaintextCrc32c', 'verifiedAdditionalAuthenticatedDataCrc32c', 'ciphertextCrc32c'])(
    'an answer without %s, or with another one',
    async name => {
      for (const value of [undefined, false, { value: '1' }, { value: null }]) {
        const encrypt = async (request: never) => {
          const [response] = (await google().encrypt(request)) as [object]
          return [{ ...response, [name]: value }]
        }
        const { wrap } = SERVICES['Google Cloud KMS']('users', { encrypt })
        expect((await failure(wrap(KEYSET))).code).toBe('ERR_AESGCM_KEY_SERVICE')
      }
    },
  )

  test('a plaintext that was changed on its way', async () => {
    const service = google()
    const decrypt = async (request: never) => {
      const [response] = (await service.decrypt(request)) as [{ plaintext: Buffer }]
      response.plaintext[3] = (response.plaintext[3] as number) ^ 1
      return [response]
    }
    const wrapped = await SERVICES['Google Cloud KMS']('users').wrap(KEYSET)
    expect((await failure(SERVICES['Google Cloud KMS']('users', { decrypt }).unwrap(wrapped))).message).toBe(
      'Google Cloud KMS answered decrypt with bytes that do not match their checksum',
    )
  })
})

describe("Google's errors with the request, and so with the keyset", () => {
  const error = () =>
    Object.assign(new Error('of the client'), { config: { data: KEYSET }, response: KEYSET })
  const frozen = () => Object.freeze(error())
  test.each([
    ['rejected', async () => Promise.reject(error()), true],
    [
      'thrown at once',
      () => {
        throw error()
      },
      true,
    ],
    ['frozen, rejected', async () => Promise.reject(frozen()), false],
    [
      'frozen, thrown at once',
      () => {
        throw frozen()
      },
      false,
    ],
  ])('%s', async (_, call, isCause) => {
    const { wrap, unwrap } = SERVICES['Google Cloud KMS']('users', { encrypt: call, decrypt: call })
    for (const promise of [wrap(KEYSET), unwrap(KEYSET)]) {
      const found = await failure(promise)
      expect([found.code, found.cause !== undefined]).toEqual(['ERR_AESGCM_KEY_SERVICE', isCause])
      expect(found.message).toMatch(/^Google Cloud KMS failed at (en|de)crypt(: Error)?$/)
      for (const name of ['config', 'response']) expect(found.cause ?? {}).not.toHaveProperty(name)
    }
  })
})

describe('Azure Key Vault', () => {
  test('every bit of a wrapped keyset counts', async () => {
    const { wrap, unwrap } = SERVICES['Azure Key Vault']('users')
    const wrapped = Buffer.from(await wrap(KEYSET))
    for (let bit = 0; bit < 8 * wrapped.length; bit++) {
      const wrong = Buffer.from(wrapped)
      wrong[bit >> 3] = (wrong[bit >> 3] as number) ^ (1 << (bit & 7))
      expect((await failure(unwrap(wrong))).code).toMatch(/^ERR_AESGCM_/)
    }
    for (const length of [0, 1, 3, 40, wrapped.length - 1])
      expect((await failure(unwrap(wrapped.subarray(0, length)))).code).toMatch(/^ERR_AESGCM_/)
  })
})

describe('Vault', () => {
  test('address, mount, key, namespace and token', async () => {
    const seen: Request[] = []
    let number = 0
    const token = async () => `hvs.${++number}`
    const options = { ...vault(seen), address: 'https://vault.example/base/', key: 'a/b', token }
    const { wrap, unwrap } = vaultTransit({ ...options, mount: 'teams/transit', namespace: 'n' } as never)
    await unwrap(await wrap(KEYSET))
    expect(seen).toEqual(
      ['encrypt', 'decrypt'].map((operation, i) => ({
        url: `https://vault.example/base/v1/teams/transit/${operation}/a%2Fb`,
        headers: {
          'Content-Type': 'application/json',
          'X-Vault-Request': 'true',
          'X-Vault-Token': `hvs.${i + 1}`,
          'X-Vault-Namespace': 'n',
        },
      })),
    )
  })

  test("Vault's own words are in the cause", async () => {
    const { wrap } = SERVICES.Vault('users')
    const found = await failure(SERVICES.Vault('orders').unwrap(await wrap(KEYSET)))
    expect(found.message).toBe('Vault failed at decrypt: HTTP_400')
    expect(String(found.cause)).toBe('HTTP_400: HTTP 400: cipher: message authentication failed')
  })

  test('the token goes nowhere in the clear, except on this machine', () => {
    const at = (address: unknown) => () => vaultTransit({ ...vault(), address } as never)
    for (const address of [
      'http://vault.example',
      'ftp://vault.example',
      'vault',
      'http://127.0.0.1.example',
      '',
    ])
      expect(at(address)).toThrow(TypeError)
    for (const address of [
      'http://127.0.0.1:8200',
      'http://localhost:8200',
      'http://[::1]:8200',
      'https://v',
    ])
      expect(at(address)).not.toThrow()
    for (const address of ['https://user:hunter2@vault.example', 'https://hunter2@vault.example'])
      expect(refuses(at(address), 'ERR_INVALID_ARG_VALUE').message).not.toContain('hunter2')
    expect(() => vaultTransit({ ...vault(), token: '' } as never)).toThrow(TypeError)
    expect(() => vaultTransit({ ...vault(), fetch: 1 } as never)).toThrow(TypeError)
  })

  test.each(['hvs.to\nken', 'hvs.token\n', 'hvs to', 'hvs.\u00e9', '', undefined, null, 7])(
    'a token that no header can contain is never sent or shown: %j',
    async token => {
      const seen: Request[] = []
      if (typeof token === 'string') {
        const made = () => vaultTransit({ ...vault(seen), token } as never)
        expect(made).toThrow(
          expect.objectContaining({
            code: 'ERR_INVALID_ARG_VALUE',
            message: '"options.token" must be visible ASCII characters, without blanks and line breaks',
          }),
        )
      }
      const { wrap } = vaultTransit({ ...vault(seen), token: async () => token } as never)
      expect(await failure(wrap(KEYSET))).toEqual({
        code: 'ERR_AESGCM_KEY_SERVICE',
        message:
          'the function "options.token" must return visible ASCII characters, without blanks and line breaks',
        cause: undefined,
      })
      expect(seen).toEqual([])
    },
  )

  test.each([{ key: '.' }, { key: '..' }, { mount: '..' }, { mount: 'a/../b' }, { mount: './a' }])(
    'a segment that a URL would resolve: %j',
    change => {
      expect(() => vaultTransit({ ...vault(), ...change } as never)).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE' }),
      )
    },
  )

  test('a server that ignores the context, and says so', async () => {
    const { fetch } = vault()
    const warning = 'Endpoint ignores these unrecognized parameters: [associated_data]'
    const warned = (warnings: unknown) =>
      SERVICES.Vault('users', {
        fetch: async (url: string, init: never) => {
          const response = await fetch(url, init)
          const text = async () => JSON.stringify({ ...JSON.parse(await response.text()), warnings })
          return { ...response, text }
        },
      })
    for (const warnings of [[warning], ['other', warning]])
      expect(await failure(warned(warnings).wrap(KEYSET))).toMatchObject({
        code: 'ERR_AESGCM_KEY_SERVICE',
        message: 'Vault answered encrypt without the context: its version ignores associated_data',
      })
    for (const warnings of [null, [], ['other'], [7]]) {
      const { wrap, unwrap } = warned(warnings)
      expect(Buffer.from(await unwrap(await wrap(KEYSET)))).toEqual(KEYSET)
    }
  })
})
