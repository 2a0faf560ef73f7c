// Tests that no write of a relation moves the key of a row, and that keys of new rows come through relations.
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { encryptedModels } from 'hardware-aes-gcm/prisma'
import { describe, expect, test } from 'vitest'
import { fakeClient, keyring } from './client.js'

const scalar = (name: string, type = 'String') => ({ name, kind: 'scalar', type })
const relation = (name: string, type: string, relationName: string) => ({
  ...{ name, kind: 'object', type },
  relationName,
})
const MODELS = {
  Tenant: {
    fields: [
      ...['id', 'slug', 'name'].map(name => scalar(name)),
      relation('patients', 'Patient', 'PatientToTenant'),
      relation('setting', 'Setting', 'SettingToTenant'),
    ],
  },
  Patient: {
    fields: [
      ...['tenantId', 'id', 'email'].map(name => scalar(name)),
      relation('tenant', 'Tenant', 'PatientToTenant'),
      relation('visits', 'Visit', 'PatientToVisit'),
    ],
  },
  Visit: {
    fields: [
      ...['clinic', 'patientId', 'number', 'findings'].map(name => scalar(name)),
      relation('patient', 'Patient', 'PatientToVisit'),
    ],
  },
  Setting: { fields: [scalar('tenantId'), scalar('value'), relation('tenant', 'Tenant', 'SettingToTenant')] },
}
/** The names of Visit's foreign key tell nothing. */
const SCHEMA = (more = '') => `
/* model Visit { } */
model Tenant {
  id       String    @id
  slug     String    @unique
  patients Patient[]
  setting  Setting?
}
model Patient {
  tenantId String
  id       String
  email    String? @default("{ \\" // }")
  tenant   Tenant  @relation(fields: [tenantId], references: [id]${more})
  visits   Visit[]
  @@id([tenantId, id])
}
model Visit {
  clinic    String
  patientId String
  number    String
  patient   Patient @relation(fields: [clinic, patientId],
    references: [tenantId, id])
}
model Setting {
  tenantId String @id
  value    String?
  tenant   Tenant @relation(fields: [tenantId], references: [id])
}
`
const columns = <const Columns extends Record<string, 'text'>>(
  table: string,
  rowKey: string | string[],
  names: Columns,
) => encryptedColumns(table, { keyring, rowKey, columns: names })
const Patient = columns('Patient', ['tenantId', 'id'], { email: 'text' })
const Visit = columns('Visit', ['clinic', 'patientId', 'number'], { findings: 'text' })
const Setting = columns('Setting', 'tenantId', { value: 'text' })

function clientOf(schema: string | undefined = SCHEMA(), options = {}) {
  const make = encryptedModels({ Patient, Visit, Setting }, options) as (client: unknown) => unknown
  const client = fakeClient(MODELS, schema)
  return make(client) as ReturnType<typeof client.$extends>
}
const db = clientOf()
/** A row whose fields the test knows. */
// biome-ignore lint/suspicious/noExplicitAny: they differ by model
type Row = Record<string, any>
// biome-ignore lint/suspicious/noExplicitAny: the shape is that of what is given
const sent = async (model: string, operation: string, args: object, at = db): Promise<any> =>
  await at.run(model, operation, args)
const refused = (words: string) =>
  expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE', message: expect.stringContaining(words) })

const named = { tenantId_id: { tenantId: 'a', id: '1' } }
const visit = { clinic_patientId_number: { clinic: 'a', patientId: '1', number: '1' } }

