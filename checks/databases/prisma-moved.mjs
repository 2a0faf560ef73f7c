// Moves sealed values by SQL to another row, column and table, where they must not open, and writes clear text.
import { inQuotesOf } from './prisma-schema.mjs'

export async function refuseMoved({ sealed }, raw, { provider }) {
  const data = id => ({
    id,
    email: `${id}@example.org`,
    age: 1,
    notes: id,
    posts: { create: { id, title: id } },
  })
  for (const id of ['moved-1', 'moved-2']) await sealed.user.create({ data: data(id) })
  const [email, notes] = await Promise.all([
    sealedValue(raw, provider, 'email', 'moved-2'),
    sealedValue(raw, provider, 'notes', 'moved-1'),
  ])
  const moves = [
    // The address is unique.
    `UPDATE "User" SET email = NULL WHERE id = 'moved-2'`,
    `UPDATE "User" SET email = '${email}' WHERE id = 'moved-1'`,
    `UPDATE "User" SET notes = '${email}' WHERE id = 'moved-2'`,
    `UPDATE "Post" SET title = '${notes}' WHERE id = 'moved-1'`,
    `UPDATE "Post" SET title = 'in clear' WHERE id = 'moved-2'`,
  ]
  for (const move of moves)
    if ((await raw.$executeRawUnsafe(inQuotesOf(provider, move))) !== 1)
      throw new Error(`nothing moved: ${move}`)
  const user = id => ({ where: { id } })
  const reads = {
    row: async () => (await sealed.user.findUnique({ ...user('moved-1'), select: { email: true } })).email,
    column: async () => (await sealed.user.findUnique(user('moved-2'))).notes,
    table: async () => (await sealed.user.findUnique(user('moved-1')).posts())[0].title,
    'clear text': async () =>
      (await sealed.user.findMany({ ...user('moved-2'), include: { posts: true } }))[0].posts[0].title,
  }
  for (const [name, read] of Object.entries(reads)) {
    const failed = await read().then(
      () => undefined,
      error => error.code,
    )
    const code = name === 'clear text' ? 'ERR_AESGCM_NOT_SEALED' : 'ERR_AESGCM_AUTHENTICATION_FAILED'
    if (failed !== code) throw new Error(`a value of another ${name} opened, or failed with ${failed}`)
  }
}

async function sealedValue(raw, provider, field, id) {
  const query = `SELECT ${field} AS value FROM "User" WHERE id = '${id}'`
  const [{ value }] = await raw.$queryRawUnsafe(inQuotesOf(provider, query))
  return value
}
