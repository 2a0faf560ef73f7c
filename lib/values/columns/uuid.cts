// The form of a UUID in the place of a value: small letters. Databases with a type for UUIDs find a
// row by either case and return their own. A value sealed for the other case would never open
// again.
import { uncurried, unitAt } from '../../cipher/base/builtins.cjs'

const toLowerCase: (text: string) => string = uncurried(String.prototype.toLowerCase)

const LENGTH = 36

/** The text, in small letters if it is a UUID of RFC 9562 (section 4): 8-4-4-4-12 digits in hex. */
export function uuidInSmallLetters(text: string): string {
  if (text.length !== LENGTH) return text
  return isUuid(text) ? toLowerCase(text) : text
}

function isUuid(text: string): boolean {
  for (let i = 0; i < LENGTH; i++) {
    const unit = unitAt(text, i)
    const isHyphenPlace = i === 8 || i === 13 || i === 18 || i === 23
    if (isHyphenPlace ? unit !== 0x2d : !isHexDigit(unit)) return false
  }
  return true
}

function isHexDigit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)
}
