// The option newKey: functions that make parts of the keys of new rows.
import { keys } from '../../cipher/base/builtins.cjs'
import { mustBe, wrongValue } from '../../cipher/base/errors.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import type { Declaration } from '../../values/columns/declaration.cjs'
import type { Model, NewKey, NewKeys } from './model.cjs'
import { isObject } from './objects.cjs'

/** One function, or one for each field. */
export function parseNewKey(
  name: string,
  given: unknown,
  { rowKey }: Declaration,
): NewKey | NewKeys | undefined {
  if (given === undefined) return undefined
  const argument = `options.newKey.${name}`
  if (rowKey.length === 0)
    throw wrongValue(`"${argument}" makes the key of a row, and "rowKey" of ${name} is false`)
  if (!isObject(given)) return functionOf(argument, given)
  const own = optionsOf(given, rowKey, argument)
  return new Map(keys(given).map(field => [field, functionOf(`${argument}.${field}`, own(field))]))
}

function functionOf(argument: string, given: unknown): NewKey {
  if (typeof given === 'function') return () => given()
  throw mustBe(argument, 'a function', given)
}

/** One function makes the key field that no relation provides. */
export function newKeysOf(model: Model, newKey: NewKey | NewKeys | undefined): NewKeys {
  if (typeof newKey !== 'function') return newKey ?? new Map()
  const own = ownParts(model)
  if (own.length === 1) return new Map([[own[0] as string, newKey]])
  const argument = `"options.newKey.${model.name}"`
  if (own.length === 0)
    throw wrongValue(`${argument} has no effect, because relations provide the key: remove it`)
  throw wrongValue(`${argument} is one function for ${own.length} fields: pass ${adviceFor(model)}`)
}

/** The `newKey` that a model needs, for messages. */
export function adviceFor(model: Model): string {
  const own = ownParts(model).map(field => `${field}: crypto.randomUUID`)
  const isOne = model.declaration?.rowKey.length === 1
  return `{ newKey: { ${model.name}: ${isOne ? 'crypto.randomUUID' : `{ ${own.join(', ')} }`} } }`
}

/** The fields of the key that are no foreign keys. */
function ownParts({ declaration, links }: Model): readonly string[] {
  const foreign = new Set<string>()
  for (const { owner, pairs } of links.values())
    if (owner === 'here') for (const [field] of pairs) foreign.add(field)
  return (declaration?.rowKey ?? []).filter(name => !foreign.has(name))
}

/** The relations by which a field of the key comes, each with the field that it refers to. */
export function sourcesOf(
  { links }: Model,
  field: string,
): readonly { relation: string; reference: string }[] {
  const sources: { relation: string; reference: string }[] = []
  for (const [relation, { owner, pairs }] of links)
    for (const [own, reference] of owner === 'here' ? pairs : [])
      if (own === field) sources.push({ relation, reference })
  return sources
}
