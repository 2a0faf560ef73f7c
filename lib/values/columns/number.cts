// Parses the numbers of JSON: most of them here, in half the time of JSON.parse.
import { parseJson, unitAt } from '../../cipher/base/builtins.cjs'

/** As many digits as every double keeps. */
const DIGITS = 15
const POWERS = Float64Array.from({ length: DIGITS + 1 }, (_, exponent) => 10 ** exponent)

/** As JSON.parse, whatever the text. */
export function parsedNumber(text: string): unknown {
  return decimalOf(text) ?? parseJson(text)
}

/**
 * The number of a plain decimal such as `-12.5`; undefined for other texts. Its digits and the
 * power of ten are exact, so their quotient is the nearest double.
 */
function decimalOf(text: string): number | undefined {
  const end = text.length
  const isNegative = unitAt(text, 0) === 0x2d
  const start = isNegative ? 1 : 0
  if (end > start + DIGITS + 1) return undefined
  let digits = 0
  let point = end
  for (let i = start; i < end; i++) {
    const unit = unitAt(text, i)
    if (unit >= 0x30 && unit <= 0x39) digits = digits * 10 + (unit - 0x30)
    else if (unit === 0x2e && point === end) point = i
    else return undefined
  }
  const whole = point - start
  const decimals = point === end ? 0 : end - point - 1
  if (whole === 0 || whole + decimals > DIGITS || (point < end && decimals === 0)) return undefined
  if (whole > 1 && unitAt(text, start) === 0x30) return undefined
  const number = decimals === 0 ? digits : digits / (POWERS[decimals] as number)
  return isNegative ? -number : number
}
