// Rewrites a shared library's packed relocations as plain ones, for musl before 1.2.4: unpack-relocations.mjs LIBRARY
//
// Packed (DT_RELR): places that need nothing but the library's address added, as a list of places and of bit maps of
// those behind. A loader that does not know of it leaves them wrong, and the library crashes in its first constructor.
// The plain table (DT_RELA) is written anew at the end of the file, into a segment of its own.
import { readFileSync, writeFileSync } from 'node:fs'

const SEGMENT = { load: 1, dynamic: 2, note: 4 }
const TAG = { rela: 7, relaSize: 8, relrSize: 35, relr: 36, relaCount: 0x6ffffff9 }
const RELATIVE = 8n // R_X86_64_RELATIVE
const PAGE = 4096

const path = process.argv[2]
const file = readFileSync(path)
const word = at => Number(file.readBigUInt64LE(at))
const page = size => Math.ceil(size / PAGE) * PAGE

const segments = Array.from({ length: file.readUInt16LE(56) }, (_, i) => {
  const at = word(32) + 56 * i
  const [start, address, size, memory] = [8, 16, 32, 40].map(field => word(at + field))
  return { at, type: file.readUInt32LE(at), start, address, size, memory }
})
const loaded = segments.filter(({ type }) => type === SEGMENT.load)
/** Where in the file an address is. */
const offset = address => {
  const { start, address: first } = loaded.find(
    segment => address >= segment.address && address < segment.address + segment.size,
  )
  return start + address - first
}

/** Where each entry of the dynamic section has its value. */
const values = {}
for (let at = segments.find(({ type }) => type === SEGMENT.dynamic).start; word(at) !== 0; at += 16)
  values[word(at)] = at + 8
const value = tag => word(values[tag])
if (values[TAG.relr] === undefined) process.exit() // nothing is packed

const places = []
let next = 0
for (let at = offset(value(TAG.relr)), end = at + value(TAG.relrSize); at < end; at += 8) {
  const entry = file.readBigUInt64LE(at)
  if ((entry & 1n) === 0n) {
    places.push(Number(entry))
    next = Number(entry) + 8
  } else {
    for (let bit = 0; bit < 63; bit++) if ((entry >> BigInt(bit + 1)) & 1n) places.push(next + 8 * bit)
    next += 63 * 8
  }
}

// Relative ones come first, which is what their number in the dynamic section counts.
const table = Buffer.alloc(places.length * 24 + value(TAG.relaSize))
for (const [i, place] of places.entries()) {
  table.writeBigUInt64LE(BigInt(place), 24 * i)
  table.writeBigUInt64LE(RELATIVE, 24 * i + 8)
  table.writeBigUInt64LE(file.readBigUInt64LE(offset(place)), 24 * i + 16)
}
const plain = offset(value(TAG.rela))
file.copy(table, places.length * 24, plain, plain + value(TAG.relaSize))

const start = page(file.length)
const address = page(Math.max(...loaded.map(segment => segment.address + segment.memory)))
const write = (number, at) => file.writeBigUInt64LE(BigInt(number), at)
write(value(TAG.relaCount) + places.length, values[TAG.relaCount])
write(address, values[TAG.rela])
write(table.length, values[TAG.relaSize])
for (const tag of [TAG.relr, TAG.relrSize]) write(0, values[tag])

// The new segment takes the place of a note, which nobody reads, and goes last, as they are sorted by address.
const note = segments.find(({ type }) => type === SEGMENT.note)
const last = segments.at(-1).at
file.copyWithin(note.at, note.at + 56, last + 56)
file.writeUInt32LE(SEGMENT.load, last)
file.writeUInt32LE(4, last + 4) // readable
for (const [i, number] of [start, address, address, table.length, table.length, PAGE].entries())
  write(number, last + 8 + 8 * i)
writeFileSync(path, Buffer.concat([file, Buffer.alloc(start - file.length), table]))
