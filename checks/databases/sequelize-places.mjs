// The statements of Sequelize that take a value, and what programs give to them: sequelize-twin.mjs.

export const keyOf = n => `00000000-0000-4000-8000-00000000000${n}`
const ADA = keyOf(1)
/** Rows in the order of a result, which is compared without one. */
const inOrder = rows => rows.map(({ id }) => id).join()

/** Statements by name, each with one value that is odd. They run in a transaction, with the models of a side. */
export function placesOf({ Op, col, fn, literal }) {
  const where = {
    email: v => ({ email: v }),
    'email of Op.eq': v => ({ email: { [Op.eq]: v } }),
    'email of Op.ne': v => ({ email: { [Op.ne]: v } }),
    'email of Op.in': v => ({ email: { [Op.in]: v } }),
    'email of Op.notIn': v => ({ email: { [Op.notIn]: v } }),
    'email of Op.not': v => ({ email: { [Op.not]: v } }),
    'email of Op.is': v => ({ email: { [Op.is]: v } }),
    'email of Op.and': v => ({ email: { [Op.and]: v } }),
    'email of Op.or': v => ({ email: { [Op.or]: v } }),
    'email of Op.like': v => ({ email: { [Op.like]: v } }),
    address: v => ({ address: v }),
    name: v => ({ name: v }),
    'a list': v => [{ email: v }],
    'Op.and': v => ({ [Op.and]: v }),
    'Op.and of email': v => ({ [Op.and]: [{ email: v }, { name: 'Ada' }] }),
    'Op.or of email': v => ({ [Op.or]: [{ email: v }, { name: 'Bob' }] }),
    'Op.not of email': v => ({ [Op.not]: { email: v } }),
    whole: v => v,
  }
  const places = {}
  const key = ['id', 'tenant']
  const named = { attributes: ['id', 'name'] }
  for (const [name, make] of Object.entries(where)) {
    places[`findAll where ${name}`] = ({ User }, transaction, v) =>
      User.findAll({ where: make(v), ...named, transaction })
    places[`findOne where ${name}`] = ({ User }, transaction, v) =>
      User.findOne({ where: make(v), order: ['id'], transaction })
    places[`count where ${name}`] = ({ User }, transaction, v) => User.count({ where: make(v), transaction })
    places[`destroy where ${name}`] = ({ User }, transaction, v) =>
      User.destroy({ where: make(v), transaction })
    places[`update where ${name}`] = ({ User }, transaction, v) =>
      User.update({ name: 'changed' }, { where: make(v), transaction })
    places[`include where ${name}`] = ({ User, Note }, transaction, v) =>
      Note.findAll({ include: { model: User, as: 'user', where: make(v), ...named }, transaction })
    places[`having ${name}`] = ({ User }, transaction, v) =>
      User.findAll({ attributes: key, group: key, having: make(v), transaction })
    places[`max where ${name}`] = ({ User }, transaction, v) =>
      User.max('name', { where: make(v), transaction })
    places[`increment where ${name}`] = ({ User }, transaction, v) =>
      User.increment('visits', { where: make(v), transaction }).then(() => undefined)
  }
  const values = {
    email: v => ({ email: v }),
    address: v => ({ address: v }),
    name: v => ({ name: v }),
    whole: v => v,
  }
  for (const [name, make] of Object.entries(values)) {
    // MariaDB counts the rows that change, and a ciphertext always does.
    places[`update of ${name}`] = ({ User }, transaction, v) =>
      User.update(make(v), { where: { id: ADA, tenant: 'a' }, transaction }).then(() => {})
    places[`update of ${name}, returning`] = ({ User }, transaction, v) =>
      User.update(make(v), { where: { id: ADA, tenant: 'a' }, returning: true, transaction }).then(
        // A count in MariaDB.
        ([, rows]) => (Array.isArray(rows) ? rows : undefined),
      )
    places[`update of ${name} in all rows`] = ({ User }, transaction, v) =>
      User.update(make(v), { where: {}, transaction }).then(() => {})
    places[`save of ${name}`] = async ({ User }, transaction, v) => {
      const ada = await User.findOne({ where: { id: ADA }, transaction })
      return ada.update(make(v), { transaction })
    }
    places[`upsert of ${name}`] = async ({ User }, transaction, v) => {
      const row = { id: ADA, tenant: 'a', code: 'a1', name: 'Ada' }
      return User.upsert({ ...row, ...make(v) }, { transaction })
    }
    places[`bulkCreate of ${name}`] = async ({ User }, transaction, v) => {
      const row = { id: keyOf(5), tenant: 'c', code: 'c2', name: 'Dan' }
      return User.bulkCreate([{ ...row, ...make(v) }], { transaction })
    }
    places[`create of ${name}`] = async ({ User }, transaction, v) => {
      const row = { id: keyOf(5), tenant: 'c', code: 'c2', name: 'Dan' }
      return User.create({ ...row, ...make(v) }, { transaction })
    }
  }
  const row = { id: ADA, tenant: 'a', code: 'a1', name: 'new', email: 'new@example.org', address: 'new' }
  return {
    ...places,
    'update of the key': ({ User }, transaction, v) =>
      User.update({ tenant: v }, { where: { id: ADA }, transaction }),
    'save of the key': async ({ User }, transaction, v) => {
      const ada = await User.findOne({ where: { id: ADA }, transaction })
      await ada.update({ tenant: v }, { transaction })
    },
    'a key to update by': ({ User }, transaction, v) =>
      User.update({ email: 'new@example.org' }, { where: { id: v, tenant: 'a' }, transaction }),
    findByPk: ({ Note }, transaction, v) => Note.findByPk(v, { transaction }),
    findOrCreate: async ({ User }, transaction, v) => {
      const defaults = { id: keyOf(5), tenant: 'c', code: 'c2', name: 'Dan' }
      const [, isNew] = await User.findOrCreate({ where: { email: v }, defaults, transaction })
      return isNew
    },
    'findAll order': ({ User }, transaction, v) =>
      User.findAll({ ...named, order: v, transaction }).then(inOrder),
    'findAll order of one': ({ User }, transaction, v) =>
      User.findAll({ ...named, order: [v, 'id'], transaction }).then(inOrder),
    'findAll order in a direction': ({ User }, transaction, v) =>
      User.findAll({ ...named, order: [[v, 'DESC'], 'id'], transaction }).then(inOrder),
    'order of an include': ({ Note }, transaction, v) =>
      Note.findAll({ include: 'user', order: [['user', v, 'DESC'], 'id'], transaction }).then(inOrder),
    'findAll group': ({ User }, transaction, v) =>
      User.findAll({ attributes: [[fn('count', col('id')), 'many']], group: v, transaction }),
    'where of an include': ({ Note }, transaction, v) =>
      Note.findAll({ include: 'user', where: { '$user.email$': v }, transaction }),
    'include attributes': ({ User, Note }, transaction, v) =>
      Note.findAll({ include: { model: User, as: 'user', attributes: [...key, [v, 'other']] }, transaction }),
    'findAll raw, included': ({ Note }, transaction, v) =>
      Note.findAll({ include: 'user', raw: v, transaction }),
    'findAll attributes': ({ User }, transaction, v) => User.findAll({ attributes: v, transaction }),
    'findAll an attribute': ({ User }, transaction, v) =>
      User.findAll({ attributes: [...key, v], transaction }),
    'findAll another name': ({ User }, transaction, v) =>
      User.findAll({ attributes: [...key, [v, 'other']], transaction }),
    'findAll raw, another name': ({ User }, transaction, v) =>
      User.findAll({ attributes: [...key, [v, 'other']], raw: true, transaction }),
    'findAll attributes to include': ({ User }, transaction, v) =>
      User.findAll({ attributes: { include: [[v, 'other']] }, transaction }),
    'findAll limit': ({ User }, transaction, v) =>
      User.findAll({ ...named, limit: v, order: ['id'], transaction }),
    'findAll include': ({ User }, transaction, v) => User.findAll({ ...named, include: v, transaction }),
    'include on': ({ User, Note }, transaction, v) =>
      Note.findAll({
        attributes: ['id'],
        include: { model: User, as: 'user', on: v, ...named },
        transaction,
      }),
    'include on email': ({ User, Note }, transaction, v) =>
      Note.findAll({
        attributes: ['id'],
        include: { model: User, as: 'user', on: { email: v }, ...named },
        transaction,
      }),
    max: ({ User }, transaction, v) => User.max(v, { transaction }),
    min: ({ User }, transaction, v) => User.min(v, { transaction }),
    'findAll raw, an attribute': ({ User }, transaction, v) =>
      User.findAll({ attributes: [...key, v], raw: true, transaction }),
    'another user of a note': async ({ Note }, transaction, v) => {
      const note = await Note.findOne({ where: { user_id: ADA }, transaction })
      await note.update({ user_id: v }, { transaction })
    },
    'setUser of a note': async ({ Note }, transaction, v) => {
      const note = await Note.findOne({ where: { user_id: ADA }, transaction })
      await note.setUser(v, { transaction })
    },
    'setNotes of a user': async ({ User }, transaction, v) => {
      const ada = await User.findOne({ where: { id: ADA }, transaction })
      await ada.setNotes(v, { transaction })
    },
    'addNotes to a user': async ({ User }, transaction, v) => {
      const ada = await User.findOne({ where: { id: ADA }, transaction })
      await ada.addNotes(v, { transaction })
    },
    'a note of a user': async ({ User }, transaction, v) => {
      const ada = await User.findOne({ where: { id: ADA }, transaction })
      const note = await ada.createNote({ id: keyOf('c'), line: v }, { transaction })
      return note.get('line')
    },
    'count of a column': ({ User }, transaction, v) => User.count({ col: v, transaction }),
    increment: ({ User }, transaction, v) => User.increment(v, { where: { id: ADA }, transaction }),
    'increment by': ({ User }, transaction, v) =>
      User.increment('visits', { by: v, where: { id: ADA }, transaction }),
    'increment of an instance': async ({ User }, transaction, v) => {
      const ada = await User.findOne({ where: { id: ADA }, transaction })
      return ada.increment('visits', { by: v, transaction })
    },
    'increment of the key': ({ Count }, transaction, v) =>
      Count.increment('id', { by: v, where: { id: 5 }, transaction }).then(() => undefined),
    'a number as a key': ({ Count }, transaction, v) =>
      Count.update({ secret: 'new' }, { where: { id: v }, transaction }).then(() => undefined),
    'bulkCreate of rows that are there': ({ User }, transaction, v) => {
      const rows = [row, { ...row, id: keyOf(5), tenant: 'c', code: 'c2', email: v }]
      const options = { ignoreDuplicates: true, returning: true, transaction }
      return User.bulkCreate(rows, options)
    },
    'include above another, with a limit': ({ User, Note }, transaction, v) => {
      const notes = { model: Note, as: 'notes', required: true, where: { id: keyOf('a') } }
      const include = { model: User, as: 'user', where: { email: v }, include: notes }
      return Note.findAll({ include, limit: 5, order: ['id'], transaction })
    },
    'include below another, raw': ({ User, Note }, transaction, v) => {
      const notes = { model: Note, as: 'notes', attributes: [], include: { model: User, as: 'user' } }
      return User.findAll({ ...named, include: notes, raw: v, transaction })
    },
    'a literal among attributes': ({ User }, transaction, v) =>
      User.findAll({ attributes: [...key, [literal('email'), v]], transaction }),
    'attributes of a count': ({ User }, transaction, v) =>
      User.count({ attributes: [...key, v], group: key, transaction }),
    'fields to update': ({ User }, transaction, v) =>
      User.update(
        { email: 'new@example.org', name: 'new' },
        { where: { id: ADA, tenant: 'a' }, fields: v, transaction },
      ),
    'columns to overwrite': async ({ User }, transaction, v) => {
      await User.bulkCreate([row], { updateOnDuplicate: v, transaction })
    },
    'a column to overwrite': async ({ User }, transaction, v) => {
      await User.bulkCreate([row], { updateOnDuplicate: [v], transaction })
    },
    'columns in conflict': async ({ User }, transaction, v) => {
      const { address, ...others } = row
      await User.upsert({ ...others, id: keyOf(0), tenant: 'd' }, { conflictFields: v, transaction })
    },
    'columns in conflict of many': async ({ User }, transaction, v) => {
      const many = [{ ...row, id: keyOf(0), tenant: 'd' }]
      const updateOnDuplicate = ['email']
      await User.bulkCreate(many, { updateOnDuplicate, conflictAttributes: v, transaction })
    },
  }
}

