// Runs the example of examples/session: a file over TCP between two processes, and a connection that is cut off.
import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ROOT } from '../../tools/support.js'

const folder = mkdtempSync(join(tmpdir(), 'session-example-'))
const secret = join(folder, 'secret')
const source = join(folder, 'source')
const bytes = randomFillSync(Buffer.alloc(5_000_000))
writeFileSync(secret, randomFillSync(Buffer.alloc(32)))
writeFileSync(source, bytes)
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 10 }))

/** A server, its port, and everything that it prints. */
async function serve(target: string, secretFile = secret, flags: string[] = []) {
  const args = [...flags, 'examples/session/server.mjs', secretFile, target]
  const child = spawn(process.execPath, args, { cwd: ROOT })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (text += chunk))
  const over = once(child, 'close')
  while (!/port (\d+)/.test(text)) await Promise.race([once(child.stdout, 'data'), over])
  const port = Number(text.match(/port (\d+)/)?.[1])
  return { port, over: over.then(([code]) => ({ code, text })) }
}

const send = (port: number, file = source) =>
  spawnSync(process.execPath, ['examples/session/client.mjs', secret, file, String(port)], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 30_000,
  })

test('a file arrives whole, and both sides say so', async () => {
  const target = join(folder, 'target')
  const { port, over } = await serve(target)
  const { status, stdout, stderr } = send(port)
  expect({ status, stderr }, stdout).toEqual({ status: 0, stderr: '' })
  const { code, text } = await over
  expect(code, text).toBe(0)
  expect(readFileSync(target).equals(bytes)).toBe(true)
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  expect(stdout).toContain('client: 100%, 5.0 of 5.0 MB')
  expect(stdout).toContain(`client: the server has all of it, SHA-256 ${digest}`)
  expect(text).toContain(`server: 5000000 bytes, SHA-256 ${digest}`)
})

test('an empty file arrives, too', async () => {
  const [target, empty] = [join(folder, 'nothing'), join(folder, 'empty')]
  writeFileSync(empty, '')
  const { port, over } = await serve(target)
  const { status, stderr } = send(port, empty)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect((await over).code).toBe(0)
  expect(readFileSync(target).length).toBe(0)
})

test('another secret, or a peer that goes away: both sides fail, and no file appears', async () => {
  const other = join(folder, 'other')
  writeFileSync(other, Buffer.alloc(32, 7))
  const wrong = await serve(join(folder, 'wrong'), other)
  const { status, stderr } = send(wrong.port)
  expect(status).toBe(1)
  expect(stderr).toMatch(/^client: ERR_AESGCM_|^client: ECONNRESET|^client: EPIPE/)
  expect(await wrong.over).toMatchObject({ code: 1, text: expect.stringMatching(/server: ERR_AESGCM_/) })

  const cut = await serve(join(folder, 'cut'))
  const socket = connect(cut.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.end(Buffer.from([0, 42, 1]))
  expect(await cut.over).toMatchObject({ code: 1, text: expect.stringMatching(/server: ERR_AESGCM_/) })
  expect(readdirSync(folder).filter(name => /wrong|cut|part/.test(name))).toEqual([])
})

// Regression: the example removed its partial file before the file had been opened, on a busy machine, and it stayed.
test('a partial file that opens after the failure is removed, too', async () => {
  const late = join(folder, 'late.cjs')
  writeFileSync(
    late,
    `const fs = require('node:fs'), { open } = fs
    fs.open = (...args) => String(args[0]).endsWith('.part') ? setTimeout(() => open(...args), 300) : open(...args)`,
  )
  const { port, over } = await serve(join(folder, 'slow'), undefined, ['--require', late])
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.end(Buffer.from([0, 42, 1]))
  expect(await over).toMatchObject({ code: 1 })
  expect(readdirSync(folder).filter(name => /slow/.test(name))).toEqual([])
})
