// Random calls of hardware-aes-gcm/session: handshakes, writers and readers of messages. The stream has a test of its own.
import { isUint8Array } from 'node:util/types'
import {
  Handshake,
  negotiateCipher,
  RecordReader,
  RecordWriter,
  secureStream,
  supportedCiphers,
} from 'hardware-aes-gcm/session'
import { equal, must } from '../conformance/checks.mjs'
import { codes } from './codes.mjs'
import { plain } from './judge.mjs'

const OPTIONS = codes('ERR_AESGCM_UNSUPPORTED_CPU')
const HANDSHAKE = 'ERR_AESGCM_HANDSHAKE_FAILED'
const REFUSED = 'ERR_AESGCM_RECORD_REFUSED'
const FINISH = codes('ERR_INVALID_STATE', HANDSHAKE)
const USE = codes('ERR_INVALID_STATE', 'ERR_AESGCM_DESTROYED', HANDSHAKE, REFUSED)
/** After these, a message may be opened in part. */
const LOST = new Set([HANDSHAKE, REFUSED])
const THIS = new Set(['ERR_INVALID_THIS'])

/** Both directions of one session, and the messages that are under way. */
class Session {
  under = []
  /** Secrets that the writer used, which the reader was not given yet. */
  extras = []

  constructor({ chance, values }) {
    const secret = chance.once(2)
      ? Buffer.from(values.bytes(32))
      : [Buffer.from(values.bytes(40)), Buffer.from(values.bytes(64))]
    const options = { secret, ciphers: [chance.pick(supportedCiphers())] }
    if (chance.once(3)) options.rekeyAfterRecords = 1 + chance.below(4)
    const [left, right] = ['initiator', 'responder'].map(
      role => new Handshake({ allowSelf: true, ...options, role }),
    )
    this.writer = left.finish(right.hello).writer
    this.reader = right.finish(left.hello).reader
  }
}

export class SessionCalls {
  #sessions = []

  constructor(chance, values) {
    this.chance = chance
    this.values = values
  }

  next() {
    const { chance, values } = this
    if (this.#sessions.length < 3) this.#sessions.push(new Session(this))
    const session = chance.pick(this.#sessions)
    const drop = () => (this.#sessions = this.#sessions.filter(other => other !== session))
    if (chance.once(500)) drop()
    switch (chance.below(10)) {
      case 0:
      case 1:
      case 2: {
        const good = chance.once(3) ? values.anything() : values.bytes()
        const check = (message, [data]) => void session.under.push({ message, data })
        return { name: 'seal', run: data => session.writer.seal(data), args: [good], codes: USE, check }
      }
      case 3:
      case 4:
      case 5:
        return this.#open(session, drop)
      case 6: {
        const extra = chance.once(3) ? values.anything() : chance.once(2) ? undefined : values.bytes(32)
        const check = (message, [secret]) => {
          if (extra !== undefined && secret === undefined) drop() // A list, of which there is no copy.
          session.under.push({ message, data: Buffer.alloc(0), secret })
        }
        return { name: 'rekey', run: given => session.writer.rekey(given), args: [extra], codes: USE, check }
      }
      case 7: {
        const socket = values.anything()
        const role = chance.once(6) ? values.anything() : 'initiator'
        const secret = chance.once(2) ? values.anything() : values.bytes(32)
        const options = { secret, role, ...(chance.once(2) ? { ciphers: values.anything() } : {}) }
        const args = [chance.once(3) ? values.anything() : options]
        const run = chance.once(4)
          ? given => secureStream(socket, given)
          : given => new Handshake(given).destroy()
        return { name: 'new Handshake, secureStream', run, args, codes: OPTIONS }
      }
      case 8: {
        const handshake = new Handshake({ secret: values.bytes(32), role: 'initiator' })
        const args = [chance.once(2) ? values.anything() : values.bytes()]
        return { name: 'finish', run: hello => handshake.finish(hello), args, codes: FINISH }
      }
      default:
        return this.#small(session, drop)
    }
  }

  #open(session, drop) {
    const { chance, values } = this
    const [first] = session.under
    if (first === undefined || chance.once(5)) {
      const args = [chance.once(3) ? values.bytes(chance.below(60)) : values.anything()]
      const run = message => session.reader.open(message)
      const check = () => must(plain(args[0]).length === 0, 'a message of random bytes was opened')
      // Every message without whole records ends the reader.
      if (isUint8Array(args[0])) drop()
      return { name: 'open', run, args, codes: USE, unsettled: LOST, check }
    }
    if (first.secret !== undefined && !first.given) {
      first.given = true
      return {
        name: 'rekey of a reader',
        run: secret => session.reader.rekey(secret),
        args: [first.secret],
        codes: USE,
      }
    }
    session.under.shift()
    const changed = chance.once(8)
    const args = [values.put(first.message)]
    if (changed) {
      args[0][chance.below(args[0].length)] ^= 1 << chance.below(8)
      drop()
    }
    const check = data => {
      must(!changed, 'a changed message was opened')
      equal(Buffer.concat(data), first.data, 'the data of a message')
    }
    return {
      name: 'open',
      run: message => session.reader.open(message),
      args,
      codes: changed ? USE : new Set(),
      writes: () => [args[0]],
      unsettled: LOST,
      check,
    }
  }

  #small(session, drop) {
    const { chance, values } = this
    const any = () => values.anything()
    switch (chance.below(5)) {
      case 0: {
        const list = () => (chance.once(2) ? any() : supportedCiphers().slice(chance.below(3)))
        return {
          name: 'negotiateCipher',
          run: negotiateCipher,
          args: [list(), list()],
          codes: codes(HANDSHAKE),
        }
      }
      case 1: {
        const [Class, name] = chance.pick([[RecordWriter, 'stats'], [RecordReader, 'stats'], [RecordReader, 'ended'], [RecordReader, 'awaitsRekey'], [Handshake, 'hello']]) // biome-ignore format: a list
        const { get } = Object.getOwnPropertyDescriptor(Class.prototype, name)
        return { name, run: () => get.call(chance.once(2) ? session.reader : any()), args: [], codes: THIS }
      }
      case 2:
        return {
          name: 'new RecordWriter',
          run: ticket => new (chance.pick([RecordWriter, RecordReader]))(ticket),
          args: [any()],
          codes: codes(),
        }
      case 3: {
        if (!chance.once(10))
          return { name: 'supportedCiphers', run: supportedCiphers, args: [], codes: new Set() }
        drop()
        const run = () =>
          chance.pick([
            () => session.writer.end(),
            () => session.writer.destroy(),
            () => session.reader.destroy(),
          ])()
        return { name: 'the end', run, args: [], codes: USE }
      }
      default: {
        const self = any()
        const run = data =>
          chance
            .pick([RecordWriter.prototype.seal, RecordReader.prototype.open, Handshake.prototype.finish])
            .call(self, data)
        return { name: 'a method of another object', run, args: [any()], codes: THIS }
      }
    }
  }
}