/** Values that a program means, and Sequelize's own. */
export const USUAL = {
  'the value of a row': () => 'ada@example.org',
  'two values': () => ['ada@example.org', 'bob@example.org'],
  'another value': () => 'carl@example.org',
  'a key': () => ADA,
  'two keys': () => [ADA, keyOf(3)],
  'a tenant': () => 'a',
  'an include': () => 'notes',
  'a note of another': () => keyOf('b'),
  'a unique column': () => ['code'],
  'the key': () => ['id', 'tenant'],
  'a condition of the index': () => ({ emailIndex: 'ada@example.org' }),
  'the name email': () => 'email',
  'the name name': () => 'name',
  'names of columns': () => ['email', 'name'],
  'a path of email': () => ({ 'email.a': 'ada@example.org' }),
  'a cast of email': () => ({ 'email::text': 'ada@example.org' }),
  'a condition of email': () => ({ email: 'ada@example.org' }),
  'a proxy of a condition': () => new Proxy({ email: 'ada@example.org' }, {}),
  'col(email)': ({ library }) => library.col('email'),
  'col(User.email)': ({ library }) => library.col('User.email'),
  'fn(lower, col(email))': ({ library }) => library.fn('lower', library.col('email')),
  'fn(max, col(email))': ({ library }) => library.fn('max', library.col('email')),
  'fn(count, col(email))': ({ library }) => library.fn('count', library.col('email')),
  'cast(col(email))': ({ library }) => library.cast(library.col('email'), 'text'),
  'where(col(email))': ({ library }) => library.where(library.col('email'), 'ada@example.org'),
  'where(fn)': ({ library }) => library.where(library.fn('lower', library.col('email')), 'ada@example.org'),
  'where(an attribute)': ({ db, library }) =>
    library.where(db.models.User.rawAttributes.email, 'ada@example.org'),
  'where(col(name))': ({ library }) => library.where(library.col('name'), 'Ada'),
  literal: ({ library }) => library.literal('NULL'),
  'two operators': ({ library: { Op } }) => ({ [Op.ne]: 'bob@example.org', [Op.in]: ['bob@example.org'] }),
  'Op.ne null': ({ library }) => ({ [library.Op.ne]: null }),
  'Op.col': ({ library }) => ({ [library.Op.col]: 'email' }),
  'Op.ne of Op.col': ({ library: { Op } }) => ({ [Op.ne]: { [Op.col]: 'email' } }),
  'a number in digits': () => '5',
  'a number in other digits': () => ' 05',
  'Op.like': ({ library }) => ({ [library.Op.like]: '%ada%' }),
}
export const WRAPS = {
  'an array': v => [v],
  'two in an array': v => [v, 'bob@example.org'],
  'Op.eq': (v, { library }) => ({ [library.Op.eq]: v }),
  'Op.ne': (v, { library }) => ({ [library.Op.ne]: v }),
  'Op.in': (v, { library }) => ({ [library.Op.in]: v }),
  'Op.not': (v, { library }) => ({ [library.Op.not]: v }),
  'Op.or': (v, { library }) => ({ [library.Op.or]: v }),
  'Op.and': (v, { library }) => ({ [library.Op.and]: v }),
  'a condition of email': v => ({ email: v }),
  'a condition of name': v => ({ name: v }),
}
