// Fields of blind indexes: refuses clear text, which would reach the database.
import { keys } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { isList } from '../../cipher/base/lists.cjs'
import type { Model } from './model.cjs'
import { isPlain, type Names } from './objects.cjs'

/** The index of a value: 16 bytes in base64url. */
const INDEX = /^[\w-]{22}$/

/**
 * Returns a filter of a field that is not encrypted as it is: without clear text if the field is an
 * index, and without comparing to ciphertexts, as `prisma.user.fields.email` does.
 */
export function clearFilter(model: Model, name: string, path: string, given: unknown): unknown {
  refuseIn(model, model.indexes.get(name), path, given)
  return given
}

/** Returns a value of a field as it is, which is an index if the field is one. */
export function indexValue(model: Model, name: string, path: string, given: unknown): unknown {
  const field = model.indexes.get(name)
  if (field !== undefined && given !== null && !isIndex(given)) throw notIndex(field, path)
  return given
}

function refuseIn(model: Model, indexed: string | undefined, path: string, given: unknown): void {
  if (isList(given)) {
    for (const one of given) refuseIn(model, indexed, path, one)
  } else if (isPlain(given) && typeof given.toJSON !== 'function') {
    for (const name of keys(given))
      if (name !== 'mode') refuseIn(model, indexed, `${path}.${name}`, given[name])
  } else if (typeof given === 'object' && given !== null) {
    if (indexed !== undefined) throw notIndex(indexed, path)
    const { modelName, name } = given as Names
    if (modelName === model.name && model.columns.has(name as string))
      throw wrongValue(
        `"${path}" compares with the encrypted field '${name}', whose ciphertexts are never equal`,
      )
  } else if (indexed !== undefined && typeof given === 'string' && !isIndex(given))
    throw notIndex(indexed, path)
}

const isIndex = (value: unknown) => typeof value === 'string' && INDEX.test(value)

function notIndex(field: string, path: string): Error {
  return wrongValue(
    `"${path}" must be an index, and has clear text: name '${field}' instead, which has the index`,
  )
}
