// Tables of the part rotation with keys of every type, and with names that need quotes: three runs at once rotate each.
import { Buffer } from 'node:buffer'
import { randomBytes, randomUUID } from 'node:crypto'
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { layoutReader } from 'hardware-aes-gcm/legacy'
import { rotateColumns } from 'hardware-aes-gcm/rotation'
import { old } from './rotation-old.mjs'
import { connect } from './rotation-places.mjs'

const ROWS = 130
const LARGE = 2n ** 62n
const KINDS = {
  postgresql: {
    text: ['text', n => `k'"\\${n}`],
    char: ['char(40)', () => randomUUID().padEnd(40)],
    uuid: ['uuid', () => randomUUID()],
    integer: ['integer', n => n - 100],
    bigint: ['bigint', n => LARGE + BigInt(n)],
    bytes: ['bytea', () => randomBytes(16)],
    composite: [['varchar(20)', 'integer'], n => [`t${n % 3}`, n]],
  },
  mariadb: {
    text: ['VARCHAR(50) COLLATE utf8mb4_general_ci', n => `k'"\\é${n}`],
    char: ['CHAR(36) CHARACTER SET latin1', () => randomUUID()],
    integer: ['INT', n => n - 100],
    bigint: ['BIGINT UNSIGNED', n => LARGE + BigInt(n)],
    bytes: ['BINARY(16)', () => randomBytes(16)],
    composite: [['VARCHAR(20)', 'INT'], n => [`t${n % 3}`, n]],
  },
  sqlite: {
    text: ['TEXT', n => `k'"\\é${n}`],
    integer: ['INTEGER', n => n - 100],
    bigint: ['INTEGER', n => LARGE + BigInt(n)],
    bytes: ['BLOB', () => randomBytes(16)],
    composite: [['TEXT', 'INTEGER'], n => [`t${n % 3}`, n]],
  },
}
const TYPES = {
  postgresql: { text: 'text', bytes: 'bytea' },
  mariadb: { text: 'TEXT CHARACTER SET utf8mb4', bytes: 'VARBINARY(500)' },
  sqlite: { text: 'TEXT', bytes: 'BLOB' },
}

/** Rotates a table of each kind, from clear text, parts and another key, and says what is wrong. */
export async function keysOfEveryType({ database, url }) {
  const problems = []
  for (const [kind, [types, keyOf]] of Object.entries(KINDS[database]))
    problems.push(...(await one(database, url, kind, [types].flat(), keyOf)))
  return { kinds: Object.keys(KINDS[database]), problems }
}

async function one(database, url, kind, types, keyOf) {
  // SQLite lets one connection write, for which a second one in the same process would wait in vain.
  const connections = database === 'sqlite' ? [1] : [1, 2, 3]
  const places = await Promise.all(connections.map(() => connect(url)))
  const [place] = places
  const quote = name =>
    database === 'postgresql' ? `"${name.replaceAll('"', '""')}"` : `\`${name.replaceAll('`', '``')}\``
  const table = `T of "${kind}" \`x\``
  const key = types.map((_, i) => `The key ${i}`)
  const names = { email: 'E-Mail of "A"', iv: 'the `iv`' }
  const { text, bytes } = TYPES[database]
  const columns = [...types.map((type, i) => `${quote(key[i])} ${type}`), `${quote(names.email)} ${text}`]
  columns.push(
    `${quote(names.iv)} ${bytes}`,
    `tag ${bytes}`,
    `ct ${bytes}`,
    `PRIMARY KEY (${key.map(quote).join()})`,
  )
  await place.all(`CREATE TABLE ${quote(table)} (${columns.join()})`)
  const keyring = Keyring.generate()
  const oldKey = randomBytes(32)
  const layout = { iv: '{iv}', tag: '{tag}', ct: '{ct}' }
  const parts = ['iv', 'tag', 'ct']
  const users = encryptedColumns('t', {
    keyring,
    rowKey: key,
    columns: { email: { type: 'text', fallback: layoutReader({ key: oldKey, layout }), parts } },
  })
  const expected = new Map()
  const named = values => Object.fromEntries(key.map((name, i) => [name, values[i]]))
  for (let n = 0; n < ROWS; n++) {
    const values = [keyOf(n)].flat()
    const email = `é'"\\ ${n} `
    expected.set(shown(values), email)
    const row = [users.seal({ ...named(values), email }).email, null, null, null]
    if (n % 3 === 1) row.splice(0, 1, email)
    if (n % 3 === 2) row.splice(0, 4, null, ...old(oldKey, email))
    const list = [...key.map(quote), quote(names.email), quote(names.iv), 'tag', 'ct']
    await place.all(`INSERT INTO ${quote(table)} (${list.join()}) VALUES (${list.map(() => '?').join()})`, [
      ...values,
      ...row,
    ])
  }
  keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
  const sources = places.map(({ source }) => source({ table, key, names }))
  const options = { batchSize: 20, clearText: 'seal' }
  const results = await Promise.all(sources.map(source => rotateColumns(users, source, options)))
  const problems = results.filter(({ done }) => !done).map(result => JSON.stringify(result))
  const changed = results.reduce((sum, result) => sum + result.changed, 0)
  if (changed !== ROWS) problems.push(`${changed} of ${ROWS} rows were changed`)
  const request = {
    after: undefined,
    limit: ROWS,
    columns: [...key, 'email', ...parts],
    filters: undefined,
    write: false,
  }
  const { rows } = await sources[0].read(request)
  await sources[0].end()
  for (const row of rows) {
    const { email } = users.tryOpen(row) ?? {}
    if (email !== expected.get(shown(key.map(name => row[name]))))
      problems.push(`row ${shown(key.map(name => row[name]))}`)
    if (parts.some(part => row[part] !== null)) problems.push('a part is left')
  }
  if (rows.length !== ROWS) problems.push(`${rows.length} rows were read`)
  for (const { close } of places) await close()
  return problems.map(problem => `${kind}: ${problem}`)
}

const shown = values =>
  values
    .map(value =>
      Buffer.isBuffer(value) || value instanceof Uint8Array ? Buffer.from(value).toString('hex') : `${value}`,
    )
    .join(' ')
