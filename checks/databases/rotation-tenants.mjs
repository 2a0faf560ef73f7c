// The part rotation in a table whose tenants have a keyring each: a condition selects the rows of one, and no value of it becomes SQL.
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { countColumns, rotateColumns } from 'hardware-aes-gcm/rotation'
import { connect } from './rotation-places.mjs'

const ROWS = 120
const TYPES = {
  text: ['VARCHAR(60)', [`a' OR 1=1 -- \\`, 'b', 'é "c"']],
  number: ['INTEGER', [1, 20, -3]],
  bigint: ['BIGINT', [2n ** 60n, 2n ** 60n + 1n, 3n]],
}

/** Says what is wrong. */
export async function tenants({ database, url }) {
  const place = await connect(url)
  const problems = []
  const quoted = database === 'mariadb' ? '`a ten"ant`' : '"a ten""ant"'
  for (const [kind, [type, tenants]] of Object.entries(TYPES)) {
    await place.all(
      `CREATE TABLE tenants (${quoted} ${type} NOT NULL, id INTEGER NOT NULL, n INTEGER, s VARCHAR(200), PRIMARY KEY (${quoted}, id))`,
    )
    const keyrings = tenants.map(() => Keyring.generate())
    const tables = keyrings.map(keyring =>
      encryptedColumns('tenants', { keyring, rowKey: 'id', columns: { s: 'text' } }),
    )
    for (let id = 0; id < ROWS; id++)
      await place.all('INSERT INTO tenants VALUES (?, ?, ?, ?)', [
        String(tenants[id % 3]),
        id,
        id % 3,
        tables[id % 3].seal({ id, s: `${id}` }).s,
      ])
    const fail = (what, found) => problems.push(`${kind}: ${what}: ${JSON.stringify(found)}`)
    for (const keyring of keyrings) keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
    for (const n of keyrings.keys()) {
      const options = { table: 'tenants', key: ['tenant', 'id'], names: { tenant: 'a ten"ant' } }
      const source = place.source({ ...options, where: { tenant: tenants[n] } })
      const { done, changed, failed } = await rotateColumns(tables[n], source, { batchSize: 7 })
      if (!done || changed !== ROWS / 3 || failed > 0) fail('a run', { done, changed, failed })
      const both = place.source({ ...options, where: { tenant: [tenants[n], tenants[(n + 1) % 3]], n: [n] } })
      const [{ keys }] = await countColumns(tables[n], both)
      const values = keys.map(({ values }) => values)
      if (values.join() !== `0,${ROWS / 3}`) fail('a count', values)
      const rows = await place.all('SELECT id, n, s FROM tenants')
      const others = rows.filter(row => keyrings[row.n].needsRotation(row.s) !== row.n > n)
      if (others.length > 0) fail('rows of others', others.length)
      if (rows.some(row => tables[row.n].open(row).s !== `${row.id}`)) fail('values', n)
    }
    if (kind !== 'text') {
      const word = place.source({ table: 'tenants', key: 'id', where: { 'a ten"ant': 'abc' } })
      const found = await countColumns(tables[0], word).then(
        ([{ rest }]) => rest,
        error => error.code,
      )
      if (found !== { postgresql: '22P02', mariadb: 'ERR_INVALID_STATE', sqlite: 0 }[database])
        fail('a word', found)
    }
    await place.all('DROP TABLE tenants')
  }
  await place.close()
  return { kinds: Object.keys(TYPES), problems }
}
