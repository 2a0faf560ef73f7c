// Faults of the adapter for TypeORM, each planted in a copy of the compiled package (plants.mjs), which the comparison with TypeORM alone
// must find at the places that stand with it.

const fault = (about, file, from, to, places, more = {}) => ({
  about,
  file: `databases/typeorm/${file}`,
  from,
  to,
  places,
  ...more,
})
const OLD = { version: '0.3.27' }
const POSTGRESQL = { database: 'postgresql' }

export const faults = [
  fault(
    'In asks for its first value',
    'lookup',
    'return among(builder, path, inner)',
    'return among(builder, path, inner.slice(0, 1))',
    ['find where email'],
  ),
  fault('In forgets NULL', 'lookup', 'value.terms : [value]', 'value.terms : []', ['find where email']),
  fault('Not is left out', 'lookup', "{ operator: 'not', condition: on(inner) }", 'on(inner)', [
    'find where email',
  ]),
  fault('Or is And', 'lookup', '{ operator: type, parameters }', "{ operator: 'and', parameters }", [
    'find where email',
  ]),
  fault(
    'And asks for its first condition',
    'lookup',
    '{ operator: type, parameters }',
    '{ operator: type, parameters: parameters.slice(0, 1) }',
    ['find where email'],
  ),
  fault(
    'a value has no terms',
    'lookup',
    'return (0, lookup_cjs_1.lookUp)(this.#field.column, this.#value)',
    'return []',
    ['delete email'],
  ),
  fault('the last value is used for the next one', 'lookup', 'if (last?.isOf(value))', 'if (last)', [
    'find where email',
  ]),
  fault('clauses may name encrypted columns', 'clauses', "if (clause === '')", 'if (true)', [
    'builder parameter of email',
  ]),
  fault(
    'a comparison passes as a question for NULL',
    'clauses',
    '\\s+IS\\s+(?:NULL',
    '\\s+(?:=|IS)\\s*(?::v|NULL',
    ['builder parameter of email'],
  ),
  fault('quoted names pass', 'clauses', '["\\`]?(?![', '(?![', ['builder where']),
  fault('names of properties pass', 'clauses', '[own.databaseName, own.propertyPath]', '[own.databaseName]', [
    'builder orderBy',
    'maximum',
  ]),
  fault('positions pass', 'clauses', 'POSITION.test(clause) ||', '', ['builder orderBy']),
  fault('names in the result pass', 'clauses', '(names.length > 0 && named.test(clause))', 'false', [
    'builder orderBy',
  ]),
  fault('raw results are not opened', 'builders', 'Array.isArray(rows) && rows.length > 0', 'false', [
    'builder raw results',
  ]),
  fault('results of execute are not opened', 'builders', '    execute: opened,\n', '', ['builder execute']),
  fault(
    'one of two names is opened',
    'raw',
    'for (const name of names.get(own) ?? [])',
    'for (const name of (names.get(own) ?? []).slice(0, 1))',
    ['builder select twice'],
  ),
  fault('a ciphertext without a known name passes', 'raw', '!told.has(name) &&', 'false &&', [
    'builder select',
  ]),
  fault('the ciphertexts of a view pass', 'raw', "metadata.tableType !== 'view'", 'true', [
    'find in a view that is not declared',
  ]),
  fault('distinct ciphertexts pass', 'builders', 'if (selectDistinct)', 'if (false)', [
    'builder distinct lines',
  ]),
  fault('a subquery selects ciphertexts', 'builders', 'if (subQuery)', 'if (false)', ['builder subquery']),
  fault('a common table selects ciphertexts', 'builders', "typeof queryBuilder === 'object'", 'false', [
    'builder common table',
  ]),
  fault('selected expressions pass', 'builders', 'if (!paths.has(selection))', 'if (false)', [
    'builder select',
    'maximum',
  ]),
  fault('groupBy passes', 'builders', "createGroupByExpression: 'groupBy',", '', ['builder groupBy']),
  fault('having passes', 'builders', "createHavingExpression: 'having',", '', ['builder having email']),
  fault('joins pass', 'builders', "createJoinExpression: 'a join',", '', [
    'builder join parameter',
    'builder join',
  ]),
  fault('orders pass', 'builders', "createOrderByExpression: 'an order',", '', [
    'find order email',
    'builder orderBy',
  ]),
  fault(
    'a failed statement leaves sealed objects',
    'builders',
    'values_cjs_1.Sealed.restoreAll(entity)',
    '',
    ['values after a failed update'],
  ),
  fault(
    'returning everything passes',
    'builders',
    "returning.includes('*')",
    'false',
    ['builder set returning'],
    POSTGRESQL,
  ),
  fault(
    'returning a list passes',
    'builders',
    'columns.includes(column)',
    'false',
    ['builder set returning'],
    POSTGRESQL,
  ),
  fault(
    'returning a name passes',
    'builders',
    "(0, clauses_cjs_1.refuseMention)(builder, all, returning, 'returning');",
    '',
    ['builder set returning'],
    POSTGRESQL,
  ),
  fault(
    'distinctOn passes',
    'builders',
    "(0, clauses_cjs_1.refuseMention)(builder, all, clause, 'distinctOn');",
    '',
    ['builder distinctOn lines'],
    POSTGRESQL,
  ),
  fault(
    'a condition of orUpdate passes',
    'builders',
    /\(0, clauses_cjs_1\.refuseMention\)[^;]*orUpdate'\);/,
    '',
    ['builder orUpdate condition'],
    POSTGRESQL,
  ),
  fault('an update moves keys', 'writes', 'if (!columns.includes(key))', 'if (true)', ['update tenant']),
  fault(
    'any two keys are one',
    'writes',
    "return typeof left === 'string' && left === right",
    'return true',
    ['update id'],
  ),
  fault('an alternative names the row', 'writes', "some(({ type }) => type === 'or')", 'some(() => false)', [
    'builder set where id or',
  ]),
  fault('SQL with an alternative names the row', 'writes', 'if (!EQUALITIES.test(condition))', 'if (false)', [
    'builder set where a string',
  ]),
  fault(
    'a negation names the row',
    'writes',
    "condition.operator === 'brackets'",
    "(condition.operator === 'brackets' || condition.operator === 'not')",
    ['builder set where Carl and'],
  ),
  fault('one of several values names the row', 'writes', 'more.length === 0 && ', '', [
    'update criteria tenant',
  ]),
  fault(
    'a select fills the table',
    'writes',
    'insertFromSelect !== undefined && insertFromSelect !== null',
    'false',
    ['builder valuesFromSelect'],
  ),
  fault(
    'onConflict moves keys',
    'writes',
    '/\\bUPDATE\\b/i.test',
    '/^never$/.test',
    ['builder onConflict'],
    OLD,
  ),
  fault(
    'an old orUpdate writes clear text',
    'writes',
    'if (touches(columns))',
    'if (false)',
    ['builder old orUpdate'],
    OLD,
  ),
  fault(
    'a list of columns has no index',
    'writes',
    'expressionMap.insertColumns = [...insertColumns, ...more]',
    '',
    ['builder into'],
  ),
  fault('a list of columns has no key', 'writes', 'if (!list.includes(nameOf(key)))', 'if (false)', [
    'builder into',
  ]),
  fault('NULL leaves the index', 'writes', 'columns.includes(own) === columns.includes(index)', 'true', [
    'builder set email without listeners',
  ]),
  fault('orUpdate leaves the index', 'writes', 'onUpdate.overwrite = [', 'const _ = [', ['builder orUpdate']),
  fault('an upsert chooses another row', 'writes', '!choosesByKey(', '!(() => true)(', [
    'builder orUpdate by the id',
  ]),
  fault('an upsert moves keys', 'writes', '[...written, ...keys].some', 'written.some', [
    'builder orUpdate by the id',
  ]),
  fault(
    'a conflict of some of the key chooses',
    'writes',
    'keys.every(({ databaseName }) => conflict',
    'keys.some(({ databaseName }) => conflict',
    ['builder orUpdate by the id'],
  ),
  fault(
    'no index is written',
    'encrypted',
    'if (index === undefined || column.index === undefined)',
    'if (true)',
    ['insert email', 'change a loaded user'],
  ),
  fault(
    'objects keep sealed strings',
    'values',
    'setEntityValue(this.#entity, this.#clear)',
    'setEntityValue(this.#entity, this.#stored)',
    ['save email'],
  ),
  fault(
    'clear text passes the gate',
    'guard',
    'throw notSealed(field, column)',
    'return value',
    ['save options and address'],
    POSTGRESQL,
  ),
]
