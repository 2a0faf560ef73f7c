// The operations of models, and the arguments of each. Others are refused.
import { wrongValue } from '../../cipher/base/errors.cjs'
import { created, updated } from './data.cjs'
import type { Model } from './model.cjs'
import { each, ownOf, partsOf, type Rewrite, unchanged } from './objects.cjs'
import { aggregatesOf, readsOf } from './selection.cjs'

type Arguments = (model: Model, given: unknown) => Readonly<Record<string, Rewrite>>

const byUnique: Arguments = model => readsOf(model, true)
const reads: Arguments = model => readsOf(model)
const creates: Arguments = model => ({
  ...readsOf(model),
  data: (path, value) => each(path, value, (one, row) => created(model, one, row)),
  skipDuplicates: unchanged,
})
const updates: Arguments = (model, given) => ({
  ...readsOf(model),
  data: (path, value) => updated(model, path, value, ownOf(given, 'where')),
  limit: unchanged,
})

const OPERATIONS: ReadonlyMap<string, Arguments> = new Map<string, Arguments>([
  ['findUnique', byUnique],
  ['findUniqueOrThrow', byUnique],
  ['findFirst', reads],
  ['findFirstOrThrow', reads],
  ['findMany', reads],
  ['create', creates],
  ['createMany', creates],
  ['createManyAndReturn', creates],
  ['update', (model, given) => ({ ...updates(model, given), ...byUnique(model, given) })],
  ['updateMany', updates],
  ['updateManyAndReturn', updates],
  [
    'upsert',
    (model, given) => ({
      ...byUnique(model, given),
      create: (path, row) => created(model, path, row),
      update: (path, data) => updated(model, path, data, ownOf(given, 'where')),
    }),
  ],
  ['delete', byUnique],
  ['deleteMany', model => ({ ...readsOf(model), limit: unchanged })],
  ['count', aggregatesOf],
  ['aggregate', aggregatesOf],
  ['groupBy', aggregatesOf],
])

/** The arguments for Prisma: sealed, and with indexes. */
export function rewritten(model: Model | undefined, operation: string, given: unknown): unknown {
  if (model === undefined) throw wrongValue(`${operation} is of a model that the client did not have`)
  if (!model.isConcerned) return given
  const args = OPERATIONS.get(operation)
  if (args === undefined)
    throw wrongValue(
      `${operation} is an operation that encryptedModels does not support: it might write clear text`,
    )
  if (given === undefined) return given
  const parts = args(model, given)
  return partsOf('args', given, { ...parts, relationLoadStrategy: unchanged })
}
