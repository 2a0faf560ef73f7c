// awsKms through AWS's client, against moto's server, and every way in which a service fails.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env, execPath } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { followKeyset, Keyring } from 'hardware-aes-gcm/keyring'
import { awsKms } from 'hardware-aes-gcm/kms'
import { pypi } from '../../scripts/pypi.mjs'
import { root } from '../../scripts/tools.mjs'
import { CLIENTS } from './clients.mjs'
import { shows } from './shown.mjs'

const [COMMAND, PROGRAM] = [
  join(root, 'dist/cli/main.cjs'),
  fileURLToPath(new URL('program.mjs', import.meta.url)),
]
const CONTEXT = { keyset: 'users' }
const OTHER_CONTEXT = 'the keyset opened in another context'

/** A client of the server at a port. Without retries, or a server that is down would be waited for. */
export function clientOf(port) {
  const { KMS } = createRequire(join(CLIENTS(), 'x'))('@aws-sdk/client-kms')
  return new KMS({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'check', secretAccessKey: 'check' },
    maxAttempts: 1,
  })
}

/** Runs `work` with the port of a server, which then ends. */
async function withMoto(work) {
  const port = await freePort()
  const server = spawn('python3', ['-m', 'moto.server', '-p', String(port)], {
    env: { ...env, PYTHONPATH: pypi('checks/kms/moto.txt'), PYTHONDONTWRITEBYTECODE: '1' },
    stdio: 'ignore',
  })
  const ended = once(server, 'exit')
  try {
    for (let tries = 0; ; tries++) {
      if (server.exitCode !== null || tries === 600) throw new Error("moto's server did not start")
      const answers = await fetch(`http://127.0.0.1:${port}/moto-api/`).then(
        () => true,
        () => false,
      )
      if (answers) break
      await sleep(100)
    }
    return await work(port, async () => {
      server.kill('SIGKILL')
      await ended
    })
  } finally {
    server.kill('SIGKILL')
    await ended
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

const failure = (promise, what = 'nothing failed') =>
  promise.then(
    () => assert.fail(what),
    error => error,
  )

/** `spoiled` makes the client that awsKms gets. */
export async function* live(spoiled = client => client) {
  yield await withMoto(async (port, stop) => {
    const own = clientOf(port)
    const client = spoiled(own)
    const keys = []
    for (let i = 0; i < 2; i++) keys.push((await own.createKey({})).KeyMetadata.KeyId)
    const { wrap, unwrap } = awsKms(client, { keyId: keys[0], encryptionContext: CONTEXT })
    const keyring = Keyring.generate()
    const text = await keyring.wrap(wrap)
    const same = await Keyring.unwrap(text, unwrap)
    assert.equal(same.openText(keyring.sealText('text')), 'text')

    const refused = async (options, name, opened) => {
      const error = await failure(Keyring.unwrap(text, awsKms(client, options).unwrap), opened)
      assert.equal(error.code, 'ERR_AESGCM_KEY_SERVICE')
      assert.match(error.message, new RegExp(`^AWS KMS failed at decrypt: ${name}$`))
      assert.equal(error.cause.name, name)
    }
    const other = { keyId: keys[0], encryptionContext: { keyset: 'orders' } }
    await refused(other, 'InvalidCiphertextException', OTHER_CONTEXT)
    await refused({ keyId: 'alias/missing', encryptionContext: CONTEXT }, 'NotFoundException')
    assert.equal((await failure(wrap(Buffer.alloc(4097)))).code, 'ERR_OUT_OF_RANGE')
    await unwrap(await wrap(Buffer.alloc(4096, 7)))

    const changed = commands(port, keys[0])
    assert.equal((await Keyring.unwrap(changed, unwrap)).keys.length, 2)

    // Somebody puts another keyset of the same context in its place.
    let now = text
    const followed = await followKeyset({ load: () => now, unwrap, interval: 0, onError: () => {} })
    now = await Keyring.generate().wrap(wrap)
    assert.deepEqual([await followed.refresh(), followed.lastError?.code], [false, 'ERR_AESGCM_OLDER_KEYSET'])

    await stop()
    let keyset
    const kept = bytes => {
      keyset = Buffer.from(bytes)
      return wrap(bytes)
    }
    for (const promise of [unwrap(Buffer.alloc(99)), keyring.wrap(kept)]) {
      const down = await failure(promise)
      assert.deepEqual([down.code, down.cause.code], ['ERR_AESGCM_KEY_SERVICE', 'ECONNREFUSED'])
      assert.ok(!shows(down, [keyset]), 'a key in an error')
    }
    return "AWS's client and moto's server: a keyset there and back, 4 refusals, 4 commands by --unwrap and --wrap, another keyset, and a server that is down"
  })
  yield await slowAndGarbage()
}

/** A keyset that the command makes and changes through a program that calls the service. */
function commands(port, key) {
  const folder = mkdtempSync(join(tmpdir(), 'kms-'))
  try {
    const program = direction => `'${execPath}' '${PROGRAM}' ${direction} ${port} ${key}`
    const both = ['--wrap', program('encrypt'), '--unwrap', program('decrypt')]
    const run = (...args) =>
      execFileSync(execPath, [COMMAND, 'keyset', ...args], { cwd: folder, encoding: 'utf8' }).trim()
    run('new', 'keys', ...both)
    const id = run('add', 'keys', ...both)
    run('promote', 'keys', '--id', id, ...both)
    assert.ok(run('list', 'keys', ...both.slice(2)).includes(id))
    return readFileSync(join(folder, 'keys'), 'utf8')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Servers that never answer, or answer with something else than AWS does. */
async function slowAndGarbage() {
  let answer
  const server = createServer((_, response) => answer?.(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const options = { keyId: 'k', encryptionContext: CONTEXT, timeout: 300 }
    const { wrap, unwrap } = awsKms(clientOf(server.address().port), options)
    const slow = await failure(unwrap(Buffer.alloc(99)))
    assert.equal(slow.message, 'AWS KMS did not answer decrypt within 300 ms')
    const answers = [
      '',
      ...'garbage {} null [] {"Plaintext":7} {"Plaintext":""} {"CiphertextBlob":null}'.split(' '),
    ]
    for (const body of answers)
      for (const call of [wrap, unwrap]) {
        answer = response =>
          response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(body)
        assert.equal((await failure(call(Buffer.alloc(99)))).code, 'ERR_AESGCM_KEY_SERVICE')
      }
    return `AWS's client: a server that never answers, and ${answers.length} answers of garbage`
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** The proof above must fail with a client that drops the context: its keyset opens in another one. */
export async function contextLeftOut() {
  const without = client => ({
    encrypt: ({ EncryptionContext, ...input }, options) => client.encrypt(input, options),
    decrypt: ({ EncryptionContext, ...input }, options) => client.decrypt(input, options),
  })
  try {
    await live(without).next()
  } catch (error) {
    if (error.message === OTHER_CONTEXT) return error.message
    throw error
  }
  return undefined
}
