// TypeORM: columns that are sealed when an entity is saved, and opened when it is loaded, each for its row.
import { context } from 'hardware-aes-gcm/keyring'

/**
 * A condition for the database, that of SQLite here: the column takes nothing but sealed texts, which are base64url of at least 33 bytes, of
 * which the first one is the version 1. Query builders and raw SQL pass `SealedColumns` by: the database refuses their clear text.
 */
export const onlySealed = column =>
  `${column} GLOB 'A[Q-Za-f]*' AND length(${column}) >= 44 AND ${column} NOT GLOB '*[^A-Za-z0-9_-]*'`

/**
 * A subscriber that seals and opens the columns of entities: `dataSource.subscribers.push(new SealedColumns(keyring, { users: ['email'] }))`.
 * The id must be known before the first save, since the value is sealed for its row: crypto.randomUUID(), say.
 */
export class SealedColumns {
  constructor(keyring, columns) {
    Object.assign(this, { keyring, columns })
  }

  afterLoad(entity, event) {
    this.#each(entity, event, (text, place) => this.keyring.openText(text, place))
  }

  beforeInsert(event) {
    this.#each(event.entity, event, (text, place) => this.keyring.sealText(text, place))
  }

  afterInsert(event) {
    this.afterLoad(event.entity, event)
  }

  beforeUpdate(event) {
    this.#each(event.entity, event, (text, place) => this.keyring.sealText(text, place))
  }

  afterUpdate(event) {
    this.afterLoad(event.entity, event)
  }

  #each(entity, { metadata }, change) {
    const { tableName } = metadata
    for (const column of this.columns[tableName] ?? []) {
      if (typeof entity?.[column] !== 'string') continue
      if (entity.id === undefined) throw new TypeError(`an id is needed to seal ${tableName}.${column}`)
      entity[column] = change(entity[column], context(tableName, column, entity.id))
    }
  }
}
