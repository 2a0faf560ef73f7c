// The options that describe a table: its names in the database, and those in its declaration.
import type { ColumnType } from '../../../types/columns.d.ts'
import type { TextReader } from '../../../types/keyring.d.ts'
import type { ServerRowsOptions } from '../../../types/rotation.d.ts'
import { encryptedColumns } from '../../values/columns/encrypted-columns.cjs'
import type { Keyring } from '../../values/keyring/keyring.cjs'
import type { Call, Option } from '../frame/command.cjs'
import { hint } from '../frame/words.cjs'
import type { Address } from './address.cjs'

export const TABLE_OPTIONS: Readonly<Record<string, Option>> = {
  table: { value: 'NAME', help: 'Name of the table' },
  schema: { value: 'NAME', help: "Schema of the table; in MySQL, its database (default: the connection's)" },
  id: {
    value: 'COLUMN',
    help: 'Column of the row key, to which values are bound; for a composite key, its columns: tenant,number',
  },
  unbound: {
    help: 'Values are not bound to their row (rowKey: false in the declaration); --id only finds rows',
  },
  column: {
    value: 'COLUMN...',
    several: true,
    help: 'Encrypted columns: COLUMN, COLUMN:TYPE (text, json, number or bytes; default: text), or COLUMN=DECLARED if the declaration uses another name',
  },
  where: {
    value: 'COLUMN=VALUE...',
    several: true,
    help: 'Only rows with these values in these columns: for a table whose rows use several keysets',
  },
  as: {
    value: 'NAME',
    help: 'Name of the table in the declaration, if it differs, such as the Prisma model',
  },
}

const TYPES: readonly ColumnType[] = ['text', 'json', 'number', 'bytes']

interface ColumnWord {
  /** In the database. */
  readonly name: string
  readonly declared: string
  readonly type: ColumnType
}

export interface TableWords {
  /** How messages and reports name the table. */
  readonly table: string
  readonly declared: string
  readonly schema: string | undefined
  readonly id: readonly string[]
  readonly isBound: boolean
  readonly columns: readonly ColumnWord[]
  /** The value that each of these columns has in the wanted rows; undefined for all rows. */
  readonly where: Readonly<Record<string, string>> | undefined
}

/** Reads the options, before anything is opened. */
export function tableWords(call: Call, address: Address): TableWords {
  const table = call.boundText('table')
  if (table === undefined) throw call.misuse(`${call.command} needs a table: --table NAME`)
  const id = call.boundText('id')?.split(',')
  if (id === undefined) throw call.misuse(`${call.command} needs the row key: --id COLUMN`)
  const columns = call.boundTexts('column')?.map(word => columnOf(call, word))
  if (columns === undefined) throw call.misuse(`${call.command} needs a column: --column COLUMN`)
  if (id.includes('')) throw call.misuse('--id has an empty name')
  refuseTwice(call, 'id', id)
  refuseTwice(
    call,
    'column',
    columns.map(({ name }) => name),
  )
  const where = conditionsOf(call, columns)
  // Prisma's URL of PostgreSQL names the schema.
  const ofUrl = address.kind === 'postgresql' ? address.parameters.get('schema') : null
  return {
    table,
    declared: call.boundText('as') ?? table,
    schema: call.boundText('schema') ?? ofUrl ?? undefined,
    id,
    isBound: !call.has('unbound'),
    columns,
    where,
  }
}

/** `COLUMN=DECLARED:TYPE`; the last two are optional. */
function columnOf(call: Call, word: string): ColumnWord {
  const [, name = '', declared = name, type = 'text'] =
    /^([^=:]*)(?:=([^=:]*))?(?::([^=:]*))?$/.exec(word) ?? []
  if (name === '' || declared === '')
    throw call.misuse(
      `--column must be COLUMN, COLUMN:TYPE or COLUMN=DECLARED, got ${word.length} characters`,
    )
  if ((TYPES as readonly string[]).includes(type)) return { name, declared, type: type as ColumnType }
  throw call.misuse(`the type of a --column must be ${TYPES.join(', ')}${hint(type, TYPES)}`)
}

/** `COLUMN=VALUE`, with the names of the database. */
function conditionsOf(call: Call, columns: readonly ColumnWord[]): TableWords['where'] {
  const words = call.boundTexts('where')
  if (words === undefined) return undefined
  const pairs = words.map(word => {
    const at = word.indexOf('=')
    if (at < 1) throw call.misuse(`--where must be COLUMN=VALUE, got ${word.length} characters`)
    return [word.slice(0, at), word.slice(at + 1)] as const
  })
  const names = pairs.map(([name]) => name)
  refuseTwice(call, 'where', names)
  // The library would take it for that of the declaration.
  const taken = columns.find(({ name, declared }) => name !== declared && names.includes(declared))
  if (taken !== undefined)
    throw call.misuse('--where names a column by a name that --column declares for another')
  return Object.fromEntries(pairs)
}

function refuseTwice(call: Call, option: string, names: readonly string[]): void {
  if (new Set(names).size < names.length) throw call.misuse(`--${option} names a column twice`)
}

/** The declaration of the table. */
export function declarationOf(
  call: Call,
  { declared, id, isBound, columns }: TableWords,
  keyring: Keyring,
  fallback: readonly TextReader[],
) {
  const named = columns.map(
    ({ declared, type }) => [declared, fallback.length === 0 ? { type } : { type, fallback }] as const,
  )
  try {
    return encryptedColumns(declared, {
      keyring,
      rowKey: isBound ? id : false,
      columns: Object.fromEntries(named),
    })
  } catch (error) {
    // Of names that only differ in case, for example.
    throw call.misuse(`--id and --column: ${(error as Error).message}`)
  }
}

/** The options of the source of rows. */
export function sourceOptions({ table, schema, id, columns, where }: TableWords): ServerRowsOptions {
  return {
    table: schema === undefined ? table : [schema, table],
    key: id,
    names: Object.fromEntries(columns.map(({ name, declared }) => [declared, name])),
    ...(where !== undefined && { where }),
  }
}
