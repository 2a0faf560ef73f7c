// Which C library this process runs on: the ELF program interpreter of its executable tells. No other thread is asked, no
// process started, no handle counted: Node's own report does all three.
import { codeOf, fs } from '../builtins.cjs'

const { closeSync, openSync, readSync } = fs

/** The program of this very process, even where a new version has replaced its file. */
const EXECUTABLE = process.platform === 'linux' ? '/proc/self/exe' : process.execPath

// The System V ABI, "Program Header"; sizes and places are those of 64-bit ELF.
const ELF_HEADER_BYTES = 64
const PROGRAM_HEADER_BYTES = 56
const PT_INTERP = 3
const LONGEST_PATH = 4096

/**
 * `undefined` where it cannot be told: the permission model forbids the file, or it names no interpreter, as on macOS.
 *
 * Opening a file also shows whether a descriptor is to be had. Without one, Node would find no package, and remember that:
 * its error (`EMFILE`, `ENFILE`) is thrown on, before anything is looked for. The permission model refuses the executable
 * before it asks for a descriptor, so `own`, a file that this process has read already, is opened then.
 */
export function cLibrary(own: string): 'gnu' | 'musl' | undefined {
  const file = opened(EXECUTABLE)
  if (file === undefined) {
    const other = opened(own)
    if (other !== undefined) closeSync(other)
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

/** A descriptor of a file, if the file may be read; throws where no descriptor is to be had. */
function opened(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EMFILE' || code === 'ENFILE' || code === undefined) throw error
    return undefined
  }
}

/** The path of the program interpreter that an ELF file names; empty where it names none. */
export function interpreter(bytesAt: (length: number, position: number) => DataView): string {
  const header = bytesAt(ELF_HEADER_BYTES, 0)
  // The magic number, 64 bits, little-endian: what every processor with a package of ours has.
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

/** As many of these bytes as the file has. */
function read(file: number, length: number, position: number): DataView {
  const bytes = new Uint8Array(length)
  const found = length === 0 ? 0 : readSync(file, bytes, 0, length, position)
  return new DataView(bytes.buffer, 0, found)
}
