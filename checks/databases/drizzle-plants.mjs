// Faults of the adapter for Drizzle, each planted in a copy of the compiled package, and the places at which the comparison with Drizzle
// alone must find those that the list of statements (drizzle-statements.mjs) does not.

const inFile =
  file =>
  (about, from, to, ...only) => ({ about, file: `databases/drizzle/${file}`, from, to, only })
const expressions = inFile('expressions')
const writes = inFile('writes')
const guarded = inFile('guarded')
const keys = inFile('row-keys')
const entities = inFile('entities')
const opened = inFile('opened')
const table = inFile('encrypted-table')

export const faults = [
  expressions('columns in conditions are not read', 'place !== undefined && !isRight', 'false && !isRight'),
  expressions('a row is no ciphertext', 'if (row !== undefined && ', 'if (false && '),
  expressions('a subquery has no ciphertexts', 'selected !== undefined && !isList', 'false && !isList'),
  expressions(
    'selected expressions are not read',
    'if (!(0, entities_cjs_1.isA)(field,',
    'if (false && !(0, entities_cjs_1.isA)(field,',
  ),
  expressions(
    'an alias hides its expression',
    "(field, 'SQL.Aliased') ? field.sql : field",
    "(field, 'SQL.Aliased') ? undefined : field",
  ),
  expressions(
    'an order is not read',
    'for (const one of list ?? [])\n        checkCondition',
    'for (const one of [])\n        checkCondition',
  ),
  expressions('ciphertexts are grouped', '?.isIndex !== true)', '=== undefined)'),
  expressions('NULL is not compared', 'return true;\n    if (/\\bcount', 'return false;\n    if (/\\bcount'),
  expressions('different ciphertexts are counted', 'return place.isIndex || !/', 'return true || !/'),
  expressions(
    'a column on the right may be any',
    ' && (0, entities_cjs_1.isSame)(place, (0, entities_cjs_1.placeOf)(tokens[at - 2])))',
    ')',
  ),
  expressions(
    'every operator is one',
    'return false;\n    for (let i = at + 2',
    'return true;\n    for (let i = at + 2',
  ),
  expressions('the first value of a list counts', "!== ', ')", "!== '')"),
  expressions(
    'bare values are compared',
    "if (!place.isIndex || typeof operand !== 'object' || operand === null)\n        return false",
    "if (!place.isIndex || typeof operand !== 'object' || operand === null)\n        return true",
  ),
  expressions(
    'any column is compared',
    "'Column'))\n        return (0, entities_cjs_1.isSame)(place, (0, entities_cjs_1.placeOf)(operand))",
    "'Column'))\n        return true",
  ),
  expressions(
    'any subquery is compared',
    'return (0, entities_cjs_1.isSame)(place, (0, entities_cjs_1.selectedBy)(operand))',
    'return true',
  ),
  expressions(
    'no subquery exists',
    'if (/\\bexists\\s*$/i.test(before))\n        return true',
    'if (/\\bexists\\s*$/i.test(before))\n        return false',
  ),
  writes('a change of the key is not seen', 'checkKey(encrypted, columns, set, parts)', ''),
  writes(
    'an update needs no key',
    "{ key: keyOf(parts), help });\n    }\n    checkExpressions('set', table, [set]);\n}\n/** The rows",
    "{ key: keyOf(parts) ?? 'any', help });\n    }\n    checkExpressions('set', table, [set]);\n}\n/** The rows",
    'set',
  ),
  writes('a sealed value may have another key', 'stored.key === key', 'true'),
  writes(
    'rows to insert are not read',
    'for (const [i, row] of rows.entries()) {',
    'for (const [i, row] of []) {',
  ),
  writes(
    'numbers are keys of text',
    "return typeof part !== 'string' || part.includes('\\0')",
    'return false',
  ),
  writes('an upsert may meet any row', '|| isKey(rowKey)', '|| true', 'upsert'),
  writes(
    'an upsert changes keys',
    'hasKey && rows.length === 1 ? rows',
    'rows.length === 1 ? rows',
    'upsert id',
  ),
  writes('an upsert of several rows has the key of the first', '&& rows.length === 1 ?', '?', 'upsert rows'),
  writes(
    'rows are copied in the database',
    'if (place === undefined)\n            continue;\n        const help = ',
    'continue;\n        const help = ',
    'insert from',
  ),
  writes(
    'a column is written without its index',
    'if (pair !== undefined && innerOf',
    'if (false && innerOf',
    'set',
  ),
  writes('expressions are sealed', /throw refused\(.{14} is an expression/, 'return;\n        $&', 'set'),
  writes('any column is the excluded one', '.exec(before)?.[1] === name', '.exec(before) !== null'),
  writes(
    'no column is the excluded one',
    'if (target.isExcluded === true && ',
    'if (false && ',
    'upsert rows',
  ),
  writes('clear columns take ciphertexts', "(row[name], 'Param'))", "(row[name], 'Param') && false)"),
  writes(
    'a placeholder is a key of every row',
    "isA)(innerOf(part), 'Placeholder')",
    "isA)(innerOf(part), 'Placeholder') || true",
  ),
  guarded(
    'a condition is not read',
    "checkCondition)('where', where)",
    "checkCondition)('where', undefined)",
  ),
  guarded('joins are not read', "checkCondition)('on', on)", "checkCondition)('on', undefined)"),
  guarded('having is not read', "checkCondition)('having', having)", "checkCondition)('having', undefined)"),
  guarded('groups are not read', "checkGroups)('groupBy', groupBy)", "checkGroups)('groupBy', [])"),
  guarded(
    'distinct rows are not read',
    "checkGroups)('distinctOn', distinct.on)",
    "checkGroups)('distinctOn', [])",
  ),
  guarded(
    'the order of a union is not read',
    "checkOrder)('orderBy', orderBy);\n}\nfunction checkWhere",
    "checkOrder)('orderBy', []);\n}\nfunction checkWhere",
  ),
  guarded(
    'the order of rows is not read',
    "checkOrder)('orderBy', orderBy);\n    (0",
    "checkOrder)('orderBy', []);\n    (0",
  ),
  guarded('what is returned is not read', 'returning?.map(({ field }) => field)', '[]'),
  guarded('what is selected is not read', '?? fields);', '?? []);'),
  guarded('extras are not read', "checkFields)('extras', fields)", "checkFields)('extras', [])"),
  guarded('a function makes extras', 'checked(extras(...given))', 'extras(...given)'),
  guarded('fields of relations are refused', 'if (!isRelational)', 'if (true)', 'query'),
  guarded('a count is not read', "checkCondition)('$count', sql)", "checkCondition)('$count', undefined)"),
  guarded('an upsert has no values', 'if (at < 0)', 'if (true)'),
  guarded(
    'the condition of an upsert is not read',
    "checkCondition)('onConflict', chunk)",
    "checkCondition)('onConflict', undefined)",
  ),
  guarded(
    'a part of the key is the target',
    'target.length === wanted.length && wanted.every(name => target.includes(name))',
    'wanted.some(name => target.includes(name))',
  ),
  guarded(
    'a target must have the order of the key',
    'wanted.every(name => target.includes(name))',
    'wanted.join() === target.join()',
  ),
  guarded(
    'MySQL meets rows by their key alone',
    'return !(0, entities_cjs_1.hasOtherUnique)(table, rowKey)',
    'return true',
  ),
  keys('one row or another is one', "!isText(chunks[i], ' and ')", 'false'),
  keys(
    'a part of a key is the key',
    'return JSON.stringify(parts.map(textOfPart))',
    'return String(parts[0])',
  ),
  keys(
    'an alias is the table',
    'one.name === other.name && name(one) === name(other)',
    'one.name === other.name',
  ),
  entities(
    'a unique index of MySQL is none',
    "name.includes('UniqueConstraint') || extra?.config?.unique === true",
    'false',
  ),
  entities('a unique column of MySQL is none', 'if (isUnique === true && ', 'if (false && '),
  opened('rows in lists are not opened', /return value\.map\(\(item, i\) => [^;]*/, 'return value'),
  opened(
    'values without a row are returned',
    'if (stored === undefined || stored.place.isIndex)\n        return value;',
    'return value;',
  ),
  table('another column is written', 'stored?.place.column === place.column && ', '', 'set an', 'set whole'),
  table(
    'a value passes as it is',
    'const toDriver = (value) => (value === null ? null : driverValue(place, value))',
    "const toDriver = (value) => (typeof value === 'string' ? value : value === null ? null : driverValue(place, value))",
    'insert an unsealed',
    'set an unsealed',
  ),
]
