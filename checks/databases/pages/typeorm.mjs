// What the programs of docs/guide/typeorm.md print.
export const packages = [
  'typeorm@1.1.1',
  'pg@8.23.1',
  'mysql2@3.24.6',
  'sql.js@1.16.0',
  'reflect-metadata@0.2.2',
]

export const runs = [
  { after: "\nawait source.destroy()\nconsole.log('created')\n", prints: 'created\n' },
  { prints: 'true Ada@example.org London\nada@example.com\n' },
]
