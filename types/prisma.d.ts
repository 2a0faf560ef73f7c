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
 * conditions and includes are rewritten at any depth, also from models without encrypted fields. **Raw SQL goes past every
 * extension**, so give the table the condition of `EncryptedColumns.condition`.
 */

import type { EncryptedColumns } from './columns.d.ts'

/** The declared columns of an object of `encryptedColumns`. */
type ColumnsOf<Table> = Table extends EncryptedColumns<infer Declared, infer _> ? Declared : never
/** The type in a declaration. */
type TypeOf<Column> = Column extends { readonly type: infer Type } ? Type : Column
/** The values of fields when they are read, by type; fields with text keep the type that Prisma gives them. */
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

/** The fields that {@link EncryptedModels} gives other types, as Prisma names them. */
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

/** Options of {@link encryptedModels}: a plain object. */
export interface EncryptedModelsOptions<Model extends string> {
  /**
   * Functions that make the key of a new row, by model.
   *
   * Default: a row with values to seal must have its key. **A key that the schema would make, as `@default(uuid())`, is made too
   * late**: give `crypto.randomUUID` for it.
   */
  readonly newKey?: { readonly [Name in Model]?: (() => string | number | bigint) | undefined } | undefined
}

/**
 * Makes the extension that encrypts the fields of these models.
 *
 * @example
 * const prisma = new PrismaClient({ adapter }).$extends(encryptedModels({ User: users }, { newKey: { User: randomUUID } }))
 *
 * @remarks
 * `{ where: { email } }` asks the index. Everything that cannot be sealed is refused before it reaches the database: an update of
 * encrypted fields whose condition does not name the row's key, an order or group by ciphertexts, and operations or arguments of a
 * newer Prisma. Values open when they are first read, and throw what `EncryptedColumns.open` throws.
 *
 * Extensions that follow see sealed values, so add this one last.
 * @throws `ERR_INVALID_ARG_TYPE` or `ERR_INVALID_ARG_VALUE` for a mistake in the declaration. `$extends` throws
 * `ERR_INVALID_ARG_VALUE` for a model or field that the schema does not have, a field that is not `String`, and a client whose
 * models cannot be read.
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
