// Copies a Windows program so that its sections begin at pages of the file: aligned.mjs FROM TO
//
// Wine maps such sections into memory. Those of node.exe begin in between, so Wine reads all 85 MB for every process, which is
// almost half the time of a start. The bytes of the sections, and their places in memory, stay as they are.
import { readFileSync, writeFileSync } from 'node:fs'
import { commandLine } from '../../scripts/command-line.mjs'

const PAGE = 4096
const [from, to] = commandLine(import.meta.url, { operands: [2, 2] }).operands
const file = readFileSync(from)

// Microsoft's "PE Format": the offsets of the header, of its fields, and of a section's fields.
const header = file.readUInt32LE(0x3c)
const sections = file.readUInt16LE(header + 6)
const optionalHeader = header + 24
const table = optionalHeader + file.readUInt16LE(header + 20)
const headers = Buffer.from(file.subarray(0, file.readUInt32LE(optionalHeader + 60)))

const parts = [headers]
let length = headers.length
for (let i = 0; i < sections; i++) {
  const [size, offset] = [table + 40 * i + 16, table + 40 * i + 20]
  const section = file.subarray(file.readUInt32LE(offset)).subarray(0, file.readUInt32LE(size))
  if (section.length === 0) continue
  const gap = Buffer.alloc((PAGE - (length % PAGE)) % PAGE)
  headers.writeUInt32LE(length + gap.length, offset)
  parts.push(gap, section)
  length += gap.length + section.length
}
writeFileSync(to, Buffer.concat(parts))
