// A host that an attacker joins with itself ("Selfie"): responders refuse the initiators of their process, and contexts keep apart what
// one secret serves.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import * as session from 'hardware-aes-gcm/session'
import { describe, expect, test } from 'vitest'
import * as reference from '../../models/session.js'
import { detach, Random, ROOT, refuses, run, thrown } from '../../tools/support.js'
import { closed, failure, pipes, secured } from './connections.js'
import { beside, SECRET, until } from './wire.js'

const { Handshake, secureStream } = session
const FAILED = 'ERR_AESGCM_HANDSHAKE_FAILED'
const SELF = 'the handshake failed: the initiator is in this process, which only allowSelf permits'
type Options = Partial<session.SecureStreamOptions>

const initiator = (options: Options = {}) =>
  new Handshake({ secret: SECRET, ...options, role: 'initiator' } as session.SessionOptions)
const responder = (options: Options = {}) =>
  new Handshake({ secret: SECRET, ...options, role: 'responder' } as session.SessionOptions)

describe('an initiator of this process', () => {
  test('a relay that joins a host with itself is refused', async () => {
    const [[out, toRelay], [fromRelay, into]] = [pipes(), pipes()]
    toRelay.pipe(fromRelay).pipe(toRelay)
    const client = secureStream(out, { secret: SECRET, role: 'initiator' })
    const server = secureStream(into, { secret: SECRET, role: 'responder' })
    let secure = 0
    for (const side of [client, server]) side.on('secure', () => secure++)
    client.write('transfer 100 from alice to bob')
    server.on('data', () => secure++)
    const over = Promise.all([closed(client), closed(server)])
    client.on('error', () => {})
    expect(await failure(server)).toMatchObject({ code: FAILED, message: SELF })
    out.destroy()
    await over
    expect(secure).toBe(0)
  })

  test('a relay of messages is refused, whichever hello it brings first', () => {
    for (const ciphers of [undefined, ['chacha20-poly1305']] as const) {
      const [one, two] = [initiator({ ciphers }), responder({ ciphers })]
      expect(refuses(() => two.finish(one.hello), FAILED).message).toBe(SELF)
      const [three, four] = [initiator({ ciphers }), responder({ ciphers })]
      three.finish(four.hello)
      expect(refuses(() => four.finish(three.hello), FAILED).message).toBe(SELF)
    }
  })

  test('is accepted with allowSelf, and any other change of its hello leads to other keys', () => {
    const [one, two] = [initiator(), responder({ allowSelf: true })]
    const { hello } = one
    const [{ writer }, { reader }] = [one.finish(two.hello), two.finish(hello)]
    expect(reader.open(writer.seal(Buffer.from('data')))).toEqual([Buffer.from('data')])
    for (const at of [6, 29, 30, 37]) {
      const [three, four] = [initiator(), responder()]
      const changed = three.hello
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      const { reader } = four.finish(changed)
      const { writer } = three.finish(four.hello)
      refuses(() => reader.open(writer.seal(Buffer.from('data'))), FAILED)
    }
  })

  test('in a worker is refused, and so is one of another copy of the package', async () => {
    const worker = new Worker(
      `const { Handshake } = require('hardware-aes-gcm/session')
      require('node:worker_threads').parentPort.postMessage(
        new Handshake({ secret: Buffer.alloc(32), role: 'initiator' }).hello)`,
      { eval: true },
    )
    const [hello] = (await once(worker, 'message')) as [Uint8Array]
    expect(refuses(() => responder().finish(hello), FAILED).message).toBe(SELF)

    const require = createRequire(import.meta.url)
    const copies = [0, 1].map(() => {
      for (const path of Object.keys(require.cache))
        if (path.startsWith(join(ROOT, 'dist'))) delete require.cache[path]
      return require('hardware-aes-gcm/session') as typeof session
    }) as [typeof session, typeof session]
    expect(copies[0].Handshake).not.toBe(copies[1].Handshake)
    const [one, two] = copies.map(copy => new copy.Handshake({ secret: SECRET, role: 'initiator' }))
    for (const { hello } of [one, two] as { hello: Buffer }[])
      for (const { Handshake } of [session, ...copies]) {
        const other = new Handshake({ secret: SECRET, role: 'responder' })
        expect(thrown(() => other.finish(hello))).toMatchObject({ code: FAILED, message: SELF })
      }
  })

  test.each(['new Uint8Array(16)', 'new Uint8Array(33)', "'x'.repeat(32)"])(
    'has a random key of 32 bytes, even if other code left %s in its place',
    left => {
      const script = `
        import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
        const NAME = 'hardware-aes-gcm:session-origin'
        setEnvironmentData(NAME, ${left})
        const { Handshake } = await import('hardware-aes-gcm/session')
        const [one, two] = ['initiator', 'responder'].map(
          role => new Handshake({ secret: Buffer.alloc(32), role }))
        try { two.finish(one.hello) } catch (error) { console.log(error.message) }
        const key = getEnvironmentData(NAME)
        console.log(key.length, key.some(byte => byte !== 0))`
      const { status, stdout, stderr } = run(script)
      expect([status, stdout, stderr]).toEqual([0, `${SELF}\n32 true\n`, ''])
    },
  )

  test('in another process, which this one has started, is accepted', async () => {
    const script = `
      const { Handshake } = require('hardware-aes-gcm/session')
      const one = new Handshake({ secret: Buffer.from(process.argv[1], 'hex'), role: 'initiator' })
      process.once('message', hello => {
        const { writer } = one.finish(Buffer.from(hello, 'hex'))
        process.send(writer.seal(Buffer.from('data')).toString('hex'), () => process.disconnect())
      })
      process.send(one.hello.toString('hex'))`
    const child = spawn(process.execPath, ['-e', script, SECRET.toString('hex')], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const two = responder()
    const [hello] = (await once(child, 'message')) as [string]
    const { reader } = two.finish(Buffer.from(hello, 'hex'))
    child.send(two.hello.toString('hex'))
    const [message] = (await once(child, 'message')) as [string]
    expect(reader.open(Buffer.from(message, 'hex'))).toEqual([Buffer.from('data')])
  })

  test('its random bytes differ from hello to hello, those that name the process too', () => {
    const hellos = Array.from({ length: 50 }, () => initiator().hello)
    for (const [from, to] of [
      [6, 30],
      [30, 38],
    ])
      expect(new Set(hellos.map(hello => hello.toString('hex', from, to))).size).toBe(50)
  })

  test.each([0, 1, 'true', null, {}])('allowSelf: %o is refused', allowSelf => {
    refuses(() => responder({ allowSelf: allowSelf as never }), 'ERR_INVALID_ARG_TYPE')
  })
})

describe('a context', () => {
  /** Whether two sides understand each other. */
  function agrees(left: Options, right: Options): boolean {
    const [one, two] = [initiator(left), responder({ allowSelf: true, ...right })]
    const { hello } = one
    const sides = [one.finish(two.hello), two.finish(hello)] as const
    const opens = [0, 1].map(n => {
      const message = sides[n as 0].writer.seal(Buffer.from('data'))
      try {
        return sides[(1 - n) as 0].reader.open(message).length === 1
      } catch (error) {
        expect(error).toMatchObject({ code: FAILED })
        return false
      }
    })
    expect(opens[0]).toBe(opens[1])
    return opens[0] as boolean
  }

  test('is the same on both sides, as text or as bytes', () => {
    const [mail, bytes] = ['mail: alice to bob', Buffer.from('mail: alice to bob')]
    for (const ciphers of session.supportedCiphers().map(cipher => [cipher])) {
      expect(agrees({ context: mail, ciphers }, { context: mail })).toBe(true)
      expect(agrees({ context: mail, ciphers }, { context: bytes })).toBe(true)
    }
    expect(agrees({ context: new Uint8Array(1024) }, { context: '\0'.repeat(1024) })).toBe(true)
    expect(agrees({ context: null }, { context: undefined })).toBe(true)
    for (const context of [
      undefined,
      'mail: bob to alice',
      'mail: alice to bo',
      'mail: alice to bob\0',
      Buffer.of(0),
    ]) {
      expect(agrees({ context: mail }, { context })).toBe(false)
      expect(agrees({ context }, { context: mail })).toBe(false)
    }
  })

  test('that names both hosts in their roles keeps a host from joining itself, in any process', async () => {
    const [a, b] = pipes()
    const [one, two] = secured(
      [a, b],
      { context: 'alice to bob' },
      { context: 'bob to alice', allowSelf: true },
    )
    expect(await Promise.all([failure(one), failure(two)])).toMatchObject([
      { code: FAILED },
      { code: FAILED },
    ])
  })

  test('is copied when the session is made', () => {
    const context = Buffer.from('mail')
    const one = initiator({ context })
    context.write('news')
    const two = responder({ context: 'mail', allowSelf: true })
    const { hello } = one
    const [{ writer }, { reader }] = [one.finish(two.hello), two.finish(hello)]
    expect(reader.open(writer.seal(Buffer.from('data')))).toHaveLength(1)
  })

  test('streams of ours and the reference understand each other with one', async () => {
    const random = new Random('session context')
    for (const role of reference.ROLES) {
      const context = random.pick(['x', 'mail: alice to bob', 'ä'.repeat(512)])
      const side = await beside(random, { role, context })
      side.wire.feed(Buffer.concat([reference.framed(side.peer), side.writer.seal(0), side.writer.rekey()]))
      side.wire.feed(side.writer.seal(1, Buffer.from('data')))
      await until(() => side.outcome.plain.length > 0 || side.outcome.errors.length > 0, 'data')
      expect(side.outcome.plain.toString()).toBe('data')
      side.stream.destroy()
    }
  })

  test.each<[string, unknown, string]>([
    ['an empty text', '', 'ERR_OUT_OF_RANGE'],
    ['no bytes', Buffer.alloc(0), 'ERR_OUT_OF_RANGE'],
    ['1025 bytes', Buffer.alloc(1025), 'ERR_OUT_OF_RANGE'],
    ['513 characters of two bytes', 'ä'.repeat(513), 'ERR_OUT_OF_RANGE'],
    ['a surrogate without its partner', 'mail\ud800', 'ERR_INVALID_ARG_VALUE'],
    ['a number', 5, 'ERR_INVALID_ARG_TYPE'],
    ['an ArrayBuffer', new ArrayBuffer(5), 'ERR_INVALID_ARG_TYPE'],
    ['a list', ['mail'], 'ERR_INVALID_ARG_TYPE'],
    ['bytes that are gone', detach(new Uint8Array(5)), 'ERR_AESGCM_DETACHED_BUFFER'],
  ])('%s is refused', (_, context, code) => {
    expect(refuses(() => initiator({ context: context as string }), code).message).toContain('context')
  })

  test("has no place on KeibiDrop's wire", () => {
    const options: Options = { compat: 'keibidrop', ciphers: ['aes-256-gcm'] }
    const { message } = refuses(() => initiator({ ...options, context: 'mail' }), 'ERR_INVALID_ARG_VALUE')
    expect(message).toMatch(/^"options.context" is not supported on this wire/)
    initiator({ ...options, context: null, allowSelf: true }).destroy()
  })
})
