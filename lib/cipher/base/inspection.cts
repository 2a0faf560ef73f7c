// How util.inspect and console.log show the objects of this package: facts, never bytes of keys.
import { define, util } from './builtins.cjs'

const { inspect } = util

/** Shows objects of a class by their `facts`, other receivers as empty: inspection never throws. */
export function showAs<Shown extends object>(
  Class: abstract new (...values: never) => Shown,
  name: string,
  is: (self: object) => boolean,
  facts: (self: Shown) => object,
): void {
  define(Class.prototype, inspect.custom, function show(this: unknown, depth: number, options: object) {
    if (depth < 0) return `[${name}]`
    const known = typeof this === 'object' && this !== null && is(this)
    return `${name} ${inspect(known ? facts(this as Shown) : {}, options)}`
  })
}
