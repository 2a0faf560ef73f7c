// Google's and Azure's own clients, and fetch to Vault, against stand-ins that answer as documented, and then fail in each way.
import assert from 'node:assert/strict'
import { followKeyset, Keyring } from 'hardware-aes-gcm/keyring'
import { shows } from './shown.mjs'
import { SERVICES, StandIn, TOKEN } from './stand-ins.mjs'

const PATIENCE = 400
const GARBAGE = [
  '',
  'garbage',
  '<html>503</html>',
  '{}',
  'null',
  '[]',
  '7',
  '{"plaintext":7,"ciphertext":7,"value":7,"data":7}',
  '{"plaintext":"","ciphertext":"","value":"","data":{"plaintext":"","ciphertext":""}}',
  '{"plaintext":"AAAA","ciphertext":"AAAA","value":"AAAA","data":{"plaintext":"AAAA","ciphertext":"AAAA"}}',
]
const CODE = 'ERR_AESGCM_KEY_SERVICE'

/** `leak` is added to each error, as a planted fault. */
export async function* others(leak = () => {}) {
  for (const name of Object.keys(SERVICES)) {
    const server = new StandIn(name)
    try {
      yield await service(name, server, leak)
    } finally {
      await server.close()
    }
  }
}

async function service(name, server, leak) {
  const port = await server.listen()
  const { wrap, unwrap } = SERVICES[name].wrapping(port, 'users', 10_000)
  const hasty = SERVICES[name].wrapping(port, 'users', PATIENCE)
  let errors = 0

  /** The failure of a call, in which no secret may be, however deeply a log looks. */
  const failure = async promise => {
    const error = await promise.then(
      () => assert.fail(`${name}: nothing failed`),
      error => error,
    )
    leak(error, server)
    assert.ok(!shows(error, [TOKEN, ...server.seen]), `${name}: a secret in ${error.message}`)
    errors++
    return error
  }
  const failsAs = async (promise, pattern, code = CODE) => {
    const error = await failure(promise)
    assert.deepEqual([error.code, pattern.test(error.message)], [code, true], `${name}: ${error.message}`)
    return error
  }

  const keyring = Keyring.generate()
  const text = await keyring.wrap(wrap)
  assert.equal((await Keyring.unwrap(text, unwrap)).openText(keyring.sealText('text')), 'text')
  const elsewhere = SERVICES[name].wrapping(port, 'orders', 10_000)
  await failsAs(
    Keyring.unwrap(text, elsewhere.unwrap),
    ...(name === 'Azure Key Vault'
      ? [/./, 'ERR_AESGCM_AUTHENTICATION_FAILED']
      : [new RegExp(`^${name} failed at decrypt`)]),
  )

  let now = text
  const followed = await followKeyset({
    load: () => now,
    unwrap: hasty.unwrap,
    interval: 0,
    onError: () => {},
  })
  const before = followed.keyring.export()
  keyring.add({ key: Buffer.alloc(32, 0xd7) })
  now = await keyring.wrap(wrap)
  const refused = async (pattern, code) => {
    const turn = followed
      .refresh()
      .then(isTaken => (isTaken ? undefined : Promise.reject(followed.lastError)))
    await failsAs(turn, pattern, code)
    assert.equal(followed.keyring.export(), before)
  }

  server.mode = 'denied'
  await refused(new RegExp(`^${name} failed at \\w+`))
  await failsAs(hasty.wrap(Buffer.alloc(99, 0xd8)), new RegExp(`^${name} failed at \\w+`))
  server.mode = 'slow'
  await refused(new RegExp(`^${name} did not answer \\w+ within ${PATIENCE} ms$`))
  await failsAs(hasty.wrap(Buffer.alloc(99, 0xd8)), /did not answer/)
  for (const text of GARBAGE) {
    server.mode = { text }
    // Vault has no checksum, so these bytes are read as a keyset.
    if (name === 'Vault' && text.includes('AAAA'))
      await refused(/did not return a keyset/, 'ERR_AESGCM_INVALID_KEYSET')
    else await refused(new RegExp(`^${name} (failed at|answered) \\w+`))
    // Nobody can see that three bytes are no wrapped key.
    if (name !== 'Azure Key Vault' || !text.includes('AAAA'))
      await failsAs(hasty.wrap(Buffer.alloc(99, 0xd8)), new RegExp(`^${name} (failed at|answered) \\w+`))
  }
  // A service that mixes keysets up: Azure's holds keys, under which the frame of this keyset is not authentic.
  server.mode = { instead: name === 'Azure Key Vault' ? Buffer.alloc(32, 0xd9) : bytesOf(Keyring.generate()) }
  if (name === 'Azure Key Vault') await refused(/./, 'ERR_AESGCM_AUTHENTICATION_FAILED')
  else await refused(/^the keyset is older/, 'ERR_AESGCM_OLDER_KEYSET')

  await server.close()
  await refused(new RegExp(`^${name} (failed at|did not answer) \\w+`))
  const down = await failsAs(hasty.wrap(Buffer.alloc(99, 0xd8)), new RegExp(`^${name} `))
  assert.ok(down.cause !== undefined || /did not answer/.test(down.message))
  return `${name}, a stand-in: a keyset there and back, ${errors} failures without a secret, and the last good keyset stays`
}

/** A keyset as the service got it. */
function bytesOf(keyring) {
  let bytes
  keyring.wrap(keyset => {
    bytes = Buffer.from(keyset)
    return Buffer.alloc(1)
  })
  return bytes
}

/** The proof above must fail if the errors of a client have its request, as those of Google's in REST mode do. */
export async function requestInError() {
  const spoil = (error, { seen }) =>
    Object.assign(error, { cause: { config: { body: seen.at(-1)?.toString('base64') } } })
  try {
    for await (const _ of others(spoil));
  } catch (error) {
    if (/a secret in/.test(error.message)) return error.message
    throw error
  }
  return undefined
}
