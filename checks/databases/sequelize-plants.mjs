// Faults of the adapter for Sequelize, each planted in a copy of the compiled package, and the places at which the comparison with
// Sequelize alone must find it.

const inFile =
  file =>
  (about, from, to, ...only) => ({ about, file: `databases/sequelize/${file}`, from, to, only })
const where = inFile('where')
const clauses = inFile('clauses')
const statements = inFile('statements')
const results = inFile('results')
const rows = inFile('rows')

export const faults = [
  where(
    'undefined is no condition',
    'if (value === undefined || isNull(value))',
    'if (value === undefined) ;\nelse if (isNull(value))',
    'count where email',
  ),
  where(
    'a list of conditions is sent as it is',
    'return where.map(part => conditionFor(declaration, part, isDeclared))',
    'return where',
    'findAll where a list',
  ),
  where(
    'what is no plain object is not read',
    'refuseNamed(isDeclared, where);\n        return where',
    'return where',
    'findAll where whole',
  ),
  where(
    'conditions in operators are sent as they are',
    'condition[name] = conditionFor(declaration, value, isDeclared)',
    'condition[name] = value',
    'findAll where Op.or of',
  ),
  where(
    'values of other columns are not read',
    'refuseNamed(isDeclared, value);\n            if (decl',
    'if (decl',
    'findAll where name',
  ),
  where(
    'arguments of functions are not read',
    '[args, val, attribute, logic',
    '[val, attribute, logic',
    'findAll where name',
  ),
  where(
    'what where() compares is not read',
    '[args, val, attribute, logic',
    '[args, val, logic',
    'findAll where whole',
  ),
  where('what cast() has is not read', '[args, val, attribute', '[args, attribute', 'findAll where name'),
  where('col() is not read', '[col, path, attribute]', '[path, attribute]', 'findAll where name'),
  where(
    'attributes of models are not read',
    'if (_modelAttribute === true)',
    'if (false)',
    'findAll where whole',
  ),
  where(
    'columns of includes pass',
    'isDeclared(name.slice(1, -1)',
    'false && isDeclared(name.slice(1, -1)',
    'where of an include',
  ),
  where('clear text passes as an index', 'refuseClear(name, value);', ';', 'findAll where whole'),
  where('every operator asks for NULL', '&& value[name] === null', '', 'findAll where email of Op.eq'),
  where(
    'the first of several values is asked for',
    'values.flatMap(term)',
    'values.slice(0, 1).flatMap(term)',
    'findAll where email',
  ),
  where(
    'the first of several operators is asked for',
    'if (others.length > 0)',
    'if (false)',
    'findAll where email',
  ),
  where(
    'Op.eq has lists',
    'name === EQ || name === NE : name',
    'false : name',
    'findAll where email of Op.eq',
  ),
  where('Op.in has values', ': name === IN || name === NOT_IN)', ': false)', 'findAll where email of Op.in'),
  where('Op.ne is Op.eq', '{ [NOT_IN]: terms(operand) }', 'terms(operand)', 'findAll where email of Op.ne'),
  where(
    'Op.like is Op.eq',
    'if (name === EQ ||',
    "if (name === op('like') || name === EQ ||",
    'findAll where email of Op.like',
  ),
  where('Op.or of nothing', '&& operand.length > 0)', ')', 'findAll where email of Op.or'),
  where('Op.and asks for its first value', '&& operand.length === 1)', ')', 'findAll where email of Op.and'),
  where(
    'the first of several keys is that of all rows',
    'value.length === 1 ? value[0]',
    'true ? value[0]',
    'a key to update by',
  ),
  where(
    'any operator names the key',
    'return value[EQ] ?? undefined',
    'return value[EQ] ?? value[NE]',
    'a key to update by',
  ),
  clauses('order passes', "check('order', parts.at(-1)", ';(parts.at(-1)', 'findAll order', 'order of'),
  clauses('orders of includes pass', 'parts.length > 1 ? isAny', 'false ? isAny', 'order of an include'),
  clauses('orders in a direction pass', '? list.slice(0, -1)', '? list', 'findAll order in'),
  clauses('group passes', "check('group', one)", '', 'findAll group'),
  clauses('having passes', "check('having', options.having)", '', 'having email'),
  clauses('attributes that are SQL pass', "check('attributes', one);", ';', 'findAll raw, an attribute'),
  clauses('other names pass', '!isOwn && !isCount(value)', 'false', 'findAll another name'),
  clauses('every function counts', '|| !/^count$/i.test(fn)', '', 'findAll another name'),
  clauses(
    'clauses of includes pass',
    'refuseIn(find, include, include.model, all)',
    '',
    'include attributes',
  ),
  clauses('SQL passes as a value', "throw refused('values', found)", ';', 'update of name'),
  statements(
    'conditions of includes are sent as they are',
    'const own = conditions(one, one.model, isDeclared)',
    'const own = { ...one }',
    'include where email',
  ),
  statements(
    'conditions of joins are sent as they are',
    '{ on: part(table, on) }',
    '{ on }',
    'include on email',
  ),
  statements(
    'a save moves the key',
    'refuseOtherKey(encrypted, values, { ...previous',
    ';({ ...previous',
    'another user',
  ),
  statements('an update moves the key', 'refuseOtherKey(encrypted, values, key)', '', 'update of the key'),
  statements(
    'an update of all rows seals for none',
    'key[name] = (0, where_cjs_1.valueIn)(where, name)',
    "key[name] = (0, where_cjs_1.valueIn)(where, name) ?? 'a'",
    'update of email in all rows',
  ),
  statements(
    'another unique column chooses the row',
    'refuseOtherRow(encrypted, conflictFields, statements)',
    '',
    'columns in conflict',
  ),
  statements(
    'another unique column chooses many rows',
    'refuseOtherRow(encrypted, options.upsertKeys, statements)',
    '',
    'columns in conflict',
  ),
  statements(
    'an index stays when its column is overwritten',
    'all.add(index.name)',
    '',
    'a column to overwrite',
    'upsert of email',
  ),
  statements(
    'results are not opened',
    '(0, results_cjs_1.open)(find, row, of, options, hides)',
    '',
    'findOne',
  ),
  results('includes are not opened', 'open(find, one, include.model, include, hides)', '', 'findAll include'),
  statements(
    'conditions above an include are sent as they are',
    'own.parent = copy',
    '',
    'include above another, with a limit',
  ),
  results('SQL returns ciphertexts', 'if (hides(values[name]))', 'if (false)', 'a literal among attributes'),
  statements(
    'what a sum returns is not opened',
    '(0, results_cjs_1.openRows)(encrypted, result);',
    '',
    'increment by',
  ),
  statements(
    'an instance keeps the ciphertexts that a sum returns',
    'if (instance !== undefined && instance !== null)',
    'if (instance)\n                ;\n            else if (false)',
    'increment of an instance',
  ),
  statements('a sum moves the key', 'if (moved !== undefined)', 'if (false)', 'increment of the key'),
  statements(
    'a row that is left out is not missed',
    'if (!isOther)',
    'if (true)',
    'bulkCreate of rows that are there',
  ),
  where('names in Op.col are not read', 'if (name === COL', 'if (false', 'destroy where name'),
  statements(
    'conditions of aggregates are sent as they are',
    'call(rawSelect, table, conditions(options, of)',
    'call(rawSelect, table, options',
    'count where email',
  ),
  statements(
    'conditions of deletions are sent as they are',
    'call(bulkDelete, table, condition(find(table), where)',
    'call(bulkDelete, table, where',
    'destroy where email',
  ),
  statements(
    'conditions of sums are sent as they are',
    'condition(encrypted, where), amounts',
    'where, amounts',
    'increment where email',
  ),
  statements(
    'what an update returns is not opened',
    'return (0, results_cjs_1.openAll)(encrypted, result)',
    'return result',
    'update of',
  ),
  rows(
    'inserted instances keep ciphertexts',
    'exports.restore = restore',
    'exports.restore = () => {}',
    'create of',
    'save of',
  ),
  rows('indexes are in results', 'delete values[attribute]', '', 'findOne where email', 'findAll attributes'),
]
