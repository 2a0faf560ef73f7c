// Rows linked by the write of another row, and the keys that a link would change.
import { wrongValue } from '../../cipher/base/errors.cjs'
import type { Model } from './model.cjs'

/** The value of a field; undefined if it is not known. */
export type Known = (field: string) => unknown
/** Fields that a row gets from the row around it, whether or not their values are known. */
export type Around = ReadonlyMap<string, () => unknown>

export const NOTHING: Around = new Map()

/** A row that is written. */
export interface Written {
  readonly model: Model
  readonly isNew: boolean
  readonly part: Known
  /** A relation sets a field of the row: to this value, if it is known. */
  set(path: string, field: string, value: unknown): void
  /** A relation sets fields that are not known. */
  setUnknown(): void
}

/** The other side of a relation of a row that is written. */
export interface Relative {
  readonly target: Model
  /** What its rows get from the row: new ones, and those that the relation leads to already. */
  readonly aroundNew: Around
  readonly aroundOld: Around
  /** A row becomes related to the row. */
  related(path: string, named: Known, isNew: boolean): void
  /** Rows are related no longer. */
  unrelated(path: string, isDeleted: boolean): void
}

export function relativeOf(written: Written, relation: string): Relative {
  const { model, isNew, part } = written
  const target = model.relations.get(relation) as Model
  const link = model.links.get(relation)
  const { owner, pairs } = link ?? { owner: 'neither', pairs: [] }
  const aroundNew = new Map<string, () => unknown>()
  const aroundOld = new Map<string, () => unknown>()
  for (const [here, there] of pairs) {
    const value = () => part(here)
    if (owner === 'there') aroundNew.set(there, value)
    // Otherwise, the relation could lead elsewhere before the other row is written.
    if (owner === 'there' || model.bound.has(here)) aroundOld.set(there, value)
  }
  return {
    target,
    aroundNew,
    aroundOld,
    related(path, named, isNewRow) {
      if (link === undefined) {
        const mayMove = (!isNewRow && target.bound.size > 0) || (!isNew && model.bound.size > 0)
        if (mayMove) throw unknownLink(path, relation)
        written.setUnknown()
      }
      for (const [here, there] of pairs) {
        if (owner === 'here') written.set(path, here, model.bound.has(here) ? named(there) : undefined)
        else if (!isNewRow && target.bound.has(there)) {
          const value = part(here)
          if (value === undefined || named(there) !== value) throw moved(path, target, there)
        }
      }
    },
    unrelated(path, isDeleted) {
      if (link === undefined) {
        if (model.bound.size > 0 || target.bound.size > 0) throw unknownLink(path, relation)
        written.setUnknown()
      }
      for (const [here, there] of pairs) {
        if (owner === 'here') written.set(path, here, undefined)
        else if (!isDeleted && target.bound.has(there)) throw moved(path, target, there)
      }
    },
  }
}

export function moved(path: string, { name, declaration }: Model, field: string): Error {
  if (declaration?.rowKey.includes(field))
    return wrongValue(
      `"${path}" may change '${field}' of ${name}, which is the row's key, to which its values are bound: copy the row to a new one, and delete it`,
    )
  return wrongValue(
    `"${path}" may change '${field}' of ${name}, which keys of other rows follow, to which their values are bound: make a new row, copy the others to it, and delete them`,
  )
}

function unknownLink(path: string, relation: string): Error {
  return wrongValue(
    `"${path}" may change a key to which values are bound, since this client of Prisma does not report the foreign key of '${relation}': write the field of the foreign key itself`,
  )
}
