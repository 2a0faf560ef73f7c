// An entity with two encrypted columns and a key of two parts, in a stand-in of TypeORM, for tests of its query builders.
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { encryptedEntities } from 'hardware-aes-gcm/typeorm'
import { expect } from 'vitest'
import { INDEX_KEY, keyring } from '../../values/columns/tables.js'
import type { InsertBuilder, SelectBuilder, UpdateBuilder } from './builders.js'
import { Column, Metadata, Source } from './source.js'

type Row = Record<string, unknown>

export const people = encryptedColumns('people', {
  keyring,
  rowKey: ['tenant', 'id'],
  indexKey: INDEX_KEY,
  columns: { email: { type: 'text', index: 'email_index' }, address: 'json' },
})

export const columns = () => [
  new Column('id', { isPrimary: true }),
  new Column('tenant'),
  new Column('name'),
  new Column('email'),
  new Column('emailIndex', { databaseName: 'email_index' }),
  new Column('address'),
]

/** A source whose entity is encrypted, and its query builders. */
export async function personSource() {
  const metadatas = () => [new Metadata('Person', 'people', columns())]
  const source = encryptedEntities(new Source(metadatas), { Person: people })
  await source.initialize()
  const [person] = source.entityMetadatas as [Metadata]
  const builder = () => source.createQueryBuilder()
  return {
    source,
    person,
    select: () => builder().from(person) as SelectBuilder,
    insert: (state: Row) => builder().insert().from(person, 'people').with(state) as InsertBuilder,
    update: (state: Row) => builder().update().from(person, 'people').with(state) as UpdateBuilder,
  }
}

export const refused = (run: () => unknown, message: RegExp) =>
  expect(run).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE', message: expect.stringMatching(message) }),
  )
