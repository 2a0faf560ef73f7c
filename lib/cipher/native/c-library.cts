// Finds the C library of this process by the ELF program interpreter of its executable.
// `process.report` names it too, but waits for an answer of every worker thread.
import { codeOf, fs } from '../base/builtins.cjs'

const { closeSync, openSync, readSync } = fs

/** The executable of this process; on Linux even after a new version has replaced the file. */
const EXECUTABLE = process.platform === 'linux' ? '/proc/self/exe' : process.execPath

// Of 64-bit ELF: the System V ABI, "Program Header".
const ELF_HEADER_BYTES = 64
const PROGRAM_HEADER_BYTES = 56
const PT_INTERP = 3
const LONGEST_PATH = 4096

/**
 * The C library; `undefined` if the executable is unreadable, or names no interpreter, as on macOS.
 * Throws `EMFILE` or `ENFILE` if no file can be opened at the moment: otherwise Node would not find
 * the package, and remember that. `own` is a file that this process has already read.
 */
export function cLibrary(own: string): 'gnu' | 'musl' | undefined {
  const file = opened(EXECUTABLE)
  if (file === undefined) {
    // The permission model refuses the executable without taking a descriptor.
    assertDescriptorAvailable(own)
    return undefined
  }
  try {
    const path = interpreter((length, position) => read(file, length, position))
    if (/\/ld-musl-/.test(path)) return 'musl'
    return /\/ld-linux/.test(path) ? 'gnu' : undefined
  } finally {
    closeSync(file)
  }
}

function assertDescriptorAvailable(path: string): void {
  const file = opened(path)
  if (file !== undefined) closeSync(file)
}

/** A file's descriptor; undefined if unreadable. Throws if no descriptor is free. */
function opened(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EMFILE' || code === 'ENFILE' || code === undefined) throw error
    return undefined
  }
}

/** The path of the program interpreter that an ELF file names; empty if there is no interpreter. */
export function interpreter(bytesAt: (length: number, position: number) => DataView): string {
  const header = bytesAt(ELF_HEADER_BYTES, 0)
  // The magic number, 64 bits, little-endian, as on every Linux platform of this package.
  if (header.byteLength < ELF_HEADER_BYTES || header.getUint32(0) !== 0x7f454c46) return ''
  if (header.getUint8(4) !== 2 || header.getUint8(5) !== 1) return ''
  const [start, count] = [Number(header.getBigUint64(32, true)), header.getUint16(56, true)]
  const entries = bytesAt(count * PROGRAM_HEADER_BYTES, start)
  for (let at = 0; at + PROGRAM_HEADER_BYTES <= entries.byteLength; at += PROGRAM_HEADER_BYTES) {
    if (entries.getUint32(at, true) !== PT_INTERP) continue
    const [offset, length] = [entries.getBigUint64(at + 8, true), entries.getBigUint64(at + 32, true)]
    const path = bytesAt(Math.min(Number(length), LONGEST_PATH), Number(offset))
    let text = ''
    for (let i = 0; i < path.byteLength; i++) text += String.fromCharCode(path.getUint8(i))
    return text
  }
  return ''
}

/** `length` bytes of a file from `position` on; fewer if the file ends before. */
function read(file: number, length: number, position: number): DataView {
  const bytes = new Uint8Array(length)
  const found = length === 0 ? 0 : readSync(file, bytes, 0, length, position)
  return new DataView(bytes.buffer, 0, found)
}
