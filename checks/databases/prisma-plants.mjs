// Faults of the extension, planted in copies of the compiled package, which the comparison must find.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'

export const faults = [
  {
    about: 'a nested createMany is not sealed',
    file: 'data',
    from: "['createMany', createMany]",
    to: "['createMany', (_, __, value) => value]",
  },
  {
    about: 'the rows of connectOrCreate are not sealed',
    file: 'data',
    from: /(connect\(relative, at, condition\),\s+create: \(at, row\) =>) create\(relative, at, row\)/,
    to: '$1 row',
  },
  {
    about: 'conditions in NOT are not rewritten',
    file: 'where',
    from: "const CONNECTIVES = ['AND', 'OR', 'NOT']",
    to: "const CONNECTIVES = ['AND', 'OR']",
  },
  { about: 'notIn is in', file: 'where', from: 'notIn: indexesAt', to: 'in: indexesAt' },
  {
    about: 'one value is sealed for many rows',
    file: 'data',
    from: /namedIn\)\(model, condition, field\) \?\? around\.get\(field\)\?\.\(\)/,
    to: "$& ?? { id: 'a', tenant: 'a', number: 1 }[field]",
  },
  {
    about: 'conditions of relations are not rewritten',
    file: 'selection',
    from: 'where: (path, value) => (0, where_cjs_1.where)(model, path, value, isUnique)',
    to: 'where: (_, value) => value',
  },
  {
    about: 'a nested update seals for another row',
    file: 'data',
    from: "data: (at, data) => updated(target, at, data, (0, objects_cjs_1.ownOf)(value, 'where'), aroundOld)",
    to: "data: (at, data) => updated(target, at, data, { id: 'other' })",
  },
  {
    about: 'sealed values are returned',
    file: 'encrypted-models',
    from: /return \(0, open_row_cjs_1\.openRow\)[^;]+/,
    to: 'return value',
  },
]

/** The folder of a package with the fault. */
export function planted({ file, from, to }, folder) {
  mkdirSync(folder, { recursive: true })
  const copy = mkdtempSync(join(folder, 'planted-'))
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true })
  for (const name of ['npm', 'package.json']) symlinkSync(join(root, name), join(copy, name))
  const path = join(copy, 'dist/prisma', `${file}.cjs`)
  const source = readFileSync(path, 'utf8')
  const spoilt = source.replace(from, to)
  if (spoilt === source) throw new Error(`dist/prisma/${file}.cjs has no place for ${from}`)
  writeFileSync(path, spoilt)
  return copy
}
