// The tables of the random operations: as Prisma knows them, sealed, and in clear. Both have the same rows.

export const SCHEMA = `
model User {
  id         String   @id
  name       String?
  email      String?  @unique
  emailIndex String?  @unique
  notes      String?
  age        String?
  ageIndex   String?
  manager    User?    @relation("manager", fields: [managerId], references: [id], onDelete: SetNull)
  managerId  String?
  reports    User[]   @relation("manager")
  posts      Post[]
  profile    Profile?
  logs       Log[]
}
model Post {
  id         String   @id
  title      String
  titleIndex String?
  author     User?    @relation(fields: [authorId], references: [id], onDelete: SetNull)
  authorId   String?
  tags       Tag[]
}
model Tag {
  id         String   @id
  label      String
  posts      Post[]
}
model Profile {
  tenant     String
  number     Int
  photo      String?
  user       User     @relation(fields: [userId], references: [id], onDelete: Cascade)
  userId     String   @unique
  @@id([tenant, number])
}
model Log {
  id         Int      @id @default(autoincrement())
  line       String?
  user       User?    @relation(fields: [userId], references: [id], onDelete: SetNull)
  userId     String?
}
model Country {
  id         String   @id
  name       String
}
`

/** The statements that make the tables; `clear` is the type of text whose equality is that of the normalizer. */
export const tables = (clear = 'text') => [
  `CREATE TABLE "User" (id text PRIMARY KEY, name text, email ${clear} UNIQUE, "emailIndex" text UNIQUE, notes text, age text,
     "ageIndex" text, "managerId" text REFERENCES "User" ON DELETE SET NULL)`,
  `CREATE TABLE "Post" (id text PRIMARY KEY, title text NOT NULL, "titleIndex" text, "authorId" text REFERENCES "User" ON DELETE SET NULL)`,
  'CREATE TABLE "Tag" (id text PRIMARY KEY, label text NOT NULL)',
  `CREATE TABLE "_PostToTag" ("A" text REFERENCES "Post" ON DELETE CASCADE, "B" text REFERENCES "Tag" ON DELETE CASCADE,
     PRIMARY KEY ("A", "B"))`,
  `CREATE TABLE "Profile" (tenant text, number int, photo text, "userId" text UNIQUE NOT NULL REFERENCES "User" ON DELETE CASCADE,
     PRIMARY KEY (tenant, number))`,
  'CREATE TABLE "Log" (id serial PRIMARY KEY, line text, "userId" text REFERENCES "User" ON DELETE SET NULL)',
  'CREATE TABLE "Country" (id text PRIMARY KEY, name text NOT NULL)',
]

/** The encrypted columns of the models, declared with these parts of the package. */
export function declarations({ encryptedColumns, Keyring, BlindIndex }) {
  const keyring = Keyring.generate()
  const indexKey = BlindIndex.generateKey()
  const normalizer = email => email.toLowerCase()
  return {
    User: encryptedColumns('User', {
      keyring,
      rowKey: 'id',
      indexKey,
      columns: {
        email: { type: 'text', index: 'emailIndex', normalizer },
        notes: 'json',
        age: { type: 'number', index: 'ageIndex' },
      },
    }),
    Post: encryptedColumns('Post', {
      keyring,
      rowKey: 'id',
      indexKey,
      columns: { title: { type: 'text', index: 'titleIndex' } },
    }),
    Profile: encryptedColumns('Profile', {
      keyring,
      rowKey: ['tenant', 'number'],
      columns: { photo: 'bytes' },
    }),
    Log: encryptedColumns('Log', { keyring, rowKey: false, columns: { line: 'text' } }),
  }
}
