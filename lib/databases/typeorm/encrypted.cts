// The declared columns of one entity of TypeORM.
import { randomUUID } from 'node:crypto'
import { define } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import type { Column } from '../../values/columns/column.cjs'
import { contentOf } from '../../values/columns/content.cjs'
import type { Row } from '../../values/columns/row.cjs'
import { sealRow } from '../../values/columns/seal-row.cjs'
import type { Encrypted, Entity, Field, WriteEvent } from './parts.cjs'
import { Sealed } from './values.cjs'

/**
 * Seals what differs from the entity in the database, if there is one. Until it is written, the
 * entity contains Sealed.
 */
export function sealEntity(
  encrypted: Encrypted,
  { entity, databaseEntity }: WriteEvent,
  isInsert: boolean,
  pending: Set<Sealed>,
): void {
  if (entity === undefined) return
  const { declaration, fields, metadata } = encrypted
  const key = encrypted.keys.map(part => part.getEntityValue(entity))
  const row: Row = {}
  const changed: Field[] = []
  for (const field of fields) {
    const given = field.own.getEntityValue(entity)
    if (given instanceof Sealed && given.isOf(entity, key)) {
      share(field, entity)
      continue
    }
    const value = given instanceof Sealed ? given.clear : given
    if (value === undefined) continue
    const before = databaseEntity === undefined ? undefined : field.own.getEntityValue(databaseEntity)
    if (before !== undefined && isSame(field.column, before, value)) continue
    define(row, field.column.name, value, true)
    changed.push(field)
  }
  if (changed.length === 0) return
  addKeys(encrypted, entity, row, isInsert)
  const stored = sealRow(declaration, metadata.name, row)
  for (const { column, own, index } of changed) {
    new Sealed(encrypted, entity, own, row[column.name], stored[column.name], pending)
    if (index === undefined || column.index === undefined) continue
    new Sealed(encrypted, entity, index, undefined, stored[column.index.name], pending)
  }
}

/** The value waits for another write of the same object. */
function share({ own, index }: Field, entity: Entity): void {
  for (const value of [own.getEntityValue(entity), index?.getEntityValue(entity)])
    if (value instanceof Sealed) value.share()
}

/** Adds the key of the row, and makes it if the program may: UUIDs that TypeORM would have made. */
function addKeys({ keys, metadata }: Encrypted, entity: Entity, row: Row, isInsert: boolean): void {
  for (const key of keys) {
    let value = key.getEntityValue(entity)
    if (value === undefined && isInsert && key.isGenerated) {
      value = randomUUID()
      key.setEntityValue(entity, value)
    }
    if (value === undefined || value === null) {
      const help = isInsert ? 'make it before you save' : 'save the entity, or add the key to the values'
      const what = `"${metadata.name}" cannot be sealed without "${key.propertyPath}", the key of the row: ${help}`
      throw wrongValue(what)
    }
    define(row, key.databaseName, value, true)
  }
}

/** Whether both values have one plaintext. */
export function isSame({ name, type }: Column, a: unknown, b: unknown): boolean {
  if (a === null || b === null) return a === b
  const [left, right] = [contentOf(type, name, a), contentOf(type, name, b)]
  if (typeof left === 'string' || typeof right === 'string') return left === right
  return Buffer.compare(left, right) === 0
}
