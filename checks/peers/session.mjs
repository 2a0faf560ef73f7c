// Sessions of this package with session.py, which was written from docs/formats.md alone, over loopback TCP.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { secureStream } from 'hardware-aes-gcm/session'
import { bytes, number } from '../tools/random.mjs'
import { started } from './python.mjs'

const NAMES = { 1: 'aes-256-gcm', 2: 'aes-128-gcm', 3: 'chacha20-poly1305' }
const LISTS = [[1, 2, 3], [3], [2, 3], [1], [3, 1], [2]]
const REFUSED = ['ERR_AESGCM_HANDSHAKE_FAILED', 'ERR_AESGCM_RECORD_REFUSED', 'ERR_AESGCM_STREAM_TRUNCATED']
const digest = parts => createHash('sha256').update(Buffer.concat(parts)).digest('hex')
const hex = list => list.map(one => one.toString('hex'))

/** Runs so many connections, and those with planted faults, and gives a line about them. */
export async function session(count) {
  const [begin, peer] = [performance.now(), started('session.py')]
  const totals = { bytes: 0, epochs: 0, refused: 0 }
  for (let i = 0; i < count; i++)
    await named(`connection ${i}`, () => agrees(peer, plan(`connection ${i}`, i), totals))
  for (const [fault, change] of Object.entries(faults()))
    for (const role of [0, 1])
      await named(`planted: ${fault}`, () => refuses(peer, { ...plan(fault, role), ...change() }, totals))
  await peer.end()
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  const data = (totals.bytes / 2 ** 20).toFixed(0)
  return `sessions, against a reader and writer from docs/formats.md: ${count} connections, ${data} MiB, ${totals.epochs} rekeyings; planted and refused: ${totals.refused}; ${seconds} s`
}

async function named(name, run) {
  try {
    await run()
  } catch (error) {
    throw new Error(`${name}: ${error.message}`)
  }
}

/** A connection: `role` and `send` are those of the peer in Python. */
function plan(name, i) {
  const some = 1 + number(3, `${name}, secrets`)
  const secrets = Array.from({ length: some }, (_, j) =>
    bytes(32 + number(40, `${name}, ${j}`), `${name}, secret ${j}`),
  )
  const extra = bytes(48, `${name}, extra`)
  const lengths = Array.from({ length: 4 }, (_, j) => number(j === 2 ? 200_000 : 300, `${name}, length ${j}`))
  const [a, b, c, d] = lengths.map((length, j) => ['data', [length, `${name} ${j}`]])
  return {
    role: i % 2,
    secrets: hex(secrets),
    ids: LISTS[i % LISTS.length],
    ...(i % 4 > 1 && contexts(`${name}: ours`)),
    send: [a, ['rekey', 0], b, ['rekey', 0], c, ['extra', [extra.toString('hex')]], d, ['end', 0]],
    extras: [[extra.toString('hex')]],
    ours: [
      number(300, `${name}, ours 0`),
      number(150_000, `${name}, ours 1`),
      0,
      number(9, `${name}, ours 2`),
    ],
  }
}

/** The context of our side, and of the peer's, as the connection names them. */
const contexts = (ours, theirs = ours) => ({ context: theirs, options: { context: ours } })

/** Our side of a connection: what it received, or the code of its error. */
async function connect(peer, plan, ciphers = Object.values(NAMES)) {
  const server = createServer({ allowHalfOpen: true })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const answer = peer.ask({ ...plan, port: server.address().port })
  const [socket] = await accepted
  const stream = secureStream(socket, {
    secret: plan.secrets.map(one => Buffer.from(one, 'hex')),
    role: plan.role === 0 ? 'responder' : 'initiator',
    ciphers,
    rekeyAfterRecords: 3,
    ...plan.options,
  })
  const [parts, sent] = [[], []]
  stream.on('data', part => parts.push(part))
  const closed = new Promise(resolve => {
    let code
    stream.on('error', error => {
      code = error.code
    })
    stream.on('close', () => resolve(code))
  })
  for (const [i, length] of plan.ours.entries()) {
    const data = bytes(length, `ours ${i} of ${length}`)
    sent.push(data)
    stream.write(data)
    if (i === 1)
      for (const extra of plan.extras) stream.rekey(extra.map(one => Buffer.from(one, 'hex'))).catch(() => {})
    if (i === 2) stream.rekey().catch(() => {})
  }
  stream.end()
  const [theirs, code] = [await answer, await closed]
  server.close()
  const { cipher } = stream
  return {
    theirs,
    code,
    cipher,
    ended: stream.readableEnded,
    received: parts,
    sent,
    epochs: stream.stats.sent.epochs,
  }
}

