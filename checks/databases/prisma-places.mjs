// The places of Prisma's statements that take a value, for the comparison with Prisma alone (twin.mjs).

export const KEY = { tenantId: 'a', id: 'p1' }
const ADA = { tenantId_id: KEY }
const A = { id: 'a' }
export const NEW = { tenantId: 'a', id: 'new', name: 'New', email: 'new@example.org' }
export const ROW = { id: 'new', name: 'New', email: 'new@example.org' }
const where = (more = {}) => ({ where: { ...ADA }, ...more })
/** An update of a tenant's patients, and of a patient's tenant. */
const patients = (value, id = 'a') => ({ where: { id }, data: { patients: value } })
const setting = (value, id = 'a') => ({ where: { id }, data: { setting: value } })
const tenant = value => where({ data: { tenant: value } })

/** The statements of one method of a model, by the rest of their names: functions of a value, which make the arguments. */
const statements = (model, method, makes) =>
  Object.fromEntries(
    Object.entries(makes).map(([name, make]) => [
      `${method} ${name}`.trim(),
      (models, value) => models[model][method](make(value)),
    ]),
  )

/** Functions of a transaction and a value. For a client with any extension, no arguments may be null, which Prisma alone refuses. */
export const PLACES = {
  ...statements('patient', 'findMany', {
    args: v => v ?? undefined,
    where: v => ({ where: v }),
    'where email': email => ({ where: { email } }),
    'where notes': notes => ({ where: { notes } }),
    'where name': name => ({ where: { name } }),
    'where emailIndex': emailIndex => ({ where: { emailIndex } }),
    'where email and name': email => ({ where: { email, name: 'Ada' } }),
    'where email twice': v => ({ where: { email: { not: v, in: ['ada@example.org'] } } }),
    'where in and notIn': v => ({ where: { email: { in: v, notIn: ['bob@example.org'] } } }),
    'where mode': mode => ({ where: { email: { equals: 'ada@example.org', mode } } }),
    'where email equals': equals => ({ where: { email: { equals } } }),
    'where email not': not => ({ where: { email: { not } } }),
    'where AND': AND => ({ where: { AND } }),
    'where AND and emails': AND => ({ where: { AND, email: { in: ['ada@example.org'], not: null } } }),
    'where OR': OR => ({ where: { OR } }),
    'where OR email': email => ({ where: { OR: [{ email }] } }),
    'where NOT': NOT => ({ where: { NOT } }),
    'where NOT email': email => ({ where: { NOT: { email } } }),
    'where tenant': v => ({ where: { tenant: v } }),
    orderBy: orderBy => ({ orderBy }),
    'orderBy email': email => ({ orderBy: { email } }),
    distinct: distinct => ({ distinct }),
    'select email': email => ({ select: { id: true, email } }),
    'select only notes': v => ({ select: { notes: v } }),
    'select tenant': v => ({ select: { name: true, tenant: v } }),
    include: include => ({ include }),
    select: select => ({ select }),
    cursor: cursor => ({ cursor, orderBy: [{ id: 'asc' }] }),
    skip: skip => ({ skip, take: 2, orderBy: { id: 'asc' } }),
    take: take => ({ take, orderBy: { id: 'asc' } }),
  }),
  ...statements('tenant', 'findMany', {
    'tenants where patients': v => ({ where: { patients: v } }),
    'tenants where some': some => ({ where: { patients: { some } } }),
    'tenants where every email': email => ({ where: { patients: { every: { email } } } }),
    'tenants where none email': email => ({ where: { patients: { none: { email } } } }),
    'tenants where setting is': is => ({ where: { setting: { is } } }),
    'tenants where setting isNot note': note => ({ where: { setting: { isNot: { note } } } }),
    'tenants where setting': v => ({ where: { setting: v } }),
    'include patients': v => ({ include: { patients: v } }),
    'include patients where': v => ({ include: { patients: { where: v } } }),
    'include patients where email': email => ({ include: { patients: { where: { email } } } }),
    'include _count': v => ({ include: { _count: { select: { patients: { where: v } } } } }),
  }),
  ...statements('setting', 'findMany', {
    'settings where patients': email => ({ where: { tenant: { patients: { some: { email } } } } }),
    'orderBy tenant': v => ({ orderBy: { tenant: { setting: v } } }),
  }),
  ...statements('patient', 'create', {
    include: include => ({ data: NEW, include }),
    '': data => ({ data }),
    email: email => ({ data: { ...NEW, email } }),
    notes: notes => ({ data: { ...NEW, notes } }),
    name: name => ({ data: { ...NEW, name } }),
    emailIndex: emailIndex => ({ data: { ...NEW, emailIndex } }),
    id: id => ({ data: { ...NEW, id } }),
    tenantId: tenantId => ({ data: { ...NEW, tenantId } }),
    tenant: v => ({ data: { ...ROW, tenant: v } }),
    'tenant and tenantId': v => ({ data: { ...ROW, tenantId: 'b', tenant: v } }),
    'tenant connect': connect => ({ data: { ...ROW, tenant: { connect } } }),
    'tenant connect id': id => ({ data: { ...ROW, tenant: { connect: { id } } } }),
    'tenant create id': id => ({ data: { ...ROW, tenant: { create: { id, slug: 'new' } } } }),
    'tenant connectOrCreate': v => ({
      data: { ...ROW, tenant: { connectOrCreate: { where: v, create: { id: 'a', slug: 'new' } } } },
    }),
  }),
  ...statements('patient', 'findUnique', {
    where: v => ({ where: v }),
    key: v => ({ where: { tenantId_id: v } }),
    email: email => ({ where: { email } }),
    emailIndex: emailIndex => ({ where: { emailIndex } }),
    'key and email': email => ({ where: { ...ADA, email } }),
  }),
  ...statements('patient', 'findUniqueOrThrow', { email: email => ({ where: { email } }) }),
  ...statements('patient', 'findFirst', { email: email => ({ where: { email }, orderBy: { id: 'asc' } }) }),
  ...statements('patient', 'findFirstOrThrow', {
    email: email => ({ where: { email }, orderBy: { id: 'asc' } }),
  }),
  ...statements('patient', 'count', {
    'where email': email => ({ where: { email } }),
    select: select => ({ select }),
  }),
  ...statements('patient', 'aggregate', { _max: _max => ({ _max }), _count: _count => ({ _count }) }),
  ...statements('patient', 'groupBy', {
    by: by => ({ by, _count: true }),
    having: having => ({ by: ['name'], having }),
    'having email': email => ({ by: ['email'], having: { email } }),
    'having AND email': email => ({ by: ['name'], having: { AND: [{ email }] } }),
  }),
  ...statements('patient', 'delete', { where: v => ({ where: v }), email: email => ({ where: { email } }) }),
  ...statements('patient', 'deleteMany', {
    args: v => v ?? undefined,
    where: v => ({ where: v }),
    email: email => ({ where: { email } }),
    'email not': not => ({ where: { email: { not } } }),
    limit: limit => ({ where: { id: 'p2' }, limit }),
  }),
  ...statements('patient', 'createMany', {
    data: data => ({ data }),
    email: email => ({ data: [{ ...NEW, email }] }),
  }),
  ...statements('patient', 'createManyAndReturn', { notes: notes => ({ data: [{ ...NEW, notes }] }) }),
  ...statements('tenant', 'create', {
    'a tenant': data => ({ data }),
    'a tenant and patients': v => ({
      data: { id: 'new', slug: 'new', patients: v },
      include: { patients: true },
    }),
    'a tenant of an id': id => ({
      data: { id, slug: 'new', patients: { create: ROW }, setting: { create: { note: 'note of new' } } },
    }),
    'a tenant and createMany': email => ({
      data: { id: 'new', slug: 'new', patients: { createMany: { data: [{ ...ROW, email }] } } },
    }),
    'a tenant and connect patients': connect => ({ data: { id: 'new', slug: 'new', patients: { connect } } }),
    'a tenant and a setting': v => ({
      data: { id: 'new', slug: 'new', setting: v },
      include: { setting: true },
    }),
  }),
  ...statements('patient', 'update', {
    where: v => ({ where: v, data: { name: 'x' } }),
    'where and email': v => ({ where: v, data: { email: 'new@example.org' } }),
    'where id': id => ({ where: { tenantId_id: { tenantId: 'a', id } }, data: { notes: 'new note' } }),
    data: data => where({ data }),
    email: email => where({ data: { email } }),
    'email set': set => where({ data: { email: { set } } }),
    notes: notes => where({ data: { notes } }),
    name: name => where({ data: { name } }),
    emailIndex: emailIndex => where({ data: { emailIndex } }),
    id: id => where({ data: { id } }),
    tenantId: tenantId => where({ data: { tenantId } }),
    tenant: v => tenant(v),
    'tenant connect': connect => tenant({ connect }),
    'tenant connect id': id => tenant({ connect: { id } }),
    'tenant create id': id => tenant({ create: { id, slug: 'new' } }),
    'tenant connectOrCreate': id =>
      tenant({ connectOrCreate: { where: { id }, create: { id: 'new', slug: 'new' } } }),
    'tenant upsert': id => tenant({ upsert: { create: { id: 'new', slug: 'new' }, update: { id } } }),
    'tenant update': update => tenant({ update }),
    'tenant update id': id => tenant({ update: { id } }),
    'tenant disconnect': disconnect => tenant({ disconnect }),
    'through the tenant of a patient': note => tenant({ update: { setting: { update: { note } } } }),
  }),
  ...statements('tenant', 'update', {
    'tenants data': data => ({ where: A, data }),
    'the id of a tenant': id => ({ where: { ...A }, data: { id } }),
    patients: v => patients(v),
    'patients create': create => patients({ create }),
    'patients create email': email => patients({ create: { ...ROW, email } }),
    'patients create of a tenant': v => ({ where: v, data: { patients: { create: ROW } } }),
    'patients connect': connect => patients({ connect }),
    'patients of b connect': connect => patients({ connect }, 'b'),
    'patients connectOrCreate': v => patients({ connectOrCreate: { where: v, create: ROW } }, 'b'),
    'patients connectOrCreate email': email =>
      patients({ connectOrCreate: { where: ADA, create: { ...ROW, email } } }),
    'patients set': set => patients({ set }),
    'patients disconnect': disconnect => patients({ disconnect }),
    'patients delete': v => patients({ delete: v }),
    'patients deleteMany': deleteMany => patients({ deleteMany }),
    'patients deleteMany email': email => patients({ deleteMany: { email } }),
    'patients update': update => patients({ update }),
    'patients update where': v => patients({ update: { where: v, data: { notes: 'new note' } } }),
    'patients update data': data => patients({ update: { where: ADA, data } }),
    'patients update tenant': v => patients({ update: { where: ADA, data: { tenant: v } } }),
    'patients updateMany where': v => patients({ updateMany: { where: v, data: { notes: 'new note' } } }),
    'patients updateMany id': id => patients({ updateMany: { where: { id }, data: { notes: 'new note' } } }),
    'patients updateMany data': data => patients({ updateMany: { where: { id: 'p1' }, data } }),
    'patients upsert where': v =>
      patients({ upsert: { where: v, create: ROW, update: { notes: 'new note' } } }),
    'patients upsert email': email => patients({ upsert: { where: ADA, create: ROW, update: { email } } }),
    setting: v => setting(v),
    'setting update note': note => setting({ update: { note } }),
    'setting update data': data => setting({ update: { where: { tenantId: 'a' }, data } }),
    'setting upsert note': note => setting({ upsert: { create: { note }, update: { note } } }, 'b'),
    'setting connect': connect => setting({ connect }, 'b'),
    'setting create note': note => setting({ create: { note } }, 'b'),
    'setting connectOrCreate': v =>
      setting({ connectOrCreate: { where: v, create: { note: 'new note' } } }, 'b'),
    'setting by the slug': slug => ({ where: { slug }, data: { setting: { update: { note: 'new note' } } } }),
  }),
  ...statements('tenant', 'updateMany', {
    'ids of tenants': id => ({ where: { slug: 's-a' }, data: { id } }),
  }),
  ...statements('patient', 'updateMany', {
    where: v => ({ where: v, data: { name: 'x' } }),
    'where and notes': v => ({ where: v, data: { notes: 'new note' } }),
    'where id': id => ({ where: { tenantId: 'a', id }, data: { notes: 'new note' } }),
    email: email => ({ where: { ...KEY }, data: { email } }),
    'all emails': email => ({ data: { email } }),
    limit: limit => ({ where: { id: 'p2' }, data: { name: 'x' }, limit }),
  }),
  ...statements('log', 'updateMany', { logs: line => ({ data: { line } }) }),
  ...statements('patient', 'updateManyAndReturn', {
    notes: notes => ({ where: { ...KEY }, data: { notes } }),
  }),
  ...statements('patient', 'upsert', {
    where: v => ({ where: v, create: NEW, update: { notes: 'new note' } }),
    'where and no values': v => ({ where: v, create: NEW, update: { name: 'x' } }),
    create: create => ({ where: { tenantId_id: { tenantId: 'a', id: 'new' } }, create, update: {} }),
    update: update => ({ where: ADA, create: NEW, update }),
    email: email => ({ where: ADA, create: { ...NEW, email }, update: { email } }),
    'new email': email => ({
      where: { tenantId_id: { tenantId: 'a', id: 'new' } },
      create: { ...NEW, email },
      update: { email },
    }),
  }),
}
