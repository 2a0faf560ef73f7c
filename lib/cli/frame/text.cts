// Byte order marks at the start of text files, from programs on Windows; and texts that are safe to
// show.
import type { Buffer } from 'node:buffer'

/** Why a file in UTF-16 cannot be used, and how to avoid such a file. */
export const UTF_16 = 'is UTF-16 text, as Windows PowerShell 5 writes with `>`: write the file with --out'

/** Text without the byte order mark of UTF-8, with which Notepad may begin a file. */
export function withoutMark(bytes: Buffer): Buffer {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return isMarked ? bytes.subarray(3) : bytes
}

/** Whether a file begins with a byte order mark of UTF-16. */
export function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

/**
 * Characters that would break the line, command the terminal, or stay invisible: file names may
 * contain any. U+2800 is the braille pattern without dots. All blanks but the space look alike.
 */
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/gu

const hexOf = (number: number) => number.toString(16)

/** A text from elsewhere, as one line of output: unsafe characters are written as numbers. */
export function shownSafely(text: string): string {
  return text.replace(UNSAFE, character => `\\u{${hexOf(character.codePointAt(0) as number)}}`)
}

/** JSON with unsafe characters escaped, which means the same. Line breaks only between members. */
export function shownAsJson(value: object, indent?: number): string {
  const escaped = (character: string) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${hexOf(character.charCodeAt(i)).padStart(4, '0')}`,
    )
  return JSON.stringify(value, undefined, indent).replace(UNSAFE, character =>
    character === '\n' ? character : escaped(character).join(''),
  )
}
