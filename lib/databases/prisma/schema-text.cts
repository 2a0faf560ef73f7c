// The text of a schema, which a client of Prisma 7 has: foreign keys, and fields that may be NULL.
//
// At run time, Prisma reports the names and types of relations, but not their foreign keys.
import { isObject } from './objects.cjs'

/** The arguments of `@relation` in the model that has the foreign key. */
export interface ForeignKey {
  readonly fields: readonly string[]
  readonly references: readonly string[]
  readonly onUpdate: string | undefined
  readonly onDelete: string | undefined
}

/** A model in the text. */
export interface ModelText {
  readonly fields: ReadonlySet<string>
  readonly optional: ReadonlySet<string>
  readonly unique: ReadonlySet<string>
  /** By the field of the relation. */
  readonly foreignKeys: ReadonlyMap<string, ForeignKey>
}

const TEXTS_AND_COMMENTS = /"(?:\\.|[^"\\])*"|\/\/.*|\/\*[\s\S]*?\*\//g
const MODEL = /^[ \t]*(?:model|view)\s+([\w-]+)\s*\{([^}]*)\}/gm
const FIELD = /^[ \t]*([\w-]+)[ \t]+[\w-]+(?:\([^)]*\))?(\?)?(.*)$/gm

/** The models in the text of a client's schema; undefined if the client has none. */
export function schemaOf(client: unknown): ReadonlyMap<string, ModelText> | undefined {
  const config = (client as { _engineConfig?: unknown })._engineConfig
  const text = isObject(config) ? config.inlineSchema : undefined
  if (typeof text !== 'string') return undefined
  const plain = text.replace(TEXTS_AND_COMMENTS, found => (found[0] === '"' ? '""' : ' '))
  const models = new Map<string, ModelText>()
  for (const [, name, block] of plain.matchAll(MODEL)) models.set(name as string, modelOf(block as string))
  return models
}

function modelOf(block: string): ModelText {
  const fields = new Set<string>()
  const optional = new Set<string>()
  const unique = new Set<string>()
  const foreignKeys = new Map<string, ForeignKey>()
  // One field a line.
  const lines = block.replace(/\([^)]*\)/g, found => found.replaceAll('\n', ' '))
  for (const [, name = '', mark, attributes = ''] of lines.matchAll(FIELD)) {
    fields.add(name)
    if (mark !== undefined) optional.add(name)
    if (/@(?:unique|id)\b/.test(attributes)) unique.add(name)
    const relation = /@relation\s*\(([^)]*)\)/.exec(attributes)?.[1]
    if (relation === undefined || !relation.includes('fields')) continue
    const [own, references] = [namesIn(relation, 'fields'), namesIn(relation, 'references')]
    const [onUpdate, onDelete] = ['onUpdate', 'onDelete'].map(
      action => new RegExp(`${action}\\s*:\\s*(\\w+)`).exec(relation)?.[1],
    )
    foreignKeys.set(name, { fields: own, references, onUpdate, onDelete })
  }
  return { fields, optional, unique, foreignKeys }
}

/** The names in an argument such as `fields: [tenantId, id]`. */
function namesIn(relation: string, argument: string): readonly string[] {
  const list = new RegExp(`${argument}\\s*:\\s*\\[([^\\]]*)\\]`).exec(relation)?.[1] ?? ''
  return list.match(/[\w-]+/g) ?? []
}
