// The keys pressed at a terminal in raw mode, which neither shows nor edits what is typed.
import type { Buffer } from 'node:buffer'
import { Growing } from './growing.cjs'

const CTRL_C = 0x03
const CTRL_H = 0x08
const TAB = 0x09
const NEWLINE = 0x0a
const ENTER = 0x0d
const CTRL_U = 0x15
const ESCAPE = 0x1b
const SPACE = 0x20
const BACKSPACE = 0x7f
/** Ctrl-D and, on Windows, Ctrl-Z. */
const ENDS = process.platform === 'win32' ? [0x04, 0x1a] : [0x04]
/** More than a key or a few shares. */
const EXPECTED = 1024

/** The effect of a key that adds no character: for example, it completed a line. */
type Stroke = { line: number; characters: number } | 'end' | 'interrupt' | undefined

/** The typed bytes, without deleted ones. Lines end with a newline. */
export class Keystrokes {
  readonly #typed: Growing
  /** Where the current line begins. */
  #line = 0
  #lines = 0
  /** The last part received of the sequence that an arrow or another key sends. */
  #sequence: 'none' | 'escape' | 'single' | 'control' = 'none'

  constructor(limit: number) {
    this.#typed = new Growing(limit, EXPECTED)
  }

  get bytes(): Buffer {
    return this.#typed.bytes
  }

  wipe(): void {
    this.#typed.wipe()
  }

  take(byte: number): Stroke {
    if (byte < SPACE || byte === BACKSPACE) {
      this.#sequence = byte === ESCAPE ? 'escape' : 'none'
      return this.#control(byte)
    }
    if (!this.#inSequence(byte)) this.#add(byte)
    return undefined
  }

  #control(byte: number): Stroke {
    if (ENDS.includes(byte)) return 'end'
    switch (byte) {
      case CTRL_C:
        return 'interrupt'
      case CTRL_H:
      case BACKSPACE:
        this.#typed.cut(this.#lastCharacter())
        return undefined
      case CTRL_U:
        this.#typed.cut(this.#line)
        return undefined
      case TAB:
        this.#add(byte)
        return undefined
      case ENTER:
      case NEWLINE: {
        const characters = this.#typed.length - this.#line
        this.#add(NEWLINE)
        this.#line = this.#typed.length
        return { line: ++this.#lines, characters }
      }
      default:
        return undefined
    }
  }

  #add(byte: number): void {
    this.#typed.room[0] = byte
    this.#typed.took(1)
  }

  /** Where the last character of the line begins: a character of UTF-8 may have several bytes. */
  #lastCharacter(): number {
    const { bytes } = this.#typed
    let at = bytes.length
    while (at > this.#line && ((bytes[--at] as number) & 0xc0) === 0x80) {}
    return at
  }

  /** Whether a byte belongs to a sequence (ECMA-48 5.4) of an arrow, or around pasted text. */
  #inSequence(byte: number): boolean {
    const before = this.#sequence
    if (before === 'none') return false
    if (before === 'escape') this.#sequence = byte === 0x5b ? 'control' : byte === 0x4f ? 'single' : 'none'
    else if (before === 'single' || byte >= 0x40) this.#sequence = 'none'
    return true
  }
}
