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
 *
 * TypeORM stores what the entity holds, so that the entity holds sealed texts while it is saved. A save that fails gives the clear texts
 * back when TypeORM rolls its transaction back, and otherwise the next save does: a text is never sealed twice.
 */
export class SealedColumns {
  /** Of entities that are being saved: the clear text and the sealed one of each column. */
  #saving = new WeakMap()
  /** The entities that a connection saves at the moment. */
  #entities = new WeakMap()

  constructor(keyring, columns) {
    Object.assign(this, { keyring, columns })
  }

  beforeInsert(event) {
    this.#seal(event)
  }

  beforeUpdate(event) {
    this.#seal(event)
  }

  afterInsert({ entity }) {
    this.#restore(entity)
  }

  afterUpdate({ entity }) {
    this.#restore(entity)
  }

  afterTransactionRollback({ queryRunner }) {
    for (const entity of this.#entities.get(queryRunner) ?? []) this.#restore(entity)
    this.#entities.delete(queryRunner)
  }

  afterTransactionCommit({ queryRunner }) {
    this.#entities.delete(queryRunner)
  }

  afterLoad(entity, { metadata }) {
    for (const [column, place] of this.#places(entity, metadata))
      entity[column] = this.keyring.openText(entity[column], place)
  }

  #seal({ entity, metadata, queryRunner }) {
    const places = this.#places(entity, metadata)
    if (places.length === 0) return
    this.#restore(entity)
    const texts = new Map()
    this.#saving.set(entity, texts)
    this.#entities.set(queryRunner, (this.#entities.get(queryRunner) ?? new Set()).add(entity))
    for (const [column, place] of places) {
      const clear = entity[column]
      entity[column] = this.keyring.sealText(clear, place)
      texts.set(column, { clear, sealed: entity[column] })
    }
  }

  /** Puts the clear texts in the place of the sealed ones, unless the program has set the column since. */
  #restore(entity) {
    for (const [column, { clear, sealed }] of this.#saving.get(entity) ?? [])
      if (entity[column] === sealed) entity[column] = clear
    this.#saving.delete(entity)
  }

  /** The columns of an entity that hold a text, each with its place. */
  #places(entity, { tableName }) {
    const columns = (this.columns[tableName] ?? []).filter(column => typeof entity?.[column] === 'string')
    if (columns.length > 0 && entity.id === undefined)
      throw new TypeError(`an id is needed to seal or open ${tableName}.${columns[0]}: select it too`)
    return columns.map(column => [column, context(tableName, column, entity.id)])
  }
}