describe('prisma-connect-moves-key: a relation that moves the key of a row is refused', () => {
  const other = { id: 'b' }
  const row = { id: 'b', name: 'B' }
  test.each([
    ['Patient', 'update', { where: named, data: { tenant: { connect: other } } }],
    ['Patient', 'update', { where: named, data: { tenant: { connect: { slug: 'a' } } } }],
    ['Patient', 'update', { where: named, data: { tenant: { create: row } } }],
    [
      'Patient',
      'update',
      { where: named, data: { tenant: { connectOrCreate: { where: { id: 'a' }, create: row } } } },
    ],
    ['Patient', 'update', { where: named, data: { tenant: { disconnect: true } } }],
    ['Patient', 'update', { where: named, data: { tenant: { delete: true } } }],
    ['Patient', 'update', { where: named, data: { tenant: { upsert: { create: row, update: {} } } } }],
    ['Patient', 'update', { where: named, data: { tenant: { update: { id: 'b' } } } }],
    ['Patient', 'upsert', { where: named, create: {}, update: { tenant: { connect: other } } }],
    ['Patient', 'updateMany', { where: { tenantId: 'a' }, data: { tenantId: 'b' } }],
    ['Visit', 'update', { where: visit, data: { patient: { update: { tenant: { connect: other } } } } }],
    ['Tenant', 'update', { where: other, data: { patients: { connect: named } } }],
    ['Tenant', 'update', { where: { slug: 'a' }, data: { patients: { connect: named } } }],
    ['Tenant', 'update', { where: other, data: { patients: { set: [] } } }],
    ['Tenant', 'update', { where: { id: 'a' }, data: { patients: { set: [named] } } }],
    ['Tenant', 'update', { where: { id: 'a' }, data: { patients: { disconnect: named } } }],
    [
      'Tenant',
      'update',
      { where: other, data: { patients: { connectOrCreate: { where: named, create: { id: '1' } } } } },
    ],
    [
      'Tenant',
      'update',
      {
        where: { id: 'a' },
        data: { patients: { update: { where: named, data: { tenant: { connect: other } } } } },
      },
    ],
    ['Tenant', 'create', { data: { ...row, patients: { connect: named } } }],
    ['Tenant', 'create', { data: { ...row, setting: { connect: { tenantId: 'a' } } } }],
    ['Tenant', 'update', { where: other, data: { setting: { disconnect: true } } }],
  ])('%s.%s with %j', async (model, operation, args) => {
    await expect(db.run(model, operation, args)).rejects.toEqual(refused('may change'))
  })

  test.each([
    ['Tenant', { where: { id: 'a' }, data: { id: 'b' } }],
    ['Tenant', { where: { slug: 'a' }, data: { id: 'a' } }],
    ['Patient', { where: named, data: { id: '2' } }],
  ])('of %s: a change that keys of other rows follow (onUpdate: Cascade), %j', async (model, args) => {
    await expect(db.run(model, 'update', args)).rejects.toEqual(refused('may change'))
  })

  test('a change that other rows do not follow passes', async () => {
    const schema = SCHEMA(', onUpdate: Restrict')
      .replace('value    String?', 'value String')
      .split('model Setting')[0]
    const { Setting: _, ...models } = MODELS
    const tenant = { fields: MODELS.Tenant.fields.filter(({ name }) => name !== 'setting') }
    const client = fakeClient({ ...models, Tenant: tenant }, schema)
    const make = encryptedModels({ Patient, Visit }) as (client: unknown) => unknown
    const { run } = make(client) as ReturnType<typeof client.$extends>
    const args = { where: { id: 'a' }, data: { id: 'b' } }
    expect(await run('Tenant', 'update', args)).toEqual(args)
    const nested = { ...args, data: { id: 'b', patients: { create: { id: '1', email: 'x' } } } }
    await expect(run('Tenant', 'update', nested)).rejects.toEqual(refused("does not name its 'id'"))
  })

  test.each([
    ['Patient', { where: named, data: { tenant: { connect: { id: 'a' } } } }],
    ['Patient', { where: named, data: { tenant: { update: { id: 'a', name: 'A' } } } }],
    ['Tenant', { where: { id: 'a' }, data: { id: 'a', patients: { connect: named } } }],
    ['Tenant', { where: { id: 'a' }, data: { patients: { delete: named, deleteMany: {} } } }],
  ])('a write of %s that leaves the key as it is passes: %j', async (model, args) => {
    expect(await db.run(model, 'update', args)).toEqual(args)
  })

  test.each([
    ['onDelete: SetDefault', "changes 'tenantId' of Patient"],
    ['onDelete: SetNull', undefined],
    ['onDelete: Cascade', undefined],
  ])('a schema with %s', (rule, words) => {
    const make = () => clientOf(SCHEMA(`, ${rule}`))
    if (words === undefined) make()
    else expect(make).toThrow(refused(words))
  })

  test('a key that may be NULL is refused', () => {
    expect(() => clientOf(SCHEMA().replace('tenantId String @id', 'tenantId String? @unique'))).toThrow(
      refused("needs 'tenantId' to be required"),
    )
  })
})

