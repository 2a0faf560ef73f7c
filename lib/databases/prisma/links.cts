// Relations: their foreign keys, and the fields that must not change because of them.
import { wrongValue } from '../../cipher/base/errors.cjs'
import type { Link, Model } from './model.cjs'
import type { ForeignKey, ModelText } from './schema-text.cjs'

type Schema = ReadonlyMap<string, ModelText> | undefined
/** The name of a relation, by which its two sides are one. */
export type RelationNames = ReadonlyMap<Model, ReadonlyMap<string, unknown>>

const KEEP = ['Restrict', 'NoAction']

export function linkOf(
  model: Model,
  relation: string,
  names: RelationNames,
  schema: Schema,
): Link | undefined {
  const target = model.relations.get(relation) as Model
  const back = backOf(model, relation, target, names)
  if (schema === undefined) return byNames(model, relation, target, back)
  const here = schema.get(model.name)
  const there = schema.get(target.name)
  const own = here?.foreignKeys.get(relation)
  if (own !== undefined) return linkBy('here', own, model, target)
  const other = back === undefined ? undefined : there?.foreignKeys.get(back)
  if (other !== undefined) return turned(linkBy('there', other, target, model))
  const isKnown = here?.fields.has(relation) && back !== undefined && there?.fields.has(back)
  return isKnown ? { owner: 'neither', pairs: [], follows: false } : undefined
}

/** The relation as the other model names it. */
function backOf(model: Model, relation: string, target: Model, names: RelationNames): string | undefined {
  const others = [...target.relations].filter(
    ([name, other]) => other === model && (target !== model || name !== relation),
  )
  const name = names.get(model)?.get(relation)
  const same = others.filter(([other]) => names.get(target)?.get(other) === name)
  const [back, second] = same.length > 0 ? same : others
  return second === undefined ? back?.[0] : undefined
}

function linkBy(owner: 'here' | 'there', key: ForeignKey, own: Model, target: Model): Link | undefined {
  const { fields, references, onUpdate } = key
  const isKnown =
    fields.length > 0 &&
    fields.length === references.length &&
    fields.every(name => own.fields.has(name)) &&
    references.every(name => target.fields.has(name))
  if (!isKnown) return undefined
  const pairs = fields.map((field, i) => [field, references[i] as string] as const)
  return { owner, pairs, follows: onUpdate === undefined || !KEEP.includes(onUpdate) }
}

function turned(link: Link | undefined): Link | undefined {
  return link && { ...link, pairs: link.pairs.map(([there, here]) => [here, there]) }
}

/** Without a text of the schema: `tenantId` is the foreign key of `tenant`. */
function byNames(model: Model, relation: string, target: Model, back: string | undefined): Link | undefined {
  const own = pairsByName(model, relation, target)
  const others = back === undefined ? [] : pairsByName(target, back, model)
  if (own.length > 0 && others.length > 0) return undefined
  if (refersToKey(own, target)) return { owner: 'here', pairs: own, follows: true }
  return refersToKey(others, model) ? turned({ owner: 'there', pairs: others, follows: true }) : undefined
}

/** Whether a foreign key is of the whole key, or of one field if the key is not known. */
function refersToKey(pairs: Link['pairs'], { declaration }: Model): boolean {
  const rowKey = declaration?.rowKey ?? []
  if (rowKey.length === 0) return pairs.length === 1
  return pairs.length === rowKey.length && pairs.every(([, reference]) => rowKey.includes(reference))
}

function pairsByName(model: Model, relation: string, target: Model): (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = []
  for (const [name, type] of target.fields) {
    const field = `${relation}${name.charAt(0).toUpperCase()}${name.slice(1)}`
    if (!target.relations.has(name) && model.fields.get(field) === type) pairs.push([field, name])
  }
  return pairs
}

/** Finds the fields that may not change: those of keys, and those that keys follow. */
export function bind(models: Iterable<Model & { readonly bound: Set<string> }>): void {
  const all = [...models]
  const boundOf = new Map<Model, Set<string>>(all.map(model => [model, model.bound]))
  for (const { declaration, bound } of all) for (const name of declaration?.rowKey ?? []) bound.add(name)
  // Once for each step along relations.
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false
    for (const { links, relations, bound } of all)
      for (const [relation, { owner, pairs, follows }] of links)
        for (const [field, reference] of pairs) {
          const other = boundOf.get(relations.get(relation) as Model)
          if (owner !== 'here' || !follows || !bound.has(field) || other?.has(reference) !== false) continue
          other.add(reference)
          isGrowing = true
        }
  }
}

/** Refuses a schema by which the database changes a key on its own, when another row is deleted. */
export function refuseLost({ name, bound, declaration }: Model, text: ModelText | undefined): void {
  for (const part of declaration?.rowKey ?? [])
    if (text?.optional.has(part))
      throw wrongValue(
        `"models.${name}" needs '${part}' to be required in the schema: NULL cannot be a row key`,
      )
  for (const [relation, { fields, onDelete = 'SetNull' }] of text?.foreignKeys ?? [])
    for (const field of fields) {
      const isSet = onDelete === 'SetNull' ? text?.optional.has(field) : onDelete === 'SetDefault'
      if (!isSet || !bound.has(field)) continue
      throw wrongValue(
        `a deletion changes '${field}' of ${name}, to which values are bound: write onDelete: Cascade or Restrict for '${relation}' in the schema`,
      )
    }
}
