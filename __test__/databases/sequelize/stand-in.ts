// A stand-in of Sequelize's query interface.

export type Statement = (...values: unknown[]) => Promise<unknown>

const NAMES =
  'insert bulkInsert update bulkUpdate upsert select rawSelect bulkDelete increment decrement delete'

/** The statements, all of which are `send`. */
export function statementsTo(send: Statement): Record<string, Statement> {
  return Object.fromEntries(NAMES.split(' ').map(name => [name, send]))
}
