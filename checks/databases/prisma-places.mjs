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

/** Functions of a transaction and a value. For a client with any extension, no arguments may be null, which Prisma alone refuses. */
export const PLACES = {
  'findMany args': ({ patient }, v) => patient.findMany(v ?? undefined),
  'findMany where': ({ patient }, v) => patient.findMany({ where: v }),
  'findMany where email': ({ patient }, email) => patient.findMany({ where: { email } }),
  'findMany where notes': ({ patient }, notes) => patient.findMany({ where: { notes } }),
  'findMany where name': ({ patient }, name) => patient.findMany({ where: { name } }),
  'findMany where emailIndex': ({ patient }, emailIndex) => patient.findMany({ where: { emailIndex } }),
  'findMany where email and name': ({ patient }, email) =>
    patient.findMany({ where: { email, name: 'Ada' } }),
  'findMany where email twice': ({ patient }, v) =>
    patient.findMany({ where: { email: { not: v, in: ['ada@example.org'] } } }),
  'findMany where in and notIn': ({ patient }, v) =>
    patient.findMany({ where: { email: { in: v, notIn: ['bob@example.org'] } } }),
  'findMany where mode': ({ patient }, mode) =>
    patient.findMany({ where: { email: { equals: 'ada@example.org', mode } } }),
  'findMany where email equals': ({ patient }, equals) => patient.findMany({ where: { email: { equals } } }),
  'findMany where email not': ({ patient }, not) => patient.findMany({ where: { email: { not } } }),
  'findMany where AND': ({ patient }, AND) => patient.findMany({ where: { AND } }),
  'findMany where AND and emails': ({ patient }, AND) =>
    patient.findMany({ where: { AND, email: { in: ['ada@example.org'], not: null } } }),
  'findMany where OR': ({ patient }, OR) => patient.findMany({ where: { OR } }),
  'findMany where OR email': ({ patient }, email) => patient.findMany({ where: { OR: [{ email }] } }),
  'findMany where NOT': ({ patient }, NOT) => patient.findMany({ where: { NOT } }),
  'findMany where NOT email': ({ patient }, email) => patient.findMany({ where: { NOT: { email } } }),
  'findMany where tenant': ({ patient }, v) => patient.findMany({ where: { tenant: v } }),
  'findMany tenants where patients': ({ tenant }, v) => tenant.findMany({ where: { patients: v } }),
  'findMany tenants where some': ({ tenant }, some) => tenant.findMany({ where: { patients: { some } } }),
  'findMany tenants where every email': ({ tenant }, email) =>
    tenant.findMany({ where: { patients: { every: { email } } } }),
  'findMany tenants where none email': ({ tenant }, email) =>
    tenant.findMany({ where: { patients: { none: { email } } } }),
  'findMany tenants where setting is': ({ tenant }, is) => tenant.findMany({ where: { setting: { is } } }),
  'findMany tenants where setting isNot note': ({ tenant }, note) =>
    tenant.findMany({ where: { setting: { isNot: { note } } } }),
  'findMany settings where patients': ({ setting }, email) =>
    setting.findMany({ where: { tenant: { patients: { some: { email } } } } }),
  'findMany tenants where setting': ({ tenant }, v) => tenant.findMany({ where: { setting: v } }),
  'findMany orderBy': ({ patient }, orderBy) => patient.findMany({ orderBy }),
  'findMany orderBy email': ({ patient }, email) => patient.findMany({ orderBy: { email } }),
  'findMany orderBy tenant': ({ setting }, v) => setting.findMany({ orderBy: { tenant: { setting: v } } }),
  'findMany distinct': ({ patient }, distinct) => patient.findMany({ distinct }),
  'findMany select email': ({ patient }, email) => patient.findMany({ select: { id: true, email } }),
  'findMany select only notes': ({ patient }, v) => patient.findMany({ select: { notes: v } }),
  'findMany select tenant': ({ patient }, v) => patient.findMany({ select: { name: true, tenant: v } }),
  'findMany include patients': ({ tenant }, v) => tenant.findMany({ include: { patients: v } }),
  'findMany include patients where': ({ tenant }, v) =>
    tenant.findMany({ include: { patients: { where: v } } }),
  'findMany include patients where email': ({ tenant }, email) =>
    tenant.findMany({ include: { patients: { where: { email } } } }),
  'findMany include': ({ patient }, include) => patient.findMany({ include }),
  'findMany select': ({ patient }, select) => patient.findMany({ select }),
  'create include': ({ patient }, include) => patient.create({ data: NEW, include }),
  'findMany include _count': ({ tenant }, v) =>
    tenant.findMany({ include: { _count: { select: { patients: { where: v } } } } }),
  'findMany cursor': ({ patient }, cursor) => patient.findMany({ cursor, orderBy: [{ id: 'asc' }] }),
  'findMany skip': ({ patient }, skip) => patient.findMany({ skip, take: 2, orderBy: { id: 'asc' } }),
  'findMany take': ({ patient }, take) => patient.findMany({ take, orderBy: { id: 'asc' } }),
  'findUnique where': ({ patient }, v) => patient.findUnique({ where: v }),
  'findUnique key': ({ patient }, v) => patient.findUnique({ where: { tenantId_id: v } }),
  'findUnique email': ({ patient }, email) => patient.findUnique({ where: { email } }),
  'findUnique emailIndex': ({ patient }, emailIndex) => patient.findUnique({ where: { emailIndex } }),
  'findUnique key and email': ({ patient }, email) => patient.findUnique({ where: { ...ADA, email } }),
  'findUniqueOrThrow email': ({ patient }, email) => patient.findUniqueOrThrow({ where: { email } }),
  'findFirst email': ({ patient }, email) => patient.findFirst({ where: { email }, orderBy: { id: 'asc' } }),
  'findFirstOrThrow email': ({ patient }, email) =>
    patient.findFirstOrThrow({ where: { email }, orderBy: { id: 'asc' } }),
  'count where email': ({ patient }, email) => patient.count({ where: { email } }),
  'count select': ({ patient }, select) => patient.count({ select }),
  'aggregate _max': ({ patient }, _max) => patient.aggregate({ _max }),
  'aggregate _count': ({ patient }, _count) => patient.aggregate({ _count }),
  'groupBy by': ({ patient }, by) => patient.groupBy({ by, _count: true }),
  'groupBy having': ({ patient }, having) => patient.groupBy({ by: ['name'], having }),
  'groupBy having email': ({ patient }, email) => patient.groupBy({ by: ['email'], having: { email } }),
  'groupBy having AND email': ({ patient }, email) =>
    patient.groupBy({ by: ['name'], having: { AND: [{ email }] } }),
  'delete where': ({ patient }, v) => patient.delete({ where: v }),
  'delete email': ({ patient }, email) => patient.delete({ where: { email } }),
  'deleteMany args': ({ patient }, v) => patient.deleteMany(v ?? undefined),
  'deleteMany where': ({ patient }, v) => patient.deleteMany({ where: v }),
  'deleteMany email': ({ patient }, email) => patient.deleteMany({ where: { email } }),
  'deleteMany email not': ({ patient }, not) => patient.deleteMany({ where: { email: { not } } }),
  'deleteMany limit': ({ patient }, limit) => patient.deleteMany({ where: { id: 'p2' }, limit }),
  create: ({ patient }, data) => patient.create({ data }),
  'create email': ({ patient }, email) => patient.create({ data: { ...NEW, email } }),
  'create notes': ({ patient }, notes) => patient.create({ data: { ...NEW, notes } }),
  'create name': ({ patient }, name) => patient.create({ data: { ...NEW, name } }),
  'create emailIndex': ({ patient }, emailIndex) => patient.create({ data: { ...NEW, emailIndex } }),
  'create id': ({ patient }, id) => patient.create({ data: { ...NEW, id } }),
  'create tenantId': ({ patient }, tenantId) => patient.create({ data: { ...NEW, tenantId } }),
  'create tenant': ({ patient }, v) => patient.create({ data: { ...ROW, tenant: v } }),
  'create tenant and tenantId': ({ patient }, v) =>
    patient.create({ data: { ...ROW, tenantId: 'b', tenant: v } }),
  'create tenant connect': ({ patient }, connect) =>
    patient.create({ data: { ...ROW, tenant: { connect } } }),
  'create tenant connect id': ({ patient }, id) =>
    patient.create({ data: { ...ROW, tenant: { connect: { id } } } }),
  'create tenant create id': ({ patient }, id) =>
    patient.create({ data: { ...ROW, tenant: { create: { id, slug: 'new' } } } }),
  'create tenant connectOrCreate': ({ patient }, v) =>
    patient.create({
      data: { ...ROW, tenant: { connectOrCreate: { where: v, create: { id: 'a', slug: 'new' } } } },
    }),
  'createMany data': ({ patient }, data) => patient.createMany({ data }),
  'createMany email': ({ patient }, email) => patient.createMany({ data: [{ ...NEW, email }] }),
  'createManyAndReturn notes': ({ patient }, notes) =>
    patient.createManyAndReturn({ data: [{ ...NEW, notes }] }),
  'create a tenant': ({ tenant }, data) => tenant.create({ data }),
  'create a tenant and patients': ({ tenant }, v) =>
    tenant.create({ data: { id: 'new', slug: 'new', patients: v }, include: { patients: true } }),
  'create a tenant of an id': ({ tenant }, id) =>
    tenant.create({
      data: { id, slug: 'new', patients: { create: ROW }, setting: { create: { note: 'note of new' } } },
    }),
  'create a tenant and createMany': ({ tenant }, email) =>
    tenant.create({
      data: { id: 'new', slug: 'new', patients: { createMany: { data: [{ ...ROW, email }] } } },
    }),
  'create a tenant and connect patients': ({ tenant }, connect) =>
    tenant.create({ data: { id: 'new', slug: 'new', patients: { connect } } }),
  'create a tenant and a setting': ({ tenant }, v) =>
    tenant.create({ data: { id: 'new', slug: 'new', setting: v }, include: { setting: true } }),
  'update where': ({ patient }, v) => patient.update({ where: v, data: { name: 'x' } }),
  'update where and email': ({ patient }, v) =>
    patient.update({ where: v, data: { email: 'new@example.org' } }),
  'update where id': ({ patient }, id) =>
    patient.update({ where: { tenantId_id: { tenantId: 'a', id } }, data: { notes: 'new note' } }),
  'update data': ({ patient }, data) => patient.update(where({ data })),
  'update email': ({ patient }, email) => patient.update(where({ data: { email } })),
  'update email set': ({ patient }, set) => patient.update(where({ data: { email: { set } } })),
  'update notes': ({ patient }, notes) => patient.update(where({ data: { notes } })),
  'update name': ({ patient }, name) => patient.update(where({ data: { name } })),
  'update emailIndex': ({ patient }, emailIndex) => patient.update(where({ data: { emailIndex } })),
  'update id': ({ patient }, id) => patient.update(where({ data: { id } })),
  'update tenantId': ({ patient }, tenantId) => patient.update(where({ data: { tenantId } })),
  'update tenant': ({ patient }, v) => patient.update(tenant(v)),
  'update tenant connect': ({ patient }, connect) => patient.update(tenant({ connect })),
  'update tenant connect id': ({ patient }, id) => patient.update(tenant({ connect: { id } })),
  'update tenant create id': ({ patient }, id) => patient.update(tenant({ create: { id, slug: 'new' } })),
  'update tenant connectOrCreate': ({ patient }, id) =>
    patient.update(tenant({ connectOrCreate: { where: { id }, create: { id: 'new', slug: 'new' } } })),
  'update tenant upsert': ({ patient }, id) =>
    patient.update(tenant({ upsert: { create: { id: 'new', slug: 'new' }, update: { id } } })),
  'update tenant update': ({ patient }, update) => patient.update(tenant({ update })),
  'update tenant update id': ({ patient }, id) => patient.update(tenant({ update: { id } })),
  'update tenant disconnect': ({ patient }, disconnect) => patient.update(tenant({ disconnect })),
  'update through the tenant of a patient': ({ patient }, note) =>
    patient.update(tenant({ update: { setting: { update: { note } } } })),
  'update tenants data': ({ tenant }, data) => tenant.update({ where: A, data }),
  'update the id of a tenant': ({ tenant }, id) => tenant.update({ where: { ...A }, data: { id } }),
  'updateMany ids of tenants': ({ tenant }, id) =>
    tenant.updateMany({ where: { slug: 's-a' }, data: { id } }),
  'update patients': ({ tenant }, v) => tenant.update(patients(v)),
  'update patients create': ({ tenant }, create) => tenant.update(patients({ create })),
  'update patients create email': ({ tenant }, email) =>
    tenant.update(patients({ create: { ...ROW, email } })),
  'update patients create of a tenant': ({ tenant }, v) =>
    tenant.update({ where: v, data: { patients: { create: ROW } } }),
  'update patients connect': ({ tenant }, connect) => tenant.update(patients({ connect })),
  'update patients of b connect': ({ tenant }, connect) => tenant.update(patients({ connect }, 'b')),
  'update patients connectOrCreate': ({ tenant }, v) =>
    tenant.update(patients({ connectOrCreate: { where: v, create: ROW } }, 'b')),
  'update patients connectOrCreate email': ({ tenant }, email) =>
    tenant.update(patients({ connectOrCreate: { where: ADA, create: { ...ROW, email } } })),
  'update patients set': ({ tenant }, set) => tenant.update(patients({ set })),
  'update patients disconnect': ({ tenant }, disconnect) => tenant.update(patients({ disconnect })),
  'update patients delete': ({ tenant }, v) => tenant.update(patients({ delete: v })),
  'update patients deleteMany': ({ tenant }, deleteMany) => tenant.update(patients({ deleteMany })),
  'update patients deleteMany email': ({ tenant }, email) =>
    tenant.update(patients({ deleteMany: { email } })),
  'update patients update': ({ tenant }, update) => tenant.update(patients({ update })),
  'update patients update where': ({ tenant }, v) =>
    tenant.update(patients({ update: { where: v, data: { notes: 'new note' } } })),
  'update patients update data': ({ tenant }, data) =>
    tenant.update(patients({ update: { where: ADA, data } })),
  'update patients update tenant': ({ tenant }, v) =>
    tenant.update(patients({ update: { where: ADA, data: { tenant: v } } })),
  'update patients updateMany where': ({ tenant }, v) =>
    tenant.update(patients({ updateMany: { where: v, data: { notes: 'new note' } } })),
  'update patients updateMany id': ({ tenant }, id) =>
    tenant.update(patients({ updateMany: { where: { id }, data: { notes: 'new note' } } })),
  'update patients updateMany data': ({ tenant }, data) =>
    tenant.update(patients({ updateMany: { where: { id: 'p1' }, data } })),
  'update patients upsert where': ({ tenant }, v) =>
    tenant.update(patients({ upsert: { where: v, create: ROW, update: { notes: 'new note' } } })),
  'update patients upsert email': ({ tenant }, email) =>
    tenant.update(patients({ upsert: { where: ADA, create: ROW, update: { email } } })),
  'update setting': ({ tenant }, v) => tenant.update(setting(v)),
  'update setting update note': ({ tenant }, note) => tenant.update(setting({ update: { note } })),
  'update setting update data': ({ tenant }, data) =>
    tenant.update(setting({ update: { where: { tenantId: 'a' }, data } })),
  'update setting upsert note': ({ tenant }, note) =>
    tenant.update(setting({ upsert: { create: { note }, update: { note } } }, 'b')),
  'update setting connect': ({ tenant }, connect) => tenant.update(setting({ connect }, 'b')),
  'update setting create note': ({ tenant }, note) => tenant.update(setting({ create: { note } }, 'b')),
  'update setting connectOrCreate': ({ tenant }, v) =>
    tenant.update(setting({ connectOrCreate: { where: v, create: { note: 'new note' } } }, 'b')),
  'update setting by the slug': ({ tenant }, slug) =>
    tenant.update({ where: { slug }, data: { setting: { update: { note: 'new note' } } } }),
  'updateMany where': ({ patient }, v) => patient.updateMany({ where: v, data: { name: 'x' } }),
  'updateMany where and notes': ({ patient }, v) =>
    patient.updateMany({ where: v, data: { notes: 'new note' } }),
  'updateMany where id': ({ patient }, id) =>
    patient.updateMany({ where: { tenantId: 'a', id }, data: { notes: 'new note' } }),
  'updateMany email': ({ patient }, email) => patient.updateMany({ where: { ...KEY }, data: { email } }),
  'updateMany all emails': ({ patient }, email) => patient.updateMany({ data: { email } }),
  'updateMany logs': ({ log }, line) => log.updateMany({ data: { line } }),
  'updateManyAndReturn notes': ({ patient }, notes) =>
    patient.updateManyAndReturn({ where: { ...KEY }, data: { notes } }),
  'updateMany limit': ({ patient }, limit) =>
    patient.updateMany({ where: { id: 'p2' }, data: { name: 'x' }, limit }),
  'upsert where': ({ patient }, v) =>
    patient.upsert({ where: v, create: NEW, update: { notes: 'new note' } }),
  'upsert where and no values': ({ patient }, v) =>
    patient.upsert({ where: v, create: NEW, update: { name: 'x' } }),
  'upsert create': ({ patient }, create) =>
    patient.upsert({ where: { tenantId_id: { tenantId: 'a', id: 'new' } }, create, update: {} }),
  'upsert update': ({ patient }, update) => patient.upsert({ where: ADA, create: NEW, update }),
  'upsert email': ({ patient }, email) =>
    patient.upsert({ where: ADA, create: { ...NEW, email }, update: { email } }),
  'upsert new email': ({ patient }, email) =>
    patient.upsert({
      where: { tenantId_id: { tenantId: 'a', id: 'new' } },
      create: { ...NEW, email },
      update: { email },
    }),
}
