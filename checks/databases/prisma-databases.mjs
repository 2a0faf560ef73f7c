// The databases of the check of Prisma, and what differs between them: the adapter, types of columns, and what Prisma can do there.
import { startMariadb, startPostgresql, startSqlite } from './servers.mjs'

const VERSION = '7.10.0'
const ADAPTERS = ['pg', 'mariadb', 'libsql'].map(name => `@prisma/adapter-${name}`)
export const PACKAGES = ['prisma', '@prisma/client', ...ADAPTERS].map(name => `${name}@${VERSION}`)

/**
 * `text`, `key` and `serial` are types of columns: of texts, of keys that are texts, and of keys that the database makes. `folded` is a
 * text whose equality is that of the normalizer.
 */
export const DATABASES = {
  postgresql: {
    start: startPostgresql,
    provider: 'postgresql',
    module: '@prisma/adapter-pg',
    adapter: ({ PrismaPg }, url) => new PrismaPg({ connectionString: url, max: 2 }),
    types: { text: 'text', key: 'text', serial: 'serial', folded: 'citext' },
    create: name => [`CREATE DATABASE ${name}`],
    extensions: ['CREATE EXTENSION citext'],
    canReturn: true,
    canSkip: true,
  },
  mariadb: {
    start: startMariadb,
    provider: 'mysql',
    module: '@prisma/adapter-mariadb',
    adapter({ PrismaMariaDb }, url) {
      const { hostname: host, port, username: user, password, pathname } = new URL(url)
      return new PrismaMariaDb({
        host,
        port: Number(port),
        user,
        password,
        database: pathname.slice(1),
        connectionLimit: 2,
      })
    },
    types: {
      text: 'text',
      key: 'varchar(191)',
      serial: 'int AUTO_INCREMENT',
      folded: 'varchar(191) COLLATE utf8mb4_general_ci',
    },
    create: name => [`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`],
    canReturn: false,
    canSkip: true,
  },
  sqlite: {
    start: startSqlite,
    provider: 'sqlite',
    module: '@prisma/adapter-libsql',
    adapter: ({ PrismaLibSql }, url) => new PrismaLibSql({ url }),
    types: { text: 'text', key: 'text', serial: 'integer', folded: 'text COLLATE NOCASE' },
    canReturn: true,
    canSkip: false,
  },
}
