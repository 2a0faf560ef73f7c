// What the programs of docs/guide/sequelize.md print.
export const packages = ['sequelize@6.37.8', 'pg@8.23.1', 'mysql2@3.24.6']

export const runs = [
  { after: "\nawait db.close()\nconsole.log('created')\n", prints: 'created\n' },
  { prints: "Ada@example.org { city: 'London' }\n1\n" },
]
