// Attempts to write or to ask for clear text by Drizzle's API, all of which must be refused before anything is sent.

/** Each is a function. `clear` must never reach the database; `id` is that of a new row, `someone` perhaps that of one that is there. */
export function attempts({ database, db, users, encrypted, drizzle }, clear, id, someone) {
  const { eq, inArray, sql } = drizzle
  const insert = values => db.insert(users).values(values)
  const find = condition => db.select().from(users).where(condition)
  const upsert = set =>
    database === 'mariadb'
      ? insert({ id }).onDuplicateKeyUpdate({ set })
      : insert({ id }).onConflictDoUpdate({ target: users.id, set })
  return [
    () => insert({ id, email: clear }),
    () => insert([{ id }, { id, address: { clear } }]),
    () => insert({ id, emailIndex: clear }),
    () => insert(encrypted.users.seal({ email: clear })),
    () => insert(encrypted.users.seal({ id, email: sql`${clear}` })),
    () => db.update(users).set({ email: clear }).where(eq(users.id, someone)),
    () => upsert({ email: clear }),
    () => find(eq(users.email, clear)),
    () => find(inArray(users.email, [clear])),
    () => find(eq(users.emailIndex, clear)),
    () => find(sql`${users.email} = ${sql.param(clear, users.email)}`),
    () => db.transaction(tx => tx.insert(users).values({ id, photo: Buffer.from(clear) })),
  ]
}
