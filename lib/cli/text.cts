// The marks at the start of a text file, which programs on Windows write and do not show; and texts that are safe to show.
import type { Buffer } from 'node:buffer'

/** Why a file in UTF-16 cannot be used, and how to avoid such a file. */
export const UTF_16 = 'is UTF-16 text, as `>` of Windows PowerShell 5 writes it: write the file with --out'

/** Text without the byte order mark of UTF-8, with which Notepad may begin a file. */
export function withoutMark(bytes: Buffer): Buffer {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return isMarked ? bytes.subarray(3) : bytes
}

/** Whether a file begins with a byte order mark of UTF-16. */
export function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

/** Characters that would break the line, or that a terminal would obey: a name of a file may hold any. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** A text whose unsafe characters are written as their numbers. */
export function shownSafely(text: string): string {
  return text.replace(UNSAFE, character => `\\u{${(character.codePointAt(0) as number).toString(16)}}`)
}
