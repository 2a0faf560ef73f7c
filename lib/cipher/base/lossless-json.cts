// JSON that round-trips: values that JSON.stringify would change or drop are refused.
import { getPrototypeOf, keys as namesOf, types } from './builtins.cjs'
import { wrongValue } from './errors.cjs'
import { isList } from './lists.cjs'
import { codedIfRevoked } from './parse.cjs'
import { kindOf } from './views.cjs'

const { isDate, isProxy } = types
const { is } = Object
const { isFinite: isFiniteNumber } = Number
const { stringify } = JSON

/** Deeper values are refused: most of them are circles. */
const MAX_DEPTH = 500

/**
 * The JSON of a value; each property is read once. `argument` names the value: names of
 * members are data, which no error shows.
 */
export function jsonOf(argument: string, value: unknown, depth = 0): string {
  switch (typeof value) {
    case 'string':
      return stringify(value)
    case 'boolean':
      return `${value}`
    case 'number':
      if (isFiniteNumber(value)) return numberText(value)
      throw refused(argument, `has no ${value}: pass null or a string`)
    case 'bigint':
      throw refused(argument, 'has no bigint: pass a string')
    case 'object':
      break
    default:
      throw refused(argument, `has no ${typeof value}`)
  }
  if (value === null) return 'null'
  if (depth === MAX_DEPTH) throw refused(argument, `has at most ${MAX_DEPTH} levels here: is it circular?`)
  try {
    if (isList(value)) return jsonOfList(argument, value, depth)
    return jsonOfObject(argument, value as Record<string, unknown>, depth)
  } catch (error) {
    throw codedIfRevoked(argument, value, error)
  }
}

function jsonOfList(argument: string, list: readonly unknown[], depth: number): string {
  let text = ''
  const { length } = list
  for (let i = 0; i < length; i++) text += `${i > 0 ? ',' : ''}${jsonOf(argument, list[i], depth + 1)}`
  return `[${text}]`
}

function jsonOfObject(argument: string, object: Record<string, unknown>, depth: number): string {
  refuseInstance(argument, object)
  let text = ''
  const names = namesOf(object)
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    const value = object[name]
    // As JSON.stringify does: the member reads as undefined when it comes back.
    if (value === undefined) continue
    const member = jsonOf(argument, value, depth + 1)
    text += `${text === '' ? '' : ','}${stringify(name)}:${member}`
  }
  return `{${text}}`
}

/** Refuses instances of classes: JSON would keep their members alone, or what toJSON makes. */
function refuseInstance(argument: string, object: object): void {
  const prototype: object | null = getPrototypeOf(object)
  if (prototype === null || (!isProxy(prototype) && getPrototypeOf(prototype) === null)) return
  const what = isDate(object)
    ? 'has no Date: pass date.toISOString()'
    : `has no instances of classes, such as this ${kindOf(object)}: pass a plain object`
  throw refused(argument, what)
}

/** A finite number as JSON, which returns the same number, even for -0. */
export function numberText(value: number): string {
  return is(value, -0) ? '-0' : `${value}`
}

function refused(argument: string, what: string): Error {
  return wrongValue(`"${argument}" must be JSON, which ${what}`)
}
