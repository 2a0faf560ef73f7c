// Tests mistakes in the declaration of an extension, which are found before any query.

import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { encryptedModels, fieldValue } from 'hardware-aes-gcm/prisma'
import { expect, test } from 'vitest'
import { fakeClient, keyring, MODELS, tables } from './client.js'

const make = encryptedModels as (models?: unknown, options?: unknown) => (client: unknown) => unknown
const { User, Profile, Log } = tables()

test.each([
  [[undefined], 'ERR_INVALID_ARG_TYPE', '"models" must be an object'],
  [[{}], 'ERR_INVALID_ARG_VALUE', 'such as { User: users }'],
  [
    [{ User: { email: 'text' } }],
    'ERR_INVALID_ARG_TYPE',
    '"models.User" must be an object of encryptedColumns',
  ],
  [[{ User }, { newKeys: {} }], 'ERR_INVALID_ARG_VALUE', "has no 'newKeys'"],
  [[{ User }, { newKey: { Post: () => '1' } }], 'ERR_INVALID_ARG_VALUE', "has no 'Post'"],
  [[{ User }, { newKey: { User: 'uuid' } }], 'ERR_INVALID_ARG_TYPE', 'must be a function'],
  [[{ Profile }, { newKey: { Profile: { userId: () => '1' } } }], 'ERR_INVALID_ARG_VALUE', "has no 'userId'"],
  [[{ Profile }, { newKey: { Profile: { number: 1 } } }], 'ERR_INVALID_ARG_TYPE', 'must be a function'],
  [[{ Log }, { newKey: { Log: () => 1 } }], 'ERR_INVALID_ARG_VALUE', '"rowKey" of Log is false'],
])('encryptedModels(%j) is refused', (given, code, words) => {
  const error = expect.objectContaining({ code, message: expect.stringContaining(words) })
  expect(() => make(...given)).toThrow(error)
})

const columns = (names: object, rowKey: string | false = 'id') =>
  encryptedColumns('T', { keyring, rowKey, columns: names as Record<string, 'text'> })

test.each([
  [{ Users: User }, "has 'Users', which is not a model of the schema"],
  [{ User: columns({ mail: 'text' }) }, "declares 'mail', which is not a field of the model"],
  [{ User: columns({ email: 'text' }, 'key') }, "declares 'key'"],
  [{ Log: columns({ at: 'text' }) }, 'to be String in the schema, got DateTime'],
  [
    { Log: columns({ line: 'text' }, 'at') },
    'to be String or Int or BigInt or Bytes in the schema, got DateTime',
  ],
  [{ User: columns({ posts: 'text' }) }, 'got Post'],
])('an extension that does not fit the schema is refused: %#', (models, words) => {
  const error = expect.objectContaining({
    code: 'ERR_INVALID_ARG_VALUE',
    message: expect.stringContaining(words),
  })
  expect(() => make(models)(fakeClient())).toThrow(error)
})

test('one function for two fields of a key is refused, and the advice works', () => {
  const one = () => '1'
  expect(() => make({ Profile }, { newKey: { Profile: one } })(fakeClient())).toThrow(
    'pass { newKey: { Profile: { tenant: crypto.randomUUID, number: crypto.randomUUID } } }',
  )
  make({ Profile }, { newKey: { Profile: { tenant: one, number: one } } })(fakeClient())
})

test.each([
  undefined,
  {},
  { User: {} },
  { ...MODELS, Tag: { fields: [] } },
  { ...MODELS, Tag: { fields: [{ name: 'id', kind: 'scalar' }] } },
])('a client whose models cannot be read is refused: %#', models => {
  expect(() => make({ User })(fakeClient(models === undefined ? null : models))).toThrow(
    'does not support its version',
  )
})

test('only a client is extended', () => {
  for (const client of [undefined, {}, 'prisma'])
    expect(() => make({ User })(client)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' }))
})

test('fieldValue returns the value itself', () => {
  const value = {}
  expect(fieldValue(value)).toBe(value)
})
