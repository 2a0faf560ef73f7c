// The part rotation in MariaDB, in sessions with every mode that changes what a statement says: keys with quotes and backslashes stay
// values, no filter or count means something else, and no column cuts a value.
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { countColumns, rotateColumns } from 'hardware-aes-gcm/rotation'
import { connect } from './rotation-places.mjs'

const MODES = [
  ...['', 'NO_BACKSLASH_ESCAPES', 'ANSI', 'ORACLE', 'TRADITIONAL', 'HIGH_NOT_PRECEDENCE'],
  ...['EMPTY_STRING_IS_NULL', 'PAD_CHAR_TO_FULL_LENGTH'],
]
const ROWS = 40
const TABLE = { table: 'modes', key: 'id' }
const idOf = n => `k'"\\${n}' OR SLEEP(1) -- é`
const clearOf = n => `${n} '"\\`

/** Says what is wrong. */
export async function modes({ url }) {
  const problems = []
  const plain = await connect(url)
  for (const mode of [...MODES, MODES.filter(Boolean).join()]) {
    const place = await connect(url)
    await place.all('SET SESSION sql_mode = ?', [mode])
    for (const type of ['VARCHAR(200)', 'CHAR(80)'])
      for (const problem of [await renewed(plain, place, type), await tooShort(plain, place)])
        if (problem !== undefined) problems.push(`${mode} ${type}: ${problem}`)
    await place.close()
  }
  await plain.close()
  return { count: MODES.length, problems }
}

async function renewed({ all }, place, type) {
  await all(
    `CREATE TABLE modes (id ${type} COLLATE utf8mb4_bin PRIMARY KEY, n INT, s TEXT CHARACTER SET utf8mb4)`,
  )
  const keyring = Keyring.generate()
  const table = encryptedColumns('modes', { keyring, rowKey: false, columns: { s: 'text' } })
  for (let n = 0; n < ROWS; n++) {
    const s = n % 4 === 0 ? clearOf(n) : table.seal({ s: clearOf(n) }).s
    await all('INSERT INTO modes VALUES (?, ?, ?)', [idOf(n), n, s])
  }
  keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
  const [{ notSealed }] = await countColumns(table, place.source(TABLE))
  const began = performance.now()
  const options = { batchSize: 7, clearText: 'seal' }
  const { done, changed } = await rotateColumns(table, place.source(TABLE), options)
  const seconds = (performance.now() - began) / 1000
  const rows = table.openAll(await all('SELECT n, s FROM modes'))
  await all('DROP TABLE modes')
  const wrong = rows.filter(({ n, s }) => s !== clearOf(n)).length
  if (done && changed === ROWS && notSealed === ROWS / 4 && wrong === 0 && seconds < 5) return
  return `${JSON.stringify({ done, changed, notSealed, wrong, seconds })}`
}

/** A column that is too short for a value. */
async function tooShort({ all }, place) {
  await all('CREATE TABLE modes (id INT PRIMARY KEY, s VARCHAR(30))')
  await all(`INSERT INTO modes VALUES (1, 'the clear text')`)
  const table = encryptedColumns('modes', {
    keyring: Keyring.generate(),
    rowKey: false,
    columns: { s: 'text' },
  })
  const outcome = await rotateColumns(table, place.source(TABLE), { clearText: 'seal' }).catch(error => error)
  const [{ s }] = await all('SELECT s FROM modes')
  await all('DROP TABLE modes')
  if (outcome.code !== 'ER_DATA_TOO_LONG' || s !== 'the clear text')
    return `a column that is too short ends with ${outcome.code} and ${s}`
}
