// Ways to change a stream of records on its way: each gives other bytes than were sent.
import type { Random } from '../../conformance/random.mjs'
import { type Direction, HEADER, TAG, TYPES } from '../../models/session.js'

/** A stream of records, and everything that an attacker may mix into it. */
export interface Material {
  records: Buffer[]
  /** For each record, the plaintext up to its end. */
  plain: Buffer[]
  /** For each record of a later epoch, the same under the keys of an epoch before, where there is one. */
  old: (Buffer | undefined)[]
  /** Records with the same numbers from another session with the same secret. */
  foreign: Buffer[]
  /** Records that the receiver itself has written. */
  own: Buffer[]
}

type Step = { type: keyof typeof TYPES; data: Buffer }

/** A session's one direction: confirm, data of up to `most` bytes with rekeys in between, end. */
export function randomSteps(random: Random, most: number): Step[] {
  const steps: Step[] = [{ type: 'confirm', data: Buffer.alloc(0) }]
  const count = 2 + random.below(6)
  const rekeyAt = random.below(count)
  for (let n = 0; n < count; n++) {
    if (n === rekeyAt || random.below(8) === 0) steps.push({ type: 'rekey', data: Buffer.of(0) })
    steps.push({ type: 'data', data: random.bytes(random.below(most)) })
  }
  steps.push({ type: 'end', data: Buffer.alloc(0) })
  return steps
}

/** The records of the steps, as `writer` seals them. */
export function recordsFor(writer: Direction, steps: readonly Step[]): Buffer[] {
  return steps.map(({ type, data }) => (type === 'rekey' ? writer.rekey() : writer.seal(TYPES[type], data)))
}

/** The same records, each under the keys of the epoch before its own. */
export function oldRecordsFor(writer: Direction, steps: readonly Step[]): (Buffer | undefined)[] {
  let former: typeof writer.keys | undefined
  return steps.map(({ type, data }) => {
    const { keys, number } = writer
    let old: Buffer | undefined
    if (former !== undefined) {
      writer.keys = former
      old = writer.seal(TYPES[type], data)
    }
    writer.keys = keys
    writer.number = number + 1
    if (type === 'rekey') {
      former = keys
      writer.rekeyed()
    }
    return old
  })
}

export function plainOf(steps: readonly Step[]): Buffer[] {
  let plain = Buffer.alloc(0)
  return steps.map(({ type, data }) => (plain = type === 'data' ? Buffer.concat([plain, data]) : plain))
}

type Mutation = (random: Random, material: Material) => Buffer

const withIndex =
  (change: (records: (Buffer | undefined)[], i: number, random: Random, material: Material) => void) =>
  (random: Random, material: Material): Buffer => {
    const records: (Buffer | undefined)[] = material.records.map(record => Buffer.from(record))
    change(records, random.below(records.length), random, material)
    return Buffer.concat(records.filter(record => record !== undefined))
  }

/** Puts `record` in the place of record i, or in front of it. */
function put(records: (Buffer | undefined)[], i: number, record: Buffer | undefined, random: Random) {
  if (record !== undefined) records.splice(i, random.below(2), record)
}

