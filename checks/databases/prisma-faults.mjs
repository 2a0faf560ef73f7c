// Faults of the extension, each planted in a copy of the compiled package, and the places at which the comparison with Prisma alone
// must find it.

const inFile =
  file =>
  (about, from, to, ...only) => ({ about, file: `databases/prisma/${file}`, from, to, only })
const [where, indexes, selection] = ['where', 'index-fields', 'selection'].map(inFile)
const [data, relatives, rowKey, objects, models] = [
  'data',
  'relatives',
  'row-key',
  'objects',
  'encrypted-models',
].map(inFile)

export const faults = [
  where(
    'connectives are sent as they are',
    'where(model, path, one));\n    const target',
    'one);\n    const target',
    'findMany where OR email',
  ),
  where(
    'relations are sent as they are',
    'return relationFilter(target, at, value);',
    'return value;',
    'findMany tenants where',
  ),
  where('some is sent as it is', 'return where(target, at, one);', 'return one;', 'findMany tenants where'),
  where(
    'a relation without a filter is sent as it is',
    'return where(target, path, value);',
    'return value;',
    'findMany settings where',
  ),
  where(
    'not is equal',
    '{ notIn: indexesAt(column, path, operand) }',
    '{ in: indexesAt(column, path, operand) }',
    'findMany where email',
  ),
  where('not null is null', '{ not: null }', 'null', 'findMany where email'),
  where('equals null is not null', '{ equals: null }', '{ not: null }', 'findMany where email'),
  where(
    'notIn is in',
    '{ [operator]: indexes }',
    '{ in: indexes }',
    'findMany where in and notIn',
    'findMany where email',
  ),
  where(
    'not of an object is not inverted',
    '[field, { not: filter }]',
    '[field, filter]',
    'findMany where email',
  ),
  where(
    'one value of several is asked for',
    'operand.flatMap',
    'operand.slice(0, 1).flatMap',
    'findMany where in',
  ),
  where('contains is equals', "case 'equals':", "case 'contains': case 'equals':", 'findMany where email'),
  where(
    'the second condition is lost',
    'further.push(one)',
    '0',
    'findMany where email twice',
    'findMany where in',
  ),
  indexes(
    'clear text passes as a condition on an index',
    '!isIndex(given))\n        throw notIndex(indexed, path)',
    'false)\n;',
    'findMany where emailIndex',
  ),
  indexes(
    'clear text passes as the value of an index',
    'field !== undefined && given !== null && !isIndex(given)',
    'false',
    'create emailIndex',
    'update emailIndex',
  ),
  indexes(
    'ciphertexts are compared',
    'modelName === model.name && model.columns.has(name)',
    'false',
    'findMany where name',
  ),
  selection(
    'other values than true select',
    'if (!(0, objects_cjs_1.isObject)(value))',
    "if (typeof value !== 'object') return value;\nif (false)",
    'findMany include patients',
    'findMany select',
  ),
  selection(
    'conditions of includes are sent as they are',
    'where: (path, value) => (0, where_cjs_1.where)(model, path, value, isUnique)',
    'where: (_, value) => value',
    'findMany include patients where',
  ),
  selection(
    'cursors are sent as they are',
    'cursor: (path, value) => (0, where_cjs_1.where)(model, path, value, true)',
    'cursor: (_, value) => value',
    'findMany cursor',
  ),
  selection(
    'ciphertexts are compared for rows that differ',
    'throw encrypted(path, name, what)',
    '0',
    'aggregate _max',
    'groupBy by',
    'findMany distinct',
  ),
  data(
    'new rows of relations are not sealed',
    'newRow(target, path, value, aroundNew, part => related(path, part, true))',
    'value',
    'create a tenant',
  ),
  data(
    'createMany of relations is not sealed',
    "['createMany', createMany]",
    "['createMany', (_, __, value) => value]",
    'create a tenant and createMany',
  ),
  data(
    'one value is sealed for many rows',
    '?? around.get(field)?.();',
    "?? around.get(field)?.() ?? KEY[field];\n    const KEY = { tenantId: 'a', id: 'p1' };",
    'updateMany all emails',
    'updateMany where and notes',
  ),
  data(
    'an update changes the key',
    'if ((0, builtins_cjs_1.hasOwn)(row, field))\n            set(',
    'if (false)\n            set(',
    'update id',
    'update tenantId',
  ),
  data(
    'a relation changes the key',
    'throw (0, relatives_cjs_1.moved)(at, model, field)',
    '0',
    'update tenant',
  ),
  data(
    'a nested update seals for another row',
    "data: (at, data) => updated(target, at, data, (0, objects_cjs_1.ownOf)(value, 'where'), aroundOld)",
    "data: (at, data) => updated(target, at, data, { tenantId: 'b', id: 'p1' })",
    'update patients update data',
    'update setting update data',
  ),
  data(
    'a nested upsert does not seal',
    "update: (at, data) => updated(target, at, data, (0, objects_cjs_1.ownOf)(value, 'where'), aroundOld)",
    'update: (_, data) => data',
    'update patients upsert email',
  ),
  relatives(
    'rows of others are connected',
    'value === undefined || named(there) !== value',
    'false',
    'update patients of b connect',
    'update patients connect',
    'create a tenant and connect',
  ),
  relatives(
    'the row around is not asked for the key',
    "if (owner === 'there')\n            aroundNew.set(there, value);",
    "if (owner === 'there')\n            aroundNew.set(there, () => 'b');",
    'update patients create email',
  ),
  rowKey(
    'a filter names a key',
    "names.length === 1 && names[0] === 'equals' && !(0, objects_cjs_1.isPlain)(filter.equals) ? filter.equals : undefined",
    'Object.values(filter)[0]',
    'updateMany where id',
  ),
  objects(
    'instances are conditions',
    'return prototype === null ||',
    'return true ||',
    'deleteMany where',
    'deleteMany email',
  ),
  models(
    'ciphertexts are returned',
    /return \(0, open_row_cjs_1\.openRow\)[^;]+/,
    'return value',
    'findMany where name',
  ),
]
