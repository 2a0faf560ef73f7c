// A model of a Prisma client, with its relations and its encrypted columns.
import type { Column } from '../../values/columns/column.cjs'
import type { Declaration } from '../../values/columns/declaration.cjs'

export interface Model {
  readonly name: string
  /** The type of each field, such as 'String'. */
  readonly fields: ReadonlyMap<string, string>
  readonly relations: ReadonlyMap<string, Model>
  /** By the relation. One without a link has a foreign key that is not known. */
  readonly links: ReadonlyMap<string, Link>
  /** Fields that may not change: those of the row's key, and those that other rows' keys follow. */
  readonly bound: ReadonlySet<string>
  /** Fields that must have a plain value in a condition for one row, if the schema is known. */
  readonly unique: ReadonlySet<string>
  readonly declaration: Declaration | undefined
  readonly columns: ReadonlyMap<string, Column>
  /** The fields of blind indexes, and the encrypted field of each. */
  readonly indexes: ReadonlyMap<string, string>
  /** Functions that make parts of the key of a new row. */
  readonly newKeys: NewKeys
  /** Whether arguments can contain values of encrypted columns, here or behind relations. */
  readonly isConcerned: boolean
}

/** How two related rows are linked. */
export interface Link {
  /** Which of the two has the foreign key; neither, if a table between them has it. */
  readonly owner: 'here' | 'there' | 'neither'
  /** Fields that are equal in both rows. */
  readonly pairs: readonly (readonly [here: string, there: string])[]
  /** Whether the foreign key follows a change of what it refers to, by onUpdate. */
  readonly follows: boolean
}

export type NewKey = () => unknown
/** By the field that a function makes. */
export type NewKeys = ReadonlyMap<string, NewKey>
