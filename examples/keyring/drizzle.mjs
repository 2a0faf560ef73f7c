// Drizzle: a column that accepts only sealed strings. `sealedText` is the type of the column, and
// `Cells` seals and opens its values, each for its row.
import { getTableName } from 'drizzle-orm'
import { customType } from 'drizzle-orm/sqlite-core'
import { context } from 'hardware-aes-gcm/keyring'

/**
 * A column of sealed strings. A custom type sees neither the row nor the table of a value, so it
 * cannot seal for a row: `Cells` does. The type refuses a string that is not sealed, so no clear
 * text is stored by mistake.
 */
export const sealedText = customType({
  dataType: () => 'text',
  toDriver(value) {
    if (!SEALED.test(value)) throw new TypeError('the value is not sealed: seal it with Cells')
    return value
  },
})

/** Base64url of at least 33 bytes, the first of which is the version, 1. */
const SEALED = /^A[Q-Za-f][\w-]{42,}$/

/** Seals and opens the cells of sealed columns, each for its table, column and row. */
export class Cells {
  constructor(keyring) {
    this.keyring = keyring
  }

  seal(column, id, text) {
    return this.keyring.sealText(text, placeOf(column, id))
  }

  open(column, id, sealed) {
    return this.keyring.openText(sealed, placeOf(column, id))
  }
}

const placeOf = (column, id) => context(getTableName(column.table), column.name, id)
