// The part rotation with statements that take too long: the run ends with the database's error, and leaves neither a change nor a lock.
import { AesGcm } from 'hardware-aes-gcm'
import { BlindIndex, Keyring } from 'hardware-aes-gcm/keyring'
import { countColumns, rotateColumns } from 'hardware-aes-gcm/rotation'
import { connect, fill } from './rotation-places.mjs'
import { usersOf } from './rotation-table.mjs'

const ROWS = 100
/** Without a limit, an UPDATE of all rows takes 20 seconds. */
const SLOW = {
  postgresql: {
    code: '57014',
    begin: [
      `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.2); RETURN NEW; END'`,
      'CREATE TRIGGER slows BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION slow()',
    ],
    end: 'DROP TRIGGER slows ON users',
    impatient: 'SET lock_timeout = 100',
  },
  mariadb: {
    // ER_STATEMENT_TIMEOUT, which mysql2 has no name for.
    code: 1969,
    begin: ['CREATE TRIGGER slows BEFORE UPDATE ON users FOR EACH ROW DO SLEEP(0.2)'],
    end: 'DROP TRIGGER slows',
    impatient: 'SET SESSION innodb_lock_wait_timeout = 1',
  },
}

/** Says what is wrong. */
export async function limits({ database, url }) {
  const { code, begin, end, impatient } = SLOW[database]
  const [mine, other] = [await connect(url), await connect(url)]
  const keyring = Keyring.generate()
  const users = usersOf(keyring, BlindIndex.generateKey().toString('hex'))
  await mine.all('DELETE FROM users')
  await fill(mine, ROWS, row => users.seal(row))
  keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
  for (const sql of begin) await mine.all(sql)
  const began = performance.now()
  const source = mine.source({ table: 'users', key: 'id', statementTimeout: 300 })
  const error = await rotateColumns(users, source).then(
    () => 'none',
    error => error,
  )
  const seconds = (performance.now() - began) / 1000
  const problems = []
  const found = error.code ?? error.errno
  if (found !== code) problems.push(`not ${code}, but ${found ?? error}`)
  if (seconds > 10) problems.push(`it took ${seconds} s`)
  await other.all(end)
  await other.all(impatient)
  await other.all('UPDATE users SET address = address')
  const [{ rest }] = await countColumns(users, mine.source())
  if (rest !== ROWS) problems.push(`${rest} of ${ROWS} values are left`)
  const { done } = await rotateColumns(users, mine.source())
  if (!done) problems.push('the next run was not done')
  await mine.close()
  await other.close()
  return { code, problems }
}
