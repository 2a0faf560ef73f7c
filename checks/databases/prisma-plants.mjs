// Faults of the extension, planted in copies of the compiled package, which the comparison must find.

export const faults = [
  {
    about: 'a nested createMany is not sealed',
    file: 'databases/prisma/data',
    from: "['createMany', createMany]",
    to: "['createMany', (_, __, value) => value]",
  },
  {
    about: 'the rows of connectOrCreate are not sealed',
    file: 'databases/prisma/data',
    from: /(connect\(relative, at, condition\),\s+create: \(at, row\) =>) create\(relative, at, row\)/,
    to: '$1 row',
  },
  {
    about: 'conditions in NOT are not rewritten',
    file: 'databases/prisma/where',
    from: "const CONNECTIVES = ['AND', 'OR', 'NOT']",
    to: "const CONNECTIVES = ['AND', 'OR']",
  },
  { about: 'notIn is in', file: 'databases/prisma/where', from: 'notIn: indexesAt', to: 'in: indexesAt' },
  {
    about: 'one value is sealed for many rows',
    file: 'databases/prisma/data',
    from: /namedIn\)\(model, condition, field\) \?\? around\.get\(field\)\?\.\(\)/,
    to: "$& ?? { id: 'a', tenant: 'a', number: 1 }[field]",
  },
  {
    about: 'conditions of relations are not rewritten',
    file: 'databases/prisma/selection',
    from: 'where: (path, value) => (0, where_cjs_1.where)(model, path, value, isUnique)',
    to: 'where: (_, value) => value',
  },
  {
    about: 'a nested update seals for another row',
    file: 'databases/prisma/data',
    from: "data: (at, data) => updated(target, at, data, (0, objects_cjs_1.ownOf)(value, 'where'), aroundOld)",
    to: "data: (at, data) => updated(target, at, data, { id: 'other' })",
  },
  {
    about: 'sealed values are returned',
    file: 'databases/prisma/encrypted-models',
    from: /return \(0, open_row_cjs_1\.openRow\)[^;]+/,
    to: 'return value',
  },
]
