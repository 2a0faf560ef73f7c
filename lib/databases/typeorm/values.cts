// The values of declared columns on their way through TypeORM: neither clear text nor sealed
// strings, so no part of TypeORM takes one for the other.
import { nodeError } from '../../cipher/base/errors.cjs'
import type { ColumnMetadata, Encrypted, Entity } from './parts.cjs'

/** The values of entities whose writes have not ended. */
const sealed = new WeakMap<Entity, Sealed[]>()

/** The value of a column or of its index while an entity is written. */
export class Sealed {
  readonly #encrypted: Encrypted
  readonly #entity: Entity
  readonly #key: readonly unknown[]
  readonly #column: ColumnMetadata
  readonly #clear: unknown
  readonly #stored: unknown
  readonly #pending: Set<Sealed>
  /** The writes that have not yet read the value: an entity may be in several at once. */
  #writes = 1

  constructor(
    encrypted: Encrypted,
    entity: Entity,
    column: ColumnMetadata,
    clear: unknown,
    stored: unknown,
    pending: Set<Sealed>,
  ) {
    this.#encrypted = encrypted
    this.#entity = entity
    this.#key = encrypted.keys.map(part => part.getEntityValue(entity))
    this.#column = column
    this.#clear = clear
    this.#stored = stored
    this.#pending = pending
    pending.add(this)
    const all = sealed.get(entity)
    if (all === undefined) sealed.set(entity, [this])
    else all.push(this)
    column.setEntityValue(entity, this)
  }

  /** Gives an entity its clear values, whatever became of its write. */
  static restoreAll(entity: Entity): void {
    for (const value of sealed.get(entity) ?? []) value.restore()
    sealed.delete(entity)
  }

  get clear(): unknown {
    return this.#clear
  }

  /** Whether the value is that of this entity in this row. */
  isOf(entity: Entity, key: readonly unknown[]): boolean {
    return this.#entity === entity && this.#key.every((part, i) => part === key[i])
  }

  /** A listener that runs later may have changed the key. */
  refuseAnotherKey(): void {
    const { keys, metadata } = this.#encrypted
    const key = keys.map(part => part.getEntityValue(this.#entity))
    if (this.isOf(this.#entity, key)) return
    const what = `the key of "${metadata.name}" changed after it was sealed: set it before the entity is saved, or in a listener that is not async`
    throw nodeError(TypeError, 'ERR_INVALID_STATE', what)
  }

  /** Another write reads the value. */
  share(): void {
    this.#writes++
  }

  /** The value for the database, and the end of a write: the entity has its clear value again. */
  read(): unknown {
    if (--this.#writes === 0) this.restore()
    return this.#stored
  }

  /** Gives the entity its clear value, unless the program has set another one since. */
  restore(): void {
    this.#pending.delete(this)
    if (this.#column.getEntityValue(this.#entity) !== this) return
    this.#column.setEntityValue(this.#entity, this.#clear)
  }
}
