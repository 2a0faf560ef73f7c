// Compiled against the client that Prisma generates for prisma-schema.mjs: what the types of an extended client are.
import { randomUUID } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { BlindIndex, Keyring } from 'hardware-aes-gcm/keyring'
import { encryptedModels, fieldValue } from 'hardware-aes-gcm/prisma'
import { PrismaClient } from './generated/client.ts'

const keyring = Keyring.generate()
const indexKey = BlindIndex.generateKey()
const users = encryptedColumns('User', {
  keyring,
  rowKey: 'id',
  indexKey,
  columns: { email: { type: 'text', index: 'emailIndex' }, notes: 'json', age: 'number' },
})
const posts = encryptedColumns('Post', { keyring, rowKey: 'id', columns: { title: 'text' } })
const profiles = encryptedColumns('Profile', {
  keyring,
  rowKey: ['tenant', 'number'],
  columns: { photo: 'bytes' },
})
const client = new PrismaClient({ adapter: new PrismaPg({ connectionString: '' }) })
const extension = encryptedModels(
  { User: users, Post: posts, Profile: profiles },
  { newKey: { User: randomUUID } },
)
const prisma = client.$extends(extension)

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Same<A, B>) => {}

const user = await prisma.user.findFirstOrThrow({
  where: { email: 'a' },
  include: { profile: true, posts: true },
})
same<typeof user.email, string | null>(true)
same<typeof user.notes, unknown>(true)
same<typeof user.age, number | null>(true)
const { profile } = user
if (profile !== null) same<typeof profile.photo, Buffer<ArrayBuffer> | null>(true)
for (const post of user.posts) same<typeof post.title, string>(true)

const [selected] = await prisma.tag.findMany({
  select: { posts: { select: { author: { select: { age: true } } } } },
})
const author = selected?.posts[0]?.author
if (author) same<typeof author, { age: number | null }>(true)

const made = await prisma.user.create({ data: { id: '1', notes: fieldValue({ a: 1 }), age: fieldValue(17) } })
same<typeof made.age, number | null>(true)
await prisma.$transaction(async transaction => {
  const one = await transaction.user.update({ where: { id: '1' }, data: { email: { set: 'a' } } })
  same<typeof one.age, number | null>(true)
})
const upper = prisma.$extends({
  result: { user: { upper: { needs: { email: true }, compute: ({ email }) => email?.toUpperCase() } } },
})
same<NonNullable<Awaited<ReturnType<typeof upper.user.findFirst>>>['upper'], string | undefined>(true)

// @ts-expect-error a field that the schema does not have
await prisma.user.findFirst({ where: { mail: 'a' } })
// @ts-expect-error no function
encryptedModels({ User: users }, { newKey: { User: 'uuid' } })
// @ts-expect-error a model that is not declared
encryptedModels({ User: users }, { newKey: { Post: randomUUID } })
