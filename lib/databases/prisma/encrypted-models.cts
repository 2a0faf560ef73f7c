// The function encryptedModels, documented in types/prisma.d.ts.
import type * as manual from '../../../types/prisma.d.ts'
import { define, keys } from '../../cipher/base/builtins.cjs'
import { mustBe, wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import type { Declaration } from '../../values/columns/declaration.cjs'
import { declared } from '../../values/columns/encrypted-columns.cjs'
import { openRow } from '../../values/columns/open-row.cjs'
import { type Declared, modelsOf } from './models.cjs'
import { parseNewKey } from './new-keys.cjs'
import { isObject, type Names, objectAt } from './objects.cjs'
import { rewritten } from './operations.cjs'

/** The parameters that Prisma passes to an extension for each query of a model. */
interface Query {
  readonly model: string
  readonly operation: string
  readonly args: unknown
  readonly query: (args: unknown) => Promise<unknown>
}

export const encryptedModels: typeof manual.encryptedModels = (models, options = {}) => {
  const declarations = declarationsOf(models, options)
  // The manual has Prisma's types.
  return ((client: unknown) => extended(client, declarations)) as never
}

export const fieldValue: typeof manual.fieldValue = value => value as string

function extended(client: unknown, declarations: ReadonlyMap<string, Declared>): unknown {
  if (!isObject(client) || typeof client.$extends !== 'function')
    throw wrongType('encryptedModels is for prisma.$extends(encryptedModels(…))')
  const models = modelsOf(client, declarations)
  const result = {}
  for (const [name, { declaration }] of declarations)
    define(result, propertyOf(name), fieldsOf(name, declaration), true)
  return client.$extends({
    name: 'hardware-aes-gcm',
    query: {
      $allModels: {
        // Asynchronous: what is refused rejects, as Prisma's own errors do.
        async $allOperations({ model, operation, args, query }: Query) {
          return await query(rewritten(models.get(model), operation, args))
        },
      },
    },
    result,
  })
}

/** A model's computed fields: each opens its value, and reads the row's key in any case. */
function fieldsOf(model: string, declaration: Declaration): object {
  const { columns, rowKey } = declaration
  const fields = {}
  for (const { name, parts } of columns) {
    const read = [...rowKey, name, ...parts]
    const needs = {}
    for (const one of read) define(needs, one, true, true)
    const compute = (row: Names) => {
      const own = {}
      for (const one of read) define(own, one, row[one], true)
      return openRow(declaration, model, own)[name]
    }
    define(fields, name, { needs, compute }, true)
  }
  return fields
}

/** The client's property of a model. */
function propertyOf(model: string): string {
  return model.charAt(0).toLowerCase() + model.slice(1)
}

function declarationsOf(models: unknown, options: unknown): Map<string, Declared> {
  const given = objectAt('models', models)
  const names = keys(given)
  if (names.length === 0) throw wrongValue('"models" must have a model, such as { User: users }')
  const newKeys = optionsOf(optionsOf(options, ['newKey'])('newKey', {}), names, 'options.newKey')
  const declarations = new Map<string, Declared>()
  for (const name of names) {
    const declaration = declared(given[name])
    if (declaration === undefined)
      throw mustBe(`models.${name}`, 'an object of encryptedColumns', given[name])
    declarations.set(name, { declaration, newKey: parseNewKey(name, newKeys(name), declaration) })
  }
  return declarations
}
