// Plants a fault in a binary: of the AES encryption rounds, one in sixteen becomes decryption: spoil.mjs FILE
//
// A single round may be in code for a length that a thinned suite does not try.
import { readFileSync, writeFileSync } from 'node:fs'
import { commandLine } from '../../scripts/command-line.mjs'

const [path] = commandLine(import.meta.url, { operands: [1, 1] }).operands
const file = readFileSync(path)
const rounds = []
const elf = file.readUInt32BE(0) === 0x7f454c46
const windows = file.toString('latin1', 0, 2) === 'MZ' // its binary is x64
// EM_X86_64, and CPU_TYPE_X86_64 of Mach-O.
const x86 = windows || (elf ? file.readUInt16LE(18) === 62 : file.readUInt32LE(4) === 0x01000007)
if (x86) {
  // aesenc: 66 0f 38 dc, and aesdec ends in de. VAES is encoded differently, so these are the backend `aesni`'s.
  const aesenc = Buffer.of(0x66, 0x0f, 0x38, 0xdc)
  for (let at = file.indexOf(aesenc); at >= 0; at = file.indexOf(aesenc, at + 1)) rounds.push(at)
} else {
  // aese: 4e284800 and two registers, and aesd has bit 12 more.
  for (let at = 0; at + 4 <= file.length; at += 4)
    if ((file.readUInt32LE(at) & 0xfffffc00) === 0x4e284800) rounds.push(at)
}
if (rounds.length < 16) throw new Error(`${path} has hardly any AES round.`)
for (let i = 8; i < rounds.length; i += 16) {
  if (x86) file[rounds[i] + 3] = 0xde
  else file[rounds[i] + 1] |= 0x10
}
writeFileSync(path, file)