describe('without the text of the schema', () => {
  const unnamed = clientOf(null as never)
  test('foreign keys are found by their names', async () => {
    const { data } = await sent(
      'Tenant',
      'create',
      { data: { id: 'a', setting: { create: { value: 'x' } } } },
      unnamed,
    )
    expect(Setting.open({ tenantId: 'a', ...data.setting.create }).value).toBe('x')
    const args = { where: named, data: { tenant: { connect: { id: 'b' } } } }
    await expect(unnamed.run('Patient', 'update', args)).rejects.toEqual(refused('may change'))
  })
  test.each([
    ['Patient', { where: named, data: { visits: { connect: visit } } }],
    ['Patient', { where: named, data: { visits: { set: [] } } }],
    ['Visit', { where: visit, data: { patient: { connect: named } } }],
    ['Visit', { where: visit, data: { patient: { create: { id: '2', tenantId: 'a' } } } }],
    ['Visit', { where: visit, data: { patient: { disconnect: true } } }],
  ])('a relation of %s whose foreign key has another name is refused: %j', async (model, args) => {
    await expect(unnamed.run(model, 'update', args)).rejects.toEqual(
      refused('does not report the foreign key'),
    )
  })
})

describe('prisma-composite-newkey: keys come from the row around a new row, or from connect', () => {
  const data = { id: '1', email: 'x' }
  const opened = (row: Row) => Patient.open({ tenantId: 'a', id: row.id ?? '1', email: row.email }).email
  test('from the condition of an update, and from the data of a create', async () => {
    const create = { patients: { create: [data], createMany: { data: [data] } } }
    const where = { id: 'a', slug: 's' }
    for (const args of [{ data: { id: 'a', ...create } }, { where, data: create }]) {
      const { patients } = (await sent('Tenant', 'where' in args ? 'update' : 'create', args)).data
      expect(Object.keys(patients.create[0])).toEqual(['id', 'email'])
      expect([patients.create[0], patients.createMany.data[0]].map(row => opened(row))).toEqual(['x', 'x'])
    }
  })
  test('from connect, create and connectOrCreate', async () => {
    const tenant = { id: 'a', name: 'A' }
    for (const given of [
      { connect: { id: 'a' } },
      { create: tenant },
      { connectOrCreate: { where: { id: 'a' }, create: tenant } },
    ]) {
      const row = (await sent('Patient', 'create', { data: { ...data, tenant: given } })).data
      expect(Object.keys(row)).toEqual(['id', 'email', 'tenant'])
      expect(opened(row)).toBe('x')
    }
  })
  test('through several rows, of which the function makes a part', async () => {
    const options = { newKey: { Patient: { id: () => 'made' }, Visit: { number: () => '7' } } }
    const at = clientOf(undefined, options)
    const visits = { create: { findings: 'well' } }
    const { patients } = (
      await sent('Tenant', 'update', { where: { id: 'a' }, data: { patients: { create: { visits } } } }, at)
    ).data
    expect(patients.create).toMatchObject({ id: 'made', visits: { create: { number: '7' } } })
    const findingsOf = ({ findings }: { findings: string }) =>
      Visit.open({ clinic: 'a', patientId: 'made', number: '7', findings }).findings
    expect(findingsOf(patients.create.visits.create)).toBe('well')
    const patient = { create: { email: 'x', tenant: { connect: { id: 'a' } } } }
    const made = (await sent('Visit', 'create', { data: { findings: 'ill', patient } }, at)).data
    expect(findingsOf(made)).toBe('ill')
    expect(opened(made.patient.create)).toBe('x')
  })
  test('one function makes the field that is no foreign key', async () => {
    const at = clientOf(undefined, { newKey: { Patient: () => 'made', Visit: () => '7' } })
    const { data } = await sent('Patient', 'create', { data: { tenantId: 'a', email: 'x' } }, at)
    expect(data.id).toBe('made')
    expect(opened(data)).toBe('x')
    expect(() => clientOf(undefined, { newKey: { Setting: () => '1' } })).toThrow(refused('has no effect'))
  })
  test('also of rows that are updated, whose condition names the rest', async () => {
    const where = { id: '1' }
    const patients = {
      updateMany: { where, data: { email: 'x' } },
      upsert: { where: named, create: data, update: { email: 'y' } },
    }
    const row = (await sent('Tenant', 'update', { where: { id: 'a' }, data: { patients } })).data.patients
    expect(
      [row.updateMany.data, row.upsert.create, row.upsert.update].map(one => opened({ id: '1', ...one })),
    ).toEqual(['x', 'x', 'y'])
  })
  test.each([
    [
      { where: { slug: 's' }, data: { patients: { create: data } } },
      `does not name its 'id': add it there, to "data" or to "where"`,
    ],
    [
      { where: { id: 'a' }, data: { patients: { create: { email: 'x' } } } },
      '{ newKey: { Patient: { id: crypto.randomUUID } } }',
    ],
    [{ where: { id: 'a' }, data: { patients: { create: { ...data, tenantId: 'b' } } } }, 'from two places'],
  ])('%j is refused with advice', async (args, words) => {
    await expect(db.run('Tenant', 'update', args)).rejects.toEqual(refused(words))
  })
  test.each([
    [{ ...data }, "connect 'tenant' by its 'id'"],
    [{ ...data, tenant: { connect: { slug: 's' } } }, "connect 'tenant' by its 'id'"],
    [{ ...data, tenantId: 'a', tenant: { connect: { id: 'b' } } }, 'from two places'],
    [{ ...data, tenant: { connect: { id: 'a' }, create: { id: 'b' } } }, 'from two places'],
  ])('a new row of %j is refused with advice', async (row, words) => {
    await expect(db.run('Patient', 'create', { data: row })).rejects.toEqual(refused(words))
  })
})

