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

/** The relations of each model, and the models to which they lead. */
export const RELATIONS = {
  User: { manager: 'User', reports: 'User', posts: 'Post', profile: 'Profile', logs: 'Log' },
  Post: { author: 'User', tags: 'Tag' },
  Tag: { posts: 'Post' },
  Profile: { user: 'User' },
  Log: { user: 'User' },
  Country: {},
}

/** Relations as they are called on their other side. */
export const BACKS = {
  'User.manager': 'reports',
  'User.reports': 'manager',
  'User.posts': 'author',
  'User.profile': 'user',
  'User.logs': 'user',
  'Post.author': 'posts',
  'Post.tags': 'posts',
  'Tag.posts': 'tags',
  'Profile.user': 'profile',
  'Log.user': 'logs',
}

/** Whether a relation leads to many rows. */
export const isList = name => ['reports', 'posts', 'logs', 'tags'].includes(name)

export const SCALARS = {
  User: ['id', 'name', 'email', 'notes', 'age', 'managerId'],
  Post: ['id', 'title', 'authorId'],
  Tag: ['id', 'label'],
  Profile: ['tenant', 'number', 'photo'],
  Log: ['id', 'line'],
  Country: ['id', 'name'],
}

/** The statements that make the tables in a database of prisma-databases.mjs. In clear, the address has the equality of the normalizer. */
export function tables({ provider, types: { text, key, serial, folded } }, isClear) {
  const reference = (model, action, rule = '') =>
    `${key} ${rule} REFERENCES "${model}" (id) ON DELETE ${action}`
  const statements = [
    `CREATE TABLE "User" (id ${key} PRIMARY KEY, name ${text}, email ${isClear ? folded : key} UNIQUE, "emailIndex" ${key} UNIQUE,
       notes ${text}, age ${text}, "ageIndex" ${text}, "managerId" ${reference('User', 'SET NULL')})`,
    `CREATE TABLE "Post" (id ${key} PRIMARY KEY, title ${text} NOT NULL, "titleIndex" ${text},
       "authorId" ${reference('User', 'SET NULL')})`,
    `CREATE TABLE "Tag" (id ${key} PRIMARY KEY, label ${text} NOT NULL)`,
    `CREATE TABLE "_PostToTag" ("A" ${reference('Post', 'CASCADE')}, "B" ${reference('Tag', 'CASCADE')}, PRIMARY KEY ("A", "B"))`,
    `CREATE TABLE "Profile" (tenant ${key}, number int, photo ${text}, "userId" ${reference('User', 'CASCADE', 'NOT NULL UNIQUE')},
       PRIMARY KEY (tenant, number))`,
    `CREATE TABLE "Log" (id ${serial} PRIMARY KEY, line ${text}, "userId" ${reference('User', 'SET NULL')})`,
    `CREATE TABLE "Country" (id ${key} PRIMARY KEY, name ${text} NOT NULL)`,
  ]
  return statements.map(statement => inQuotesOf(provider, statement))
}

/** A statement whose names are in double quotes, as a database has them. */
export function inQuotesOf(provider, statement) {
  return provider === 'mysql' ? statement.replaceAll('"', '`') : statement
}

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
