// Keyrings that follow a keyset of a key service: whatever the service does, the last good keyset stays, and no error has a secret.
import { inspect } from 'node:util'
import { followKeyset, Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { answering, CALLS, SERVICES, type Service } from './each.js'

/** What an error must not contain: Vault's token, and the bytes of keys in the forms in which they pass through JSON. */
const TOKEN = 'hvs.token'
const formsOf = (keyring: Keyring) =>
  (JSON.parse(keyring.export()).key as { keyData: { value: string } }[]).flatMap(({ keyData }) => {
    const key = Buffer.from(keyData.value, 'base64').subarray(2)
    return [key.toString('base64').slice(0, 40), key.toString('hex'), key.toString('latin1'), [...key].join()]
  })

describe.each(Object.keys(SERVICES) as Service[])('%s', service => {
  const make = SERVICES[service]
  const never = () => new Promise(() => {})
  const [encrypt, decrypt] = CALLS[service]
  const down = Object.assign(new Error('connect ECONNREFUSED'), {
    name: 'NetworkError',
    code: 'ECONNREFUSED',
  })
  const isDown = { [encrypt]: () => Promise.reject(down), [decrypt]: () => Promise.reject(down) }
  const isSlow = { [encrypt]: never, [decrypt]: never }

  test('is down, slow, answers garbage, or answers another keyset: nothing changes', async () => {
    const keyring = Keyring.generate()
    const { wrap, unwrap } = make('users')
    const elsewhere = Keyring.generate()
    const first = await keyring.wrap(wrap)
    let text = first
    let use = unwrap
    const load = () => text
    const options = { load, unwrap: (wrapped: Uint8Array) => use(wrapped), interval: 0, onError() {} }
    const followed = await followKeyset(options)
    const before = followed.keyring.export()
    keyring.add({ key: Buffer.alloc(32, 7) })
    const second = await keyring.wrap(wrap)
    const others = await elsewhere.wrap(wrap)
    const secrets = [TOKEN, ...formsOf(keyring), ...formsOf(elsewhere)]

    const wrong: [string, string, string, typeof unwrap?][] = [
      ['ERR_AESGCM_KEY_SERVICE', `${service} failed at `, second, make('users', isDown).unwrap],
      [
        'ERR_AESGCM_KEY_SERVICE',
        `${service} did not answer `,
        second,
        make('users', isSlow, { timeout: 5 }).unwrap,
      ],
      [
        'ERR_AESGCM_KEY_SERVICE',
        `${service} answered `,
        second,
        make(
          'users',
          answering(service, () => ({ data: {} })),
        ).unwrap,
      ],
      // A keyset that somebody puts in the place of this one: that of another context, and another one of this context.
      service === 'Azure Key Vault'
        ? ['ERR_AESGCM_AUTHENTICATION_FAILED', '', await elsewhere.wrap(make('orders').wrap)]
        : ['ERR_AESGCM_KEY_SERVICE', `${service} failed at `, await elsewhere.wrap(make('orders').wrap)],
      ['ERR_AESGCM_OLDER_KEYSET', 'the keyset is older', others],
    ]
    for (const [code, beginning, given, wrongUnwrap = unwrap] of wrong) {
      text = given
      use = wrongUnwrap
      expect(await followed.refresh()).toBe(false)
      const error = followed.lastError as Error & { code: string }
      expect([error.code, error.message.slice(0, beginning.length)]).toEqual([code, beginning])
      const all = inspect(error, { depth: 9, showHidden: true })
      expect(secrets.filter(secret => all.includes(secret))).toEqual([])
      expect(followed.keyring.export()).toBe(before)
    }
    text = second
    use = unwrap
    expect([await followed.refresh(), followed.lastError, followed.keyring.keys.length]).toEqual([
      true,
      null,
      2,
    ])
  })
})
