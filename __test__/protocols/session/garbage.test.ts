// Runs examples/websocket, the guide's servers and the example of SecureStream beside peers that send garbage, that
// are silent, or that have another secret. Regression: the example of Handshake ended a server by one message. A program must
// survive all of them, and a server must still serve those who know the secret.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { ROOT } from '../../tools/support.js'

const folder = mkdtempSync(join(tmpdir(), 'session-websocket-'))
const secret = join(folder, 'secret')
writeFileSync(secret, randomFillSync(Buffer.alloc(32)))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 10 }))

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill()
})

/** A program of Node in the root of the repository, and all that it prints. */
function program(...args: string[]) {
  const child = spawn(process.execPath, args, { cwd: ROOT })
  children.push(child)
  const run = { child, text: '', over: once(child, 'close') as Promise<[number | null]> }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (run.text += chunk))
  return run
}

/** Waits until the program has printed this so many times. */
const printed = (run: { text: string }, what: string, times = 1) =>
  vi.waitFor(() => expect(run.text.split(what).length, run.text).toBe(times + 1), { timeout: 20_000 })

const script = (source: string) => program('--input-type=module', '-e', source)

async function portOf(server: ReturnType<typeof program>): Promise<string> {
  await printed(server, 'port ')
  return server.text.match(/port (\d+)/)?.[1] ?? ''
}

/** Peers that do not know the secret, each on a connection of its own, until the server has closed all. Prints their number. */
const attack = (port: string) => `
  import { randomBytes } from 'node:crypto'
  import { connect } from 'node:net'
  import { WebSocket } from 'ws'
  import { Handshake } from 'hardware-aes-gcm/session'
  const stranger = () => new Handshake({ secret: randomBytes(32), role: 'initiator' })
  const attacks = [
    ['garbage'], [Buffer.alloc(0)], [randomBytes(42)], [randomBytes(5000)], ['', ''], [Buffer.alloc(2 ** 21)], [],
    [stranger().hello], [stranger().hello, randomBytes(60)], [stranger().hello, ''], [stranger().hello, stranger().hello],
    ['own', 'own'],
  ]
  await Promise.all(attacks.map(messages => new Promise(resolve => {
    const webSocket = new WebSocket('ws://127.0.0.1:${port}')
    let hello
    webSocket.on('error', () => {})
    webSocket.on('close', resolve)
    webSocket.once('message', message => {
      hello = message
      for (const message of messages) webSocket.send(message === 'own' ? hello : message)
    })
  })))
  const half = stranger()
  await new Promise(resolve => {
    const webSocket = new WebSocket('ws://127.0.0.1:${port}')
    webSocket.on('error', () => {})
    webSocket.on('close', resolve)
    webSocket.once('message', hello => {
      webSocket.send(half.hello)
      webSocket.send(half.finish(hello).writer.seal(Buffer.from('of a stranger')))
    })
  })
  await new Promise(resolve => connect(${port}, '127.0.0.1').on('error', () => {}).on('close', resolve).resume().end(randomBytes(99)))
  console.log('attacks: ' + (attacks.length + 1))`

async function attacked(port: string): Promise<number> {
  const run = script(attack(port))
  expect(await run.over, run.text).toEqual([0, null])
  return Number(run.text.match(/attacks: (\d+)/)?.[1])
}

test('the example of WebSockets: messages come back, and a server survives garbage', async () => {
  const server = program('examples/websocket/server.mjs', secret)
  const port = await portOf(server)
  const talk = async (...messages: string[]) => {
    const client = program('examples/websocket/client.mjs', secret, port, ...messages)
    expect(await client.over, client.text).toEqual([0, null])
    return client.text
  }
  expect(await talk('attack', 'at dawn')).toBe('client: attack\nclient: at dawn\n')
  expect(await talk()).toBe('')
  const attacks = await attacked(port)
  expect(attacks).toBeGreaterThan(10)
  expect(await talk('', 'once more')).toBe('client: \nclient: once more\n')
  await printed(server, 'a client has ended', 3)
  const failures = server.text
    .trim()
    .split('\n')
    .slice(1)
    .filter(line => line !== 'server: a client has ended')
  expect(failures, server.text).toHaveLength(attacks)
  for (const line of failures)
    expect(line).toMatch(/^server: (ERR_AESGCM_HANDSHAKE_FAILED|WS_ERR_|the handshake took too long)/)
  expect(server.child.exitCode).toBe(null)
})

test('the example of WebSockets: a client whose server has another secret fails', async () => {
  const other = join(folder, 'other')
  writeFileSync(other, randomFillSync(Buffer.alloc(32)))
  const server = program('examples/websocket/server.mjs', other)
  const client = program('examples/websocket/client.mjs', secret, await portOf(server), 'attack at dawn')
  expect((await client.over)[0], client.text).toBe(1)
  expect(client.text).toMatch(/^client: (ERR_AESGCM_HANDSHAKE_FAILED|the peer went away)\n$/)
  expect(server.child.exitCode).toBe(null)
})

