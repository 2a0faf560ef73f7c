// Runs the recipes of examples/keyring against SQLite, a web server and a stand-in of a key management service. checks/recipes runs them
// on other lines of Node.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { context, Keyring } from 'hardware-aes-gcm/keyring'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'

/** node:sqlite as it is, or its stand-in, without the warning that it is new. */
const NODE = ['--disable-warning=ExperimentalWarning', '--import', './__test__/documents/sqlite.mjs']

let folder: string
const started: ChildProcess[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recipes-'))
})
afterEach(() => {
  for (const child of started.splice(0)) child.kill()
  rmSync(folder, { recursive: true, maxRetries: 10 })
})

function node(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...NODE, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('a rotation in seven steps, while two servers run', () => {
  const { stdout, ...rest } = node('examples/keyring/rotation.mjs', folder)
  expect(rest).toEqual({ status: 0, stderr: '' })
  expect(stdout.split('\n')).toEqual([
    '0. 250 rows under the old key',
    expect.stringMatching(/^1\. add: /),
    expect.stringMatching(/^2\. deploy: /),
    expect.stringMatching(/^3\. promote, .* the second opens late@example\.org$/),
    '4. rewrite: 0 rows did not open',
    '5. count: 0 rows under the old key, 251 under the new one',
    '6. disable, and deploy: all 251 rows open without the old key',
    expect.stringMatching(/^7\. delete: one key is left; /),
    '',
  ])
  // The database holds no address.
  expect(readFileSync(join(folder, 'users.db'), 'latin1')).not.toContain('@example')
  expect(Keyring.parse(readFileSync(join(folder, 'keys.json'), 'utf8')).keys).toHaveLength(1)
})

test('a key management service is asked once for a start, and not for a value', () => {
  const stdout = 'opened 1000 values: sk_live_1234; 2 calls of the service\n2 keys\n'
  expect(node('examples/keyring/kms.mjs', folder)).toEqual({ status: 0, stdout, stderr: '' })
  expect(
    JSON.parse(readFileSync(join(folder, 'keys.encrypted.json'), 'utf8')).keysetInfo.keyInfo,
  ).toHaveLength(2)
})

describe('a cookie', () => {
  const OLD = { id: 6, key: Buffer.alloc(32, 6) }
  const NEW = { id: 0x77777777, key: Buffer.alloc(32, 7) }

  /** Starts the server with these keys; gives what it answers to a request with a cookie. */
  async function serving(keyring: Keyring) {
    const file = join(folder, 'keys')
    writeFileSync(file, keyring.export())
    const child = spawn(process.execPath, ['examples/keyring/cookie.mjs', file], { cwd: ROOT })
    started.push(child)
    const [address] = (await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', text => resolve(String(text)))
      child.stderr.on('data', text => reject(new Error(String(text))))
    }).then(text => text.split('\n'))) as [string]
    return (path: string, cookie?: string) =>
      new Promise<{
        status: number | undefined
        text: string
        cookie: string | undefined
        attributes: string
      }>((resolve, reject) => {
        const headers = cookie === undefined ? {} : { cookie: `theme=dark; __Host-session=${cookie}` }
        get(`${address}${path}`, { headers, agent: false }, response => {
          let text = ''
          response.on('data', chunk => (text += chunk))
          response.on('end', () => {
            const [set = ''] = response.headers['set-cookie'] ?? []
            const [, value, attributes = ''] = /^__Host-session=([\w-]+); (.*)$/.exec(set) ?? []
            resolve({ status: response.statusCode, text, cookie: value, attributes })
          })
        }).on('error', reject)
      })
  }

  test('is set, read, and refused where it was changed, or made for something else', async () => {
    const keyring = new Keyring([OLD])
    const ask = await serving(keyring)
    const { cookie = '', attributes } = await ask('/login?user=ada')
    expect(attributes).toBe('Max-Age=3600; Path=/; HttpOnly; Secure; SameSite=Lax')
    expect(await ask('/', cookie)).toMatchObject({ status: 200, text: 'hello ada\n', cookie: undefined })
    const value = JSON.stringify({ user: 'eve', expires: Date.now() + 1e6 })
    const old = JSON.stringify({ user: 'eve', expires: Date.now() - 1 })
    for (const wrong of [
      undefined,
      'AQ',
      `${cookie.slice(0, 50)}${cookie[50] === 'A' ? 'B' : 'A'}${cookie.slice(51)}`,
      keyring.sealText(value),
      keyring.sealText(value, context('users', 'session')),
      keyring.sealText(old, context('cookie', 'session')),
    ]) {
      expect(await ask('/', wrong)).toMatchObject({ status: 401, text: 'log in first\n', cookie: undefined })
    }
    expect(await ask('//')).toMatchObject({ status: 400 })
    expect(await ask('/', keyring.sealText(value, context('cookie', 'session')))).toMatchObject({
      text: 'hello eve\n',
    })
  })

  test('of an older key is set anew', async () => {
    const ask = await serving(new Keyring([NEW, OLD]))
    const session = JSON.stringify({ user: 'ada', expires: Date.now() + 1e6 })
    const cookie = new Keyring([OLD]).sealText(session, context('cookie', 'session'))
    const answer = await ask('/', cookie)
    expect(answer).toMatchObject({ status: 200, text: 'hello ada\n' })
    expect(new Keyring([NEW]).openText(answer.cookie as string, context('cookie', 'session'))).toContain(
      '"ada"',
    )
  })
})