describe('prisma-one-to-one-key: a row whose key is its foreign key', () => {
  const opened = ({ value }: Row) => Setting.open({ tenantId: 'a', value }).value
  test('is made with the row that it belongs to', async () => {
    const { setting } = (
      await sent('Tenant', 'create', { data: { id: 'a', setting: { create: { value: 'x' } } } })
    ).data
    expect(Object.keys(setting.create)).toEqual(['value'])
    expect(opened(setting.create)).toBe('x')
  })
  test('is updated through it', async () => {
    const ways = {
      update: { value: 'x' },
      upsert: { create: { value: 'y' }, update: { value: 'z' } },
      connectOrCreate: { where: { tenantId: 'a' }, create: { value: 'w' } },
    }
    const { setting } = (await sent('Tenant', 'update', { where: { id: 'a' }, data: { setting: ways } })).data
    const { update, upsert, connectOrCreate } = setting
    expect([update, upsert.create, upsert.update, connectOrCreate.create].map(opened)).toEqual([
      'x',
      'y',
      'z',
      'w',
    ])
  })
  test('is refused if the row does not name its key', async () => {
    const args = { where: { slug: 's' }, data: { setting: { update: { value: 'x' } } } }
    await expect(db.run('Tenant', 'update', args)).rejects.toEqual(refused("does not name 'tenantId'"))
  })
})

test('prisma-upsert-other-unique: each branch of an upsert is sealed for the row that it writes', async () => {
  const create = { tenantId: 'a', id: '1', email: 'x' }
  const where = { email: 'unique' }
  await expect(
    db.run('Patient', 'upsert', { where: { id: '1' }, create, update: { email: 'y' } }),
  ).rejects.toEqual(refused("does not name 'tenantId', 'id'"))
  const { run } = clientOf()
  await expect(run('Patient', 'upsert', { where, create, update: {} })).rejects.toThrow('has no index')
  const given = await sent('Patient', 'upsert', { where: named, create, update: { email: 'y' } })
  expect(Patient.open(given.create).email).toBe('x')
  expect(Patient.open({ ...create, ...given.update }).email).toBe('y')
})
