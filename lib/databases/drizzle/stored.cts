// A value of a column, as the program sees it: an opaque object. Drizzle passes it on unchanged,
// and the types of columns accept nothing else, so a string of the program never reaches a query.
import { markAsUncloneable } from '../../cipher/base/builtins.cjs'
import { wrongReceiver, wrongState } from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import type { Column } from '../../values/columns/column.cjs'
import type { Declaration } from '../../values/columns/declaration.cjs'

/** A column of a table: its values, or its blind indexes. */
export interface Place {
  readonly declaration: Declaration
  readonly column: Column
  readonly isIndex: boolean
}

interface Content {
  readonly place: Place
  /** The value in the database. */
  readonly content: unknown
  /** The key for which the row was sealed, as `textOfKey` writes it; undefined for other values. */
  readonly key: string | undefined
}

/** Returns the content of a value; undefined for other values. */
export let contentOf: (value: unknown) => Content | undefined

export class Stored {
  readonly #place: Place
  readonly #content: unknown
  readonly #key: string | undefined

  static {
    contentOf = value =>
      typeof value === 'object' && value !== null && #place in value
        ? { place: value.#place, content: value.#content, key: value.#key }
        : undefined
    showAs(
      Stored,
      'Stored',
      self => #place in self,
      self => ({ column: nameOf(self.#place) }),
    )
  }

  constructor(place: Place, content: unknown, key?: string) {
    markAsUncloneable(this)
    this.#place = place
    this.#content = content
    this.#key = key
  }

  /** Leaves an index out of the JSON of its row. */
  toJSON(property: unknown): undefined {
    const place = contentOf(this)?.place
    if (place?.isIndex !== true || property === '') throw notText(place)
  }

  toString(): never {
    throw notText(contentOf(this)?.place)
  }
}

/** The name of a column in messages. */
export function nameOf({ declaration, column, isIndex }: Place): string {
  return `${declaration.table}.${isIndex ? column.index?.name : column.name}`
}

/** The error of a use as a string, such as that of a driver to which no type of a column spoke. */
function notText(place: Place | undefined): Error {
  if (place === undefined) return wrongReceiver('Stored')
  const help = place.isIndex ? 'compare it by eq() or inArray()' : 'pass the result of the query to opened()'
  return wrongState(`"${nameOf(place)}" is not a string: ${help}`)
}