/** The code of the example above a declaration of types/session.d.ts. */
function exampleOf(declaration: string): string {
  const [before] = readFileSync(`${ROOT}types/session.d.ts`, 'utf8').split(
    `export declare class ${declaration} `,
  )
  const comment = before?.slice(before.lastIndexOf('@example')) ?? ''
  return comment.replace(/^@example$|^ \*\/?/gm, '').replace(/^ @remarks[\s\S]*/m, '')
}

test('the server of the guide: messages come back, and it survives garbage', async () => {
  const guide = readFileSync(`${ROOT}docs/guide/sessions.md`, 'utf8')
  const block = /```js\n([^`]*WebSocketServer[^`]*)```/.exec(guide)?.[1] ?? ''
  const example = block
    .replaceAll(/^import.*\n/gm, '')
    .replace(/^const secret = .*\n/m, '')
    .replace('Number(process.env.PORT ?? 7000)', '0')
    .replace('10_000', '2_000')
  const server = script(`
    import { readFileSync } from 'node:fs'
    import * as ws from 'ws'
    import { Handshake } from 'hardware-aes-gcm/session'
    const secret = readFileSync(${JSON.stringify(secret)})
    class WebSocketServer extends ws.WebSocketServer {
      constructor(options) {
        super({ ...options, host: '127.0.0.1' })
        this.on('listening', () => console.log('port ' + this.address().port))
      }
    }
    ${example}`)
  const port = await portOf(server)
  const attacks = await attacked(port)
  await printed(server, 'cut off', attacks)
  const client = program('examples/websocket/client.mjs', secret, port, 'attack at dawn')
  expect(await client.over, client.text).toEqual([0, null])
  expect(client.text).toBe('client: attack at dawn\n')
  expect(server.child.exitCode, server.text).toBe(null)
})

test("the guide's server of lines: it survives garbage, lines that are not JSON, and peers that are cut off", async () => {
  const guide = readFileSync(`${ROOT}docs/guide/sessions.md`, 'utf8')
  const [lines, client] = [...guide.matchAll(/```js\n(.*?)```/gs)].map(([, block]) => block as string)
  const before = (port: string) => `
    process.env.SESSION_SECRET = '07'.repeat(32)
    process.env.PORT = '${port}'\n`
  const server = script(`${before('0')}${lines}
    server.on('listening', () => console.log('port ' + server.address().port))`)
  const port = await portOf(server)
  const peers = script(`${before(port)}
    import { once } from 'node:events'
    import { connect } from 'node:net'
    import { secureStream } from 'hardware-aes-gcm/session'
    for (const bytes of ['garbage', Buffer.of(0, 42, 1), Buffer.alloc(2000)])
      await new Promise(resolve => connect(${port}).on('error', () => {}).on('close', resolve).resume().end(bytes))
    const secret = Buffer.alloc(32, 7)
    for (const line of ['not JSON\\n', '{}\\n', undefined]) {
      const socket = connect(${port})
      const stream = secureStream(socket, { secret, role: 'initiator' })
      stream.on('error', () => {}).resume()
      await once(stream, 'secure')
      line === undefined ? socket.end() : stream.write(line)
      await new Promise(resolve => stream.on('close', resolve))
    }`)
  expect(await peers.over, peers.text + server.text).toEqual([0, null])
  await printed(server, '\n', 7)
  expect(server.text).toMatch(
    /^port \d+\n(ERR_AESGCM_HANDSHAKE_FAILED\n){3}.*JSON.*\n.*undefined.*\nERR_AESGCM_\w+\n$/,
  )
  const asking = script(`${before(port)}${client}`)
  expect(await asking.over, asking.text).toEqual([0, null])
  expect(asking.text).toBe('ATTACK AT DAWN?\n')
  expect(server.child.exitCode, server.text).toBe(null)
})

test('the example of SecureStream: a client survives garbage, and a server that is silent', async () => {
  const client = script(`
    import { connect, createServer } from 'node:net'
    import { secureStream } from 'hardware-aes-gcm/session'
    const secret = Buffer.alloc(32, 7)
    for (const answer of ['garbage', Buffer.of(0, 42, 1), Buffer.alloc(2000), undefined]) {
      const server = createServer(socket => {
        socket.on('error', () => {})
        socket.resume()
        if (answer !== undefined) socket.write(answer)
      })
      await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address()
      await new Promise(resolve => {
        ${exampleOf('SecureStream').replace('7000', "port, '127.0.0.1'").replace('5000', '500')}
        stream.on('close', resolve)
      })
      server.close()
    }`)
  expect(await client.over, client.text).toEqual([0, null])
  // The two come through different pipes, so that their order here says nothing.
  const count = (line: string) => client.text.split('\n').filter(printed => printed === line).length
  expect([count('ERR_AESGCM_HANDSHAKE_FAILED'), count('cut off')], client.text).toEqual([4, 4])
  expect(client.text.trimEnd().split('\n')).toHaveLength(8)
})
