// A client with the structure of Prisma's that an extension meets, and what the extension sends on.

import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { BlindIndex, Keyring } from 'hardware-aes-gcm/keyring'
import { encryptedModels } from 'hardware-aes-gcm/prisma'

type Names = Record<string, unknown>
type Compute = { needs: Record<string, true>; compute: (row: Names) => unknown }
interface Extension {
  query: { $allModels: { $allOperations: (query: object) => Promise<unknown> } }
  result: Record<string, Record<string, Compute>>
}

const scalar = (name: string, type = 'String') => ({ name, kind: 'scalar', type })
const relation = (name: string, type: string) => ({ name, kind: 'object', type, relationName: `${name}Of` })

/** The text of the schema, which a client has, too. Of the attributes, these alone are read. */
const SCHEMA = `
model User {
  id        String  @id
  email     String  @unique
  managerId String? // a "manager" { without one }
  manager   User?   @relation("managers", fields: [managerId], references: [id])
  reports   User[]  @relation("managers")
  posts     Post[]
  profile   Profile?
}
model Post {
  id       String @id
  authorId String?
  author   User?  @relation(fields: [authorId], references: [id])
  tags     Tag[]
}
model Tag {
  id    Int    @id
  label String @default("}")
  posts Post[]
}
model Profile {
  tenant String
  number Int
  userId String @unique
  user   User   @relation(fields: [userId], references: [id])
  @@id([tenant, number])
}
`

export const MODELS = {
  User: {
    fields: [
      ...['id', 'name', 'email', 'emailIndex', 'notes', 'managerId'].map(name => scalar(name)),
      ...[relation('posts', 'Post'), relation('profile', 'Profile'), relation('manager', 'User')],
      relation('reports', 'User'),
    ],
  },
  Post: {
    fields: [
      ...['id', 'title', 'authorId'].map(name => scalar(name)),
      ...[relation('author', 'User'), relation('tags', 'Tag')],
    ],
  },
  Tag: { fields: [scalar('id', 'Int'), scalar('label'), relation('posts', 'Post')] },
  Profile: {
    fields: [
      ...[scalar('tenant'), scalar('number', 'Int'), scalar('photo'), scalar('data'), scalar('is')],
      ...[scalar('userId'), relation('user', 'User')],
    ],
  },
  Log: { fields: [scalar('id', 'Int'), scalar('line'), scalar('at', 'DateTime')] },
  Country: { fields: [scalar('id')] },
}

/** A client of these models. It notes what reaches the database. */
export function fakeClient(models: unknown = MODELS, inlineSchema: unknown = SCHEMA) {
  const sent: { model: string; operation: string; args: unknown }[] = []
  return {
    sent,
    _runtimeDataModel: { models, enums: {}, types: {} },
    _engineConfig: { inlineSchema },
    $extends(extension: Extension) {
      const { $allOperations } = extension.query.$allModels
      return {
        result: extension.result,
        /** Runs an operation, and returns the arguments that reach the database. */
        async run(model: string, operation: string, args?: object): Promise<Names> {
          const query = async (args: Names) => {
            sent.push({ model, operation, args })
            return args
          }
          return (await $allOperations({ model, operation, args, query })) as Names
        },
      }
    },
  }
}

export const keyring = Keyring.generate()
const [newest, oldest] = [BlindIndex.generateKey(), BlindIndex.generateKey()]

/** Declarations for the models, whose indexes have one key or several. */
export function tables(indexKey: Uint8Array | Uint8Array[] = newest) {
  const normalizer = (email: string) => email.toLowerCase()
  return {
    User: encryptedColumns('User', {
      keyring,
      rowKey: 'id',
      indexKey,
      columns: { email: { type: 'text', index: 'emailIndex', normalizer }, notes: 'json' },
    }),
    Post: encryptedColumns('Post', { keyring, rowKey: 'id', columns: { title: 'text' } }),
    Profile: encryptedColumns('Profile', {
      keyring,
      rowKey: ['tenant', 'number'],
      columns: { photo: 'bytes' },
    }),
    Log: encryptedColumns('Log', { keyring, rowKey: false, columns: { line: 'text' } }),
  }
}
export const severalKeys = () => tables([newest, oldest])

/** The extended client, and its declarations. */
export function extended(given = tables(), options = {}) {
  const client = fakeClient()
  const extension = encryptedModels(given, options) as (client: unknown) => unknown
  return { ...(extension(client) as ReturnType<typeof client.$extends>), sent: client.sent, ...given }
}
