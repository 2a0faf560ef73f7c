// TypeORM: a subscriber seals columns when an entity is saved and opens them when it is loaded,
// each for its row.
import { context } from 'hardware-aes-gcm/keyring'

/**
 * A condition for the database, here for SQLite: the column accepts nothing but sealed strings, which
 * are base64url of at least 33 bytes, the first of which is the version, 1. Query builders and raw SQL
 * bypass `SealedColumns`: the database refuses their clear text.
 */
export const onlySealed = column =>
  `${column} GLOB 'A[Q-Za-f]*' AND length(${column}) >= 44 AND ${column} NOT GLOB '*[^A-Za-z0-9_-]*'`

/**
 * A subscriber that seals and opens the columns of entities:
 * `dataSource.subscribers.push(new SealedColumns(keyring, { users: ['email'] }))`. The id must be
 * known before the first save, since the value is sealed for its row: crypto.randomUUID(), say.
 *
 * TypeORM stores what the entity contains, so the entity contains sealed strings during a save. After
 * a failed save, the clear text returns when TypeORM rolls its transaction back, or else at the next
 * save: no value is ever sealed twice.
 */
export class SealedColumns {
  /** For entities being saved: the clear text and the sealed string of each column. */
  #saving = new WeakMap()
  /** The entities that each connection is saving. */
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

  /** Replaces the sealed strings by their clear text, unless the program has set the column since. */
  #restore(entity) {
    for (const [column, { clear, sealed }] of this.#saving.get(entity) ?? [])
      if (entity[column] === sealed) entity[column] = clear
    this.#saving.delete(entity)
  }

  /** The columns of an entity that contain a string, each with its place. */
  #places(entity, { tableName }) {
    const columns = (this.columns[tableName] ?? []).filter(column => typeof entity?.[column] === 'string')
    if (columns.length > 0 && entity.id === undefined)
      throw new TypeError(`an id is needed to seal or open ${tableName}.${columns[0]}: select it too`)
    return columns.map(column => [column, context(tableName, column, entity.id)])
  }
}
