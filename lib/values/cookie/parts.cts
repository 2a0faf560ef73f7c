// A value too long for one cookie, in several: `count.`, a mark and the first part under the name,
// and the mark and each other part under names of their own.
import { uncurried } from '../../cipher/base/builtins.cjs'

/**
 * The characters of a mark: the last ones of the sealed text, so part of its tag. Another host of
 * the site can set cookies of these names, but cannot guess the mark.
 */
export const MARK = 12
/** No declaration has such a name: else the parts of one would be the cookie of another. */
const PART_OF_NAME = /~[1-7]$/
const test: (pattern: RegExp, text: string) => boolean = uncurried(RegExp.prototype.test)

/** The name of a part from 1 on. */
export function partName(name: string, i: number): string {
  return `${name}~${i}`
}

export function isPartName(name: string): boolean {
  return test(PART_OF_NAME, name)
}
