// The part rotation in MariaDB, on tables of kinds that lack rows, keep old ones, or have no transactions: the run says so, and on a table
// with triggers that undo updates.
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { rotateColumns } from 'hardware-aes-gcm/rotation'
import { connect } from './rotation-places.mjs'

const ROWS = 60
const TABLE = 'CREATE TABLE kind (id INT PRIMARY KEY, email VARCHAR(200))'
const [REFUSED, HISTORY] = ['ERR_INVALID_STATE', `history ${ROWS}`]
const PERIOD =
  'CREATE TABLE kind (id INT PRIMARY KEY, email VARCHAR(200), a TIMESTAMP(6) GENERATED ALWAYS AS ROW START, b TIMESTAMP(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME(a, b))'

/** What happens: `done`, the values in the history, the reason of failures, or the code of an error. */
const KINDS = [
  { about: 'a table', make: [TABLE], is: 'done' },
  { about: 'partitions', make: [`${TABLE} PARTITION BY HASH (id) PARTITIONS 3`], is: 'done' },
  ...['MyISAM', 'Aria', 'MEMORY'].map(engine => ({
    about: engine,
    make: [`${TABLE} ENGINE=${engine}`],
    is: REFUSED,
  })),
  { about: 'a view', make: [TABLE, 'CREATE VIEW kind_view AS SELECT * FROM kind'], is: REFUSED },
  { about: 'a table with a history', make: [`${TABLE} WITH SYSTEM VERSIONING`], is: HISTORY },
  { about: 'a history with columns', make: [`${PERIOD} WITH SYSTEM VERSIONING`], is: HISTORY },
  {
    about: 'a trigger that keeps old values',
    make: [TABLE, 'CREATE TRIGGER kind_trigger BEFORE UPDATE ON kind FOR EACH ROW SET NEW.email = OLD.email'],
    is: 'kept',
  },
]

/** Says what is wrong. */
export async function tables({ url }) {
  const place = await connect(url)
  const problems = []
  for (const kind of KINDS) {
    const found = await outcomeOf(place, kind)
    if (found !== kind.is) problems.push(`${kind.about}: ${found} instead of ${kind.is}`)
  }
  await place.close()
  return { count: KINDS.length, problems }
}

async function outcomeOf({ all, source }, { make }) {
  for (const sql of make) await all(sql)
  const keyring = Keyring.generate()
  const table = encryptedColumns('kind', { keyring, rowKey: 'id', columns: { email: 'text' } })
  for (let id = 0; id < ROWS; id++)
    await all('INSERT INTO kind (id, email) VALUES (?, ?)', [id, table.seal({ id, email: `${id}` }).email])
  keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
  const name = make.some(sql => sql.includes(' VIEW kind_view')) ? 'kind_view' : 'kind'
  const reasons = new Set()
  const options = { batchSize: 20, onFailure: ({ reason }) => void reasons.add(reason) }
  const rotate = () =>
    rotateColumns(table, source({ table: name, key: 'id' }), options).then(
      ({ done, columns: [{ history }] }) =>
        done ? 'done' : history > 0 ? `history ${history}` : [...reasons].join(),
      error => error.code,
    )
  let found = await rotate()
  if (found === HISTORY) {
    await all('DELETE HISTORY FROM kind')
    const then = await rotate()
    if (then !== 'done') found = `${then} without its history`
  }
  const rows = await all('SELECT id, email FROM kind')
  const rotated = rows.filter(({ email }) => !keyring.needsRotation(email)).length
  const isRotated = found === 'done' || found === HISTORY
  await all('DROP VIEW IF EXISTS kind_view')
  await all('DROP TABLE kind')
  if (table.openAll(rows).some(({ id, email }) => email !== `${id}`)) return 'other values'
  return rotated === (isRotated ? ROWS : 0) ? found : `${found}, and ${rotated} rows`
}
