// Fields of blind indexes: clear text for one would be sent to the database.
import { keys } from '../base/builtins.cjs'
import { isList } from '../base/lists.cjs'
import type { Model } from './model.cjs'
import { isPlain, refused } from './objects.cjs'

/** The index of a value: 16 bytes in base64url. */
const INDEX = /^[\w-]{22}$/

/** Returns a filter or a value of a field as it is, without clear text if that is an index. */
export function indexesIn(model: Model, name: string, path: string, given: unknown): unknown {
  const field = model.indexes.get(name)
  if (field !== undefined) refuseClear(field, path, given)
  return given
}

function refuseClear(field: string, path: string, given: unknown): void {
  if (isList(given)) for (const one of given) refuseClear(field, path, one)
  else if (isPlain(given)) {
    for (const name of keys(given)) if (name !== 'mode') refuseClear(field, `${path}.${name}`, given[name])
  } else if (typeof given === 'string' && !INDEX.test(given))
    throw refused(
      `"${path}" must be an index, and has clear text: name '${field}' instead, which has the index`,
    )
}