export const MUTATIONS: { [name: string]: Mutation } = {
  flip: withIndex((records, i, random) => {
    const record = records[i] as Buffer
    const at = random.below(record.length)
    record[at] = (record[at] as number) ^ (1 + random.below(255))
  }),
  'one bit': withIndex((records, i, random) => {
    const record = records[i] as Buffer
    const at = random.below(random.below(2) === 0 ? HEADER : record.length)
    record[at] = (record[at] as number) ^ (1 << random.below(8))
  }),
  swap: withIndex((records, i, random) => {
    const j = random.below(records.length)
    ;[records[i], records[j]] = [records[j], records[i]]
  }),
  drop: withIndex((records, i) => void records.splice(i, 1)),
  replay: withIndex((records, i, random) => {
    const later = Math.min(records.length - 1, i + 1 + random.below(3))
    put(records, later, records[i], random)
  }),
  splice: withIndex((records, i, random, { foreign }) => {
    put(records, i, random.below(2) === 0 ? foreign[i] : random.pick(foreign), random)
  }),
  reflect: withIndex((records, i, random, { own }) => {
    put(records, i, random.below(2) === 0 ? own[i] : random.pick(own), random)
  }),
  'old epoch': withIndex((records, i, random, { old }) => {
    const from = old.findIndex(record => record !== undefined)
    const at = Math.max(i, from)
    put(records, at, old[at], random)
  }),
  length: withIndex((records, i, random) => {
    const record = records[i] as Buffer
    const length = record.readUInt32BE()
    const lies = [
      0,
      1,
      TAG,
      TAG + 1,
      length - 1,
      length + 1,
      length + random.below(100),
      2 ** 20,
      2 ** 20 + 1,
    ]
    record.writeUInt32BE(random.pick([...lies, 2 ** 31, 2 ** 32 - 1, random.bytes(4).readUInt32BE()]))
  }),
  type: withIndex((records, i, random) => {
    ;(records[i] as Buffer)[4] = random.below(random.below(2) === 0 ? 5 : 256)
  }),
  'empty record': withIndex((records, i, random) => {
    put(records, i, Buffer.of(0, 0, 0, random.below(TAG + 2), random.below(5)), random)
  }),
  truncate: (random, { records }) => {
    const all = Buffer.concat(records)
    return all.subarray(0, random.below(all.length))
  },
  'cut out': (random, { records }) => {
    const all = Buffer.concat(records)
    const at = random.below(all.length)
    return Buffer.concat([all.subarray(0, at), all.subarray(at + 1 + random.below(60))])
  },
  'put in': (random, { records }) => {
    const all = Buffer.concat(records)
    const at = random.below(all.length)
    return Buffer.concat([all.subarray(0, at), random.bytes(1 + random.below(60)), all.subarray(at)])
  },
  join: (random, { records, foreign }) => {
    const [all, others] = [Buffer.concat(records), Buffer.concat(foreign)]
    const at = random.below(all.length)
    return Buffer.concat([
      all.subarray(0, at),
      others.subarray(random.below(3) === 0 ? random.below(others.length) : at),
    ])
  },
}

/** A mutation that really changed the stream, by more than bytes behind its end. */
export function mutated(random: Random, material: Material): { name: string; bytes: Buffer } {
  const all = Buffer.concat(material.records)
  for (;;) {
    const name = random.pick(Object.keys(MUTATIONS))
    const bytes = (MUTATIONS[name] as Mutation)(random, material)
    if (!bytes.subarray(0, all.length).equals(all)) return { name, bytes }
  }
}

/** Where two byte strings begin to differ. */
function commonPrefix(a: Buffer, b: Buffer): number {
  const least = Math.min(a.length, b.length)
  for (let n = 0; n < least; n++) if (a[n] !== b[n]) return n
  return least
}

interface Verdict {
  /** The most that a reader may give: the plaintext of the records in front of the change. */
  plain: Buffer
  /** Whether the change is in the first record, which belongs to the handshake. */
  first: boolean
  /** Whether the bytes simply end too early. */
  truncated: boolean
  /** Whether a whole record is bad, or its length is not allowed: then a reader cannot take it for a truncation. */
  refused: boolean
}

export function judge({ records, plain }: Material, bytes: Buffer): Verdict {
  const same = commonPrefix(Buffer.concat(records), bytes)
  let [whole, at] = [0, 0]
  while (at + (records[whole] as Buffer).length <= same) at += (records[whole++] as Buffer).length
  const length = bytes.length - at < 4 ? undefined : bytes.readUInt32BE(at)
  const allowed = length !== undefined && length >= TAG + 1 && length <= 2 ** 20
  return {
    plain: whole === 0 ? Buffer.alloc(0) : (plain[whole - 1] as Buffer),
    first: whole === 0,
    truncated: same === bytes.length,
    refused: length !== undefined && (!allowed || at + 4 + length <= bytes.length),
  }
}
