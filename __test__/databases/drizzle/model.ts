// A table as Drizzle has it, in memory: columns with the functions of customType, which Drizzle calls for every value but NULL.
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { encryptedTable } from 'hardware-aes-gcm/drizzle'
import { INDEX_KEY, keyring, lower } from '../../values/columns/tables.js'

export const columns = encryptedColumns('users', {
  keyring,
  rowKey: 'id',
  indexKey: INDEX_KEY,
  columns: {
    email: { type: 'text', index: 'emailIndex', normalizer: lower },
    age: { type: 'number', index: 'ageIndex' },
    photo: 'bytes',
    address: 'json',
  },
})
export const encrypted = encryptedTable(columns)

interface Type {
  toDriver: (value: never) => unknown
  fromDriver: (value: unknown) => unknown
}
export const TYPES: Record<string, Type> = {
  email: encrypted.column('email'),
  emailIndex: encrypted.index('email'),
  age: encrypted.column('age'),
  ageIndex: encrypted.index('age'),
  photo: encrypted.column('photo'),
  address: encrypted.column('address'),
}

type Row = Record<string, unknown>
const mapped = (row: Row, map: (type: Type, value: unknown) => unknown): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const type = TYPES[name]
      return [name, type === undefined || value === null || value === undefined ? value : map(type, value)]
    }),
  )

/** The parameters of a query that writes a row. */
export const written = (row: object): Row =>
  mapped(row as Row, (type, value) => type.toDriver(value as never))
/** A stored row, as a query returns it. */
export const selected = (row: object): Row => mapped(row as Row, (type, value) => type.fromDriver(value))
