// The subscriber that seals entities when they are written.
import { sealEntity } from './encrypted.cjs'
import type { Encrypted, EntityMetadata, WriteEvent } from './parts.cjs'
import { Sealed } from './values.cjs'

export class Subscriber {
  readonly #encrypted: ReadonlyMap<EntityMetadata, Encrypted>
  /** Values that each connection has not yet written. */
  readonly #pending = new WeakMap<object, Set<Sealed>>()

  constructor(encrypted: ReadonlyMap<EntityMetadata, Encrypted>) {
    this.#encrypted = encrypted
  }

  beforeInsert(event: WriteEvent): void {
    this.#seal(event, true)
  }

  beforeUpdate(event: WriteEvent): void {
    this.#seal(event, false)
  }

  afterInsert(event: WriteEvent): void {
    this.#finish(event)
  }

  afterUpdate(event: WriteEvent): void {
    this.#finish(event)
  }

  afterTransactionRollback({ queryRunner }: { queryRunner: object }): void {
    this.#restore(queryRunner)
  }

  #seal(event: WriteEvent, isInsert: boolean): void {
    const encrypted = this.#encrypted.get(event.metadata)
    if (encrypted === undefined) return
    const { queryRunner } = event
    const pending = this.#pending.get(queryRunner) ?? new Set()
    this.#pending.set(queryRunner, pending)
    try {
      sealEntity(encrypted, event, isInsert, pending)
    } catch (error) {
      this.#restore(queryRunner)
      throw error
    }
  }

  #finish({ entity, metadata }: WriteEvent): void {
    if (entity === undefined || !this.#encrypted.has(metadata)) return
    Sealed.restoreAll(entity)
  }

  #restore(queryRunner: object): void {
    for (const value of this.#pending.get(queryRunner) ?? []) value.restore()
  }
}
