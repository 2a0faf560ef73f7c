// What the blocks of docs/guide/databases.md print.
export const packages = ['pg@8.23.1', '@types/pg@8.16.0', 'mysql2@3.24.6', 'kysely@0.28.19', 'knex@3.3.0']

const READ = { prints: 'Ada@example.com\n' }
export const runs = [{ prints: '' }, { prints: '' }, READ, READ, READ, READ]
