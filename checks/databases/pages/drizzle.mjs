// What the blocks of docs/guide/drizzle.md print.
export const packages = ['drizzle-orm@0.45.4', '@libsql/client@0.17.0']

export const runs = [
  { prints: '' },
  {
    prints: `Ada Ada@example.org London
ada@example.com
Notes ada@example.net
ada@example.net
`,
  },
  { prints: 'true\n' },
  {
    prints: `"users.email" must be an encrypted value, got string: 'email' is sealed by seal(row), and is found by lookup('email', value)
"users.email" must be an encrypted value, got string: 'email' is sealed by seal(row), and is found by lookup('email', value)
"row.email" must be a string, or null, got object
"result[0]" has no "id", to which values of "users" are bound: make the key before you seal, and select it where you open
the message could not be authenticated
`,
  },
]
