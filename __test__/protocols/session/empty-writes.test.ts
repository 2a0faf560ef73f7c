// Regression: an empty last write before 'secure' failed a SecureStream, because its callback ran inside the opening of the
// sending side, which then sent the end a second time. And: the callback of an empty write came after that of a later write.
import { once } from 'node:events'
import type { SecureStream } from 'hardware-aes-gcm/session'
import { describe, expect, test } from 'vitest'
import { closed, dataOf, secured, TRANSPORTS } from './connections.js'
import { ends } from './pair.js'

/** How a caller ends a stream, and the data that the peer gets. */
const FORMS: [string, string, (stream: SecureStream) => void][] = [
  ["end('')", '', stream => stream.end('')],
  ['end(Buffer.alloc(0))', '', stream => stream.end(Buffer.alloc(0))],
  [
    "write(''), end()",
    '',
    stream => {
      stream.write('')
      stream.end()
    },
  ],
  [
    "write(''), end('')",
    '',
    stream => {
      stream.write('')
      stream.end('')
    },
  ],
  [
    "write('x'), end('')",
    'x',
    stream => {
      stream.write('x')
      stream.end('')
    },
  ],
  ["write('', end)", '', stream => stream.write('', () => stream.end())],
  ["write('', end with data)", 'x', stream => stream.write('', () => stream.end('x'))],
  ["write('', end with an empty string)", '', stream => stream.write('', () => stream.end(''))],
  [
    "write('', write, end)",
    'x',
    stream =>
      stream.write('', () => {
        stream.write('x')
        stream.end()
      }),
  ],
  [
    "cork(), write(''), end()",
    '',
    stream => {
      stream.cork()
      stream.write('')
      stream.end()
    },
  ],
  [
    "rekey(), end('')",
    '',
    stream => {
      stream.rekey()
      stream.end('')
    },
  ],
]

describe.each(TRANSPORTS)('an empty write before and after secure, over %s', (_name, ends) => {
  describe.each(FORMS)('%s', (_form, data, finish) => {
    test.each([
      ['the initiator', 0, 'before'],
      ['the responder', 1, 'before'],
      ['the initiator', 0, 'after'],
      ['the responder', 1, 'after'],
    ] as const)('of %s, %i, %s secure', async (_side, index, when) => {
      const streams = secured(await ends())
      const [own, peer] = [streams[index], streams[1 - index]] as [SecureStream, SecureStream]
      const errors: unknown[] = []
      for (const stream of streams) stream.on('error', error => errors.push(error))
      const over = Promise.all(streams.map(closed))
      if (when === 'after') await once(own, 'secure')
      finish(own)
      const received = dataOf(peer)
      own.resume()
      peer.end()
      await over
      expect(errors).toEqual([])
      expect((await received).toString()).toBe(data)
    })
  })

  test("write('', destroy)", async () => {
    const [own, peer] = secured(await ends())
    peer.on('error', () => {})
    let destroyed: Error | null | undefined
    own.write('', error => {
      destroyed = error ?? null
      own.destroy()
    })
    await closed(own)
    peer.destroy()
    expect(destroyed).toBe(null)
    expect(own.errored).toBe(null)
  })
})

test('the callback of an empty write comes before that of the write after it', async () => {
  const sockets = ends()
  const [own, peer] = secured(sockets)
  await once(own, 'secure')
  for (const stream of [own, peer]) stream.on('error', () => {})
  let taken: (() => void) | undefined
  const take = () => {
    const done = taken
    taken = undefined
    done?.()
  }
  sockets[0]._write = (_chunk, _encoding, done) => {
    taken = done
  }
  const order: string[] = []
  // The socket takes a write that waits in a tick that was asked for before the empty write, and later on.
  process.nextTick(take)
  own.write('', () => order.push('empty'))
  await new Promise<void>(resolve => {
    own.write('x', () => {
      order.push('x')
      resolve()
    })
    setImmediate(take)
  })
  expect(order).toEqual(['empty', 'x'])
  for (const stream of [own, peer]) stream.destroy()
  await Promise.all([own, peer].map(closed))
})