async function agrees(peer, plan, totals) {
  const { theirs, code, cipher, ended, received, sent, epochs } = await connect(peer, plan)
  if (code !== undefined || theirs.error !== null) throw new Error(`ours: ${code}, the peer: ${theirs.error}`)
  if (!ended || !theirs.ended) throw new Error('an end is missing')
  if (cipher !== NAMES[theirs.cipher]) throw new Error(`ciphers differ: ${cipher}, ${theirs.cipher}`)
  const expected = plan.send
    .filter(([kind]) => kind === 'data')
    .map(([, [length, name]]) => shake(length, name))
  if (digest(received) !== digest(expected)) throw new Error("we read other bytes than the peer's")
  if (theirs.sha256 !== digest(sent)) throw new Error('the peer reads other bytes than ours')
  if (epochs !== theirs.epochs[1] + 1 || theirs.epochs[1] < 2)
    throw new Error(`rekeyings: ${epochs}, ${theirs.epochs[1]}`)
  totals.bytes += Buffer.concat([...received, ...sent]).length
  totals.epochs += theirs.epochs[0] + theirs.epochs[1]
}

const shake = (length, name) => createHash('shake256', { outputLength: length }).update(name).digest()

/** A connection with a planted fault fails on the side that sees it, and gives no byte that the peer did not send before it. */
async function refuses(peer, plan, totals) {
  const { theirs, code, received } = await connect(peer, plan)
  if (theirs.crashed) throw new Error(theirs.error)
  const isTheirs = plan.sees === 'peer'
  if (isTheirs ? theirs.error === null || theirs.error.startsWith('socket') : !REFUSED.includes(code))
    throw new Error(`not refused: ours ${code}, the peer ${theirs.error}`)
  if (plan.code !== undefined && code !== plan.code) throw new Error(`${code} instead of ${plan.code}`)
  const all = Buffer.concat(
    plan.send.filter(([kind]) => kind === 'data').map(([, [length, name]]) => shake(length, name)),
  )
  const got = Buffer.concat(received)
  if (!isTheirs && !got.equals(all.subarray(0, got.length))) throw new Error('bytes that were not sent')
  totals.refused++
}

/** Planted faults by their names: changes of the plan. */
function faults() {
  const sent = (record, damage) => () => ({
    damage: { sent: record, ...damage },
    code: 'ERR_AESGCM_RECORD_REFUSED',
  })
  const received = (record, bit) => () => ({ damage: { received: record, bit }, sees: 'peer' })
  const hello =
    (...changes) =>
    () => ({ hello: changes, code: 'ERR_AESGCM_HANDSHAKE_FAILED' })
  const says =
    (...send) =>
    () => ({ send, code: 'ERR_AESGCM_RECORD_REFUSED' })
  const data = ['data', [100, 'first']]
  return {
    'a bit of the confirm record': () => ({
      damage: { sent: 0, bit: 77 },
      code: 'ERR_AESGCM_HANDSHAKE_FAILED',
    }),
    'a bit of a tag': sent(1, { bit: -1 }),
    'a bit of a type': sent(1, { bit: 32 }),
    'a bit of a rekey record': sent(2, { bit: 43 }),
    'a record twice': sent(1, { twice: true }),
    'a record left out': sent(1, { 'left out': true }),
    'the rekey record left out': sent(2, { 'left out': true }),
    'bytes after the end': () => ({
      send: [data, ['end', 0]],
      damage: { sent: 2, twice: true },
      code: 'ERR_AESGCM_RECORD_REFUSED',
    }),
    'a bit that the peer reads': received(2, 61),
    'a bit of the confirm record that the peer reads': received(0, 50),
    'a bit of the end that the peer reads': received('end', 90),
    'another magic word': hello([0, 1]),
    'another version': hello([4, 3]),
    'the same role': hello([5, 1]),
    'a count too high': hello([38, 4]),
    'a byte after the hello': () => ({ tail: '00', code: 'ERR_AESGCM_HANDSHAKE_FAILED' }),
    'no cipher': () => ({ ids: [], code: 'ERR_AESGCM_HANDSHAKE_FAILED' }),
    'only an unknown cipher': () => ({ ids: [200], code: 'ERR_AESGCM_HANDSHAKE_FAILED' }),
    'a cipher twice': () => ({ ids: [1, 1], code: 'ERR_AESGCM_HANDSHAKE_FAILED' }),
    'a second confirm': says(data, ['seal', [0, '']], ['end', 0]),
    'an unknown type': says(data, ['seal', [4, '']], ['end', 0]),
    'a rekey byte of 2': says(data, ['seal', [2, '02']], ['end', 0]),
    'a rekey record of two bytes': says(data, ['seal', [2, '0000']], ['end', 0]),
    'an end with data': says(data, ['seal', [3, '00']]),
    'a confirm with data': says(['seal', [0, '00']]),
    'another context': () => ({
      ...contexts('mail: a to b', 'mail: b to a'),
      code: 'ERR_AESGCM_HANDSHAKE_FAILED',
    }),
    'a context of ours alone': () => ({ ...contexts('mail', null), code: 'ERR_AESGCM_HANDSHAKE_FAILED' }),
    "a context of the peer's alone": () => ({
      ...contexts(undefined, 'mail'),
      code: 'ERR_AESGCM_HANDSHAKE_FAILED',
    }),
    'no end': () => ({ send: [data], cut: true, code: 'ERR_AESGCM_STREAM_TRUNCATED' }),
  }
}
