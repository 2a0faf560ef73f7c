/**
 * Encrypted columns for Prisma 7: an extension of the client that seals, opens and finds the fields of declared models.
 *
 * @example
 * const users = encryptedColumns('User', { keyring, rowKey: 'id', indexKey, columns: { email: { type: 'text', index: 'emailIndex' } } })
 * const prisma = new PrismaClient({ adapter }).$extends(encryptedModels({ User: users }))
 * await prisma.user.create({ data: { id: randomUUID(), email: 'ada@example.org' } }) // stored sealed
 * const user = await prisma.user.findFirst({ where: { email: 'ada@example.org' } }) // found by its index, and opened
 *
 * @remarks
 * Columns and keys have the names of Prisma's fields. Encrypted fields and their indexes are `String` in the schema. Nested writes,
 * conditions and includes are rewritten at any depth, even from models without encrypted fields. **Raw SQL bypasses every
 * extension**, so add the condition of `EncryptedColumns.condition` to the table.
 */

import type { EncryptedColumns } from './columns.d.ts'

/** The declared columns of an object of `encryptedColumns`. */
type ColumnsOf<Table> = Table extends EncryptedColumns<infer Declared, infer _> ? Declared : never
/** The type in a declaration. */
type TypeOf<Column> = Column extends { readonly type: infer Type } ? Type : Column
/** What a field of each type contains when it is read; fields of strings keep Prisma's type. */
interface Contents {
  number: number
  bytes: ReturnType<typeof Buffer.alloc>
  json: unknown
}
type ContentsOf<Column> = TypeOf<Column> extends keyof Contents ? Contents[TypeOf<Column>] : never
/** The fields whose type is not Prisma's. */
type Retyped<Declared> = {
  [Name in keyof Declared]: TypeOf<Declared[Name]> extends keyof Contents ? Name : never
}[keyof Declared]
/** The type of a field in a client of Prisma. */
type FieldOf<Client, Model, Name> = Client extends {
  readonly [_ in Uncapitalize<Model & string>]: infer Delegate
}
  ? Delegate extends {
      readonly [_: symbol]: {
        types: { payload: { scalars: { readonly [_ in Name & string]: infer Value } } }
      }
    }
    ? Value
    : string | null
  : string | null
type OrNull<Field, Value> = null extends Field ? Value | null : Value

/** The fields with other types in {@link EncryptedModels}, as Prisma names them. */
export type ComputedFields<Client, Tables> = {
  [Model in keyof Tables & string as Uncapitalize<Model>]: {
    [Name in Retyped<ColumnsOf<Tables[Model]>>]: () => {
      compute: () => OrNull<FieldOf<Client, Model, Name>, ContentsOf<ColumnsOf<Tables[Model]>[Name]>>
    }
  }
}

/** No members, as Prisma writes it. */
type None = Record<never, never>

/** An extension for `$extends` of a client of Prisma. */
export type EncryptedModels<Tables> = <Client>(client: Client) => {
  $extends: {
    extArgs: { result: ComputedFields<Client, Tables>; model: None; query: None; client: None }
  }
}

/** Makes a part of the key of a new row. */
type NewKey = () => string | number | bigint

/** Options of {@link encryptedModels}: a plain object. */
export interface EncryptedModelsOptions<Model extends string> {
  /**
   * Functions that make the keys of new rows, by model.
   *
   * For a key of several fields, `{ Patient: { id: randomUUID } }` names those to make. One function alone makes the only field that
   * is no foreign key.
   *
   * Default: a row with values to seal must have its key, in `data`, from `connect`, or from the row around it. **A default key of
   * the schema, such as `@default(uuid())`, is made too late**: pass `crypto.randomUUID` instead.
   */
  readonly newKey?:
    | { readonly [Name in Model]?: NewKey | { readonly [field: string]: NewKey } | undefined }
    | undefined
}

/**
 * Makes the extension that encrypts the fields of these models.
 *
 * @example
 * const prisma = new PrismaClient({ adapter }).$extends(encryptedModels({ User: users }, { newKey: { User: randomUUID } }))
 *
 * @remarks
 * `{ where: { email } }` asks the index. Everything that cannot be sealed is refused before it reaches the database: an update of
 * encrypted fields whose condition does not name the row's key, an order or group by ciphertexts, arguments of a newer Prisma, and a
 * write that may change a row's key. Values open when they are first read, and throw what
 * `EncryptedColumns.open` throws.
 *
 * Extensions that follow see sealed values, so add this one last.
 * @throws `ERR_INVALID_ARG_TYPE` or `ERR_INVALID_ARG_VALUE` for a mistake in the declaration. `$extends` throws
 * `ERR_INVALID_ARG_VALUE` if the schema lacks a model or field, a field is not `String`, a key may be NULL or changes by a
 * deletion, or its models cannot be read.
 */
export declare function encryptedModels<const Tables extends { readonly [model: string]: object }>(
  models: Tables,
  options?: EncryptedModelsOptions<keyof Tables & string>,
): EncryptedModels<Tables>

/**
 * Returns a value, with the type that the field has in the schema: for numbers, bytes and JSON in TypeScript.
 *
 * @example
 * await prisma.user.update({ where: { id }, data: { notes: fieldValue({ likes: ['maths'] }) } })
 */
export declare function fieldValue(value: unknown): string
