// The part rotation with rows whose key is NULL, which databases sort first or last: they hide no other row, and are reported.
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { rotateColumns } from 'hardware-aes-gcm/rotation'
import { connect } from './rotation-places.mjs'

const ROWS = 200
const KINDS = {
  'one column': { columns: ['id'], keyOf: n => [n % 2 === 0 ? null : n] },
  'two columns': {
    columns: ['a', 'b'],
    keyOf: n => [n % 5 === 0 ? null : n % 3, n % 7 === 0 ? null : n],
  },
}

/** Says what is wrong. */
export async function keyless({ url }) {
  const place = await connect(url)
  const problems = []
  for (const [kind, { columns, keyOf }] of Object.entries(KINDS)) {
    const list = columns.map(name => `${name} INTEGER`).join()
    await place.all(`CREATE TABLE keyless (n INTEGER, ${list}, s VARCHAR(200), UNIQUE (${columns.join()}))`)
    const keyring = Keyring.generate()
    const table = encryptedColumns('keyless', { keyring, rowKey: false, columns: { s: 'text' } })
    const keys = Array.from({ length: ROWS }, (_, n) => keyOf(n))
    for (const [n, key] of keys.entries())
      await place.all(`INSERT INTO keyless VALUES (?, ${key.map(() => '?').join()}, ?)`, [
        n,
        ...key,
        table.seal({ s: `${n}` }).s,
      ])
    keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
    const reasons = new Set()
    const result = await rotateColumns(table, place.source({ table: 'keyless', key: columns }), {
      batchSize: 7,
      onFailure: ({ reason }) => void reasons.add(reason),
    })
    const left = keys.filter(key => key.includes(null)).length
    const rows = await place.all('SELECT * FROM keyless')
    const wrong = rows.filter(row => {
      const isLeft = columns.some(name => row[name] === null)
      return keyring.needsRotation(row.s) !== isLeft || table.open(row).s !== `${row.n}`
    }).length
    const { done, changed, failed } = result
    if (done || changed !== ROWS - left || failed !== left || wrong > 0 || [...reasons].join() !== 'no-key')
      problems.push(
        `${kind}: ${JSON.stringify({ done, changed, failed, left, wrong, reasons: [...reasons] })}`,
      )
    await place.all('DROP TABLE keyless')
  }
  await place.close()
  return { kinds: Object.keys(KINDS), problems }
}
