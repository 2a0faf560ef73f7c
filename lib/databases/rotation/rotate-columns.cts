// The functions rotateColumns and countColumns, documented in types/rotation.d.ts.
import type { Columns, EncryptedColumns } from '../../../types/columns.d.ts'
import type {
  ColumnCount,
  RotateColumnsOptions,
  RotationResult,
  RowSource,
} from '../../../types/rotation.d.ts'
import { wrongType } from '../../cipher/base/errors.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import type { Declaration } from '../../values/columns/declaration.cjs'
import { declared } from '../../values/columns/encrypted-columns.cjs'
import { countsOf } from './counts.cjs'
import { parseOptions } from './options.cjs'
import { planOf } from './plan.cjs'
import { run } from './run.cjs'
import { checkSource } from './source.cjs'

export async function rotateColumns<Declared extends Columns, Key extends string>(
  table: EncryptedColumns<Declared, Key>,
  source: RowSource,
  options?: RotateColumnsOptions,
): Promise<RotationResult> {
  const declaration = declarationOf(table)
  checkSource(source)
  return run(planOf(declaration, parseOptions(declaration, options)), source)
}

export async function countColumns<Declared extends Columns, Key extends string>(
  table: EncryptedColumns<Declared, Key>,
  source: RowSource,
): Promise<ColumnCount[]> {
  const declaration = declarationOf(table)
  checkSource(source)
  try {
    return await countsOf(declaration, declaration.columns, source, false)
  } finally {
    await source.end?.()
  }
}

function declarationOf(table: unknown): Declaration {
  const declaration = declared(table)
  if (declaration !== undefined) return declaration
  throw wrongType(`"table" must be an object of encryptedColumns, got ${kindOf(table)}`)
}
