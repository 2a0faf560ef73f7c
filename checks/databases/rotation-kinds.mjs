// The part rotation in PostgreSQL, on tables of kinds that rewrite, refuse or hide an UPDATE: every row is rotated, or the run says that
// it is not.
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { rotateColumns } from 'hardware-aes-gcm/rotation'
import { connect } from './rotation-places.mjs'

const ROWS = 250
const [PLAIN, LOG] = [
  'CREATE TABLE kind (id text PRIMARY KEY, email text)',
  'CREATE TABLE kind_log (id text)',
]
const PARTITIONED = 'CREATE TABLE kind (id text PRIMARY KEY, email text) PARTITION BY HASH (id)'
/** A wrapper that PostgreSQL comes with, and an empty file. */
const FOREIGN = [
  'CREATE EXTENSION IF NOT EXISTS file_fdw',
  'DROP SERVER IF EXISTS kind_server CASCADE',
  'CREATE SERVER kind_server FOREIGN DATA WRAPPER file_fdw',
]
const partition = n => `CREATE TABLE kind_${n} PARTITION OF kind FOR VALUES WITH (MODULUS 2, REMAINDER ${n})`
const rule = (on, what) => `CREATE RULE kind_rule AS ON UPDATE TO kind ${on} DO ${what}`
const logged = 'ALSO INSERT INTO kind_log VALUES (NEW.id)'
const trigger = (when, body) => [
  `CREATE FUNCTION kind_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$`,
  `CREATE TRIGGER kind_trigger ${when} EXECUTE FUNCTION kind_trigger()`,
]
const policies = (...list) => [
  'ALTER TABLE kind ENABLE ROW LEVEL SECURITY',
  ...list.map((policy, i) => `CREATE POLICY kind_${i} ON kind FOR ${policy}`),
]

/** What happens: `done`, the reasons of failures, or the code of PostgreSQL's error. `role` rotates, if it is not the owner. */
const KINDS = [
  { about: 'a rule that adds a statement', make: [PLAIN, LOG, rule('', logged)], is: 'done' },
  {
    about: 'such a rule with a condition',
    make: [PLAIN, LOG, rule('WHERE OLD.email <> NEW.email', logged)],
    is: 'done',
  },
  { about: 'a rule that does nothing instead', make: [PLAIN, rule('', 'INSTEAD NOTHING')], is: 'kept' },
  {
    about: 'a view of all rows',
    make: [PLAIN, 'CREATE VIEW kind_view AS SELECT * FROM kind'],
    is: 'ERR_INVALID_STATE',
  },
  {
    about: 'a view that cannot be locked',
    make: [PLAIN, 'CREATE VIEW kind_view AS SELECT DISTINCT * FROM kind'],
    is: 'ERR_INVALID_STATE',
  },
  {
    about: 'a materialized view',
    make: [PLAIN, 'CREATE MATERIALIZED VIEW kind_view AS SELECT * FROM kind'],
    is: 'ERR_INVALID_STATE',
  },
  {
    about: 'a table with a foreign partition',
    make: [
      'CREATE TABLE kind (id text, email text) PARTITION BY LIST (id)',
      'CREATE TABLE kind_0 PARTITION OF kind DEFAULT',
      ...FOREIGN,
      "CREATE FOREIGN TABLE kind_1 PARTITION OF kind FOR VALUES IN ('x') SERVER kind_server OPTIONS (filename '/dev/null')",
    ],
    is: 'ERR_INVALID_STATE',
  },
  { about: 'a table with a child', make: [PLAIN, 'CREATE TABLE kind_child () INHERITS (kind)'], is: 'done' },
  { about: 'partitions', make: [PARTITIONED, partition(0), partition(1)], is: 'done' },
  {
    about: 'a trigger for the statement, with its rows',
    make: [
      PLAIN,
      LOG,
      ...trigger(
        'AFTER UPDATE ON kind REFERENCING NEW TABLE AS changed FOR EACH STATEMENT',
        'INSERT INTO kind_log SELECT id FROM changed; RETURN NULL;',
      ),
    ],
    is: 'done',
  },
  {
    about: 'a trigger that leaves rows out',
    make: [PLAIN, ...trigger('BEFORE UPDATE ON kind FOR EACH ROW', 'RETURN NULL;')],
    is: 'kept',
  },
  {
    about: 'a trigger that keeps old values',
    make: [PLAIN, ...trigger('BEFORE UPDATE ON kind FOR EACH ROW', 'RETURN OLD;')],
    is: 'kept',
  },
  {
    about: 'a trigger that writes old values afterwards',
    make: [
      PLAIN,
      ...trigger(
        'AFTER UPDATE ON kind FOR EACH ROW WHEN (NEW.email <> OLD.email AND pg_trigger_depth() = 0)',
        'UPDATE kind SET email = OLD.email WHERE id = OLD.id; RETURN NULL;',
      ),
    ],
    is: 'kept',
  },
  {
    about: 'policies that hide rows',
    make: [PLAIN, ...policies('ALL USING (length(id) = 3)')],
    role: true,
    is: 'ERR_INVALID_STATE',
  },
  {
    about: 'row-level security without a policy',
    make: [PLAIN, ...policies()],
    role: true,
    is: 'ERR_INVALID_STATE',
  },
  {
    about: 'a trigger that writes to a table with policies',
    make: [
      PLAIN,
      LOG,
      'ALTER TABLE kind_log ENABLE ROW LEVEL SECURITY',
      'CREATE POLICY kind_log_policy ON kind_log FOR INSERT WITH CHECK (true)',
      'GRANT ALL ON kind_log TO kind_role',
      ...trigger('AFTER UPDATE ON kind FOR EACH ROW', 'INSERT INTO kind_log VALUES (NEW.id); RETURN NULL;'),
    ],
    role: true,
    is: 'done',
  },
  {
    about: 'policies for others than the owner',
    make: [PLAIN, ...policies('ALL USING (false)')],
    is: 'done',
  },
]

/** How many kinds behave as they should; throws if one does not. */
export async function kinds({ url }) {
  const place = await connect(url)
  await place.all('CREATE ROLE kind_role')
  for (const kind of KINDS) {
    const { found, rotated } = await outcomeOf(place, kind)
    if (found === kind.is && rotated === (kind.is === 'done' ? ROWS : 0)) continue
    throw new Error(
      `${kind.about}: ${found} instead of ${kind.is}, and ${rotated} of ${ROWS} rows are rotated`,
    )
  }
  await place.close()
  return KINDS.length
}

async function outcomeOf(place, { make, role }) {
  const { all } = place
  for (const sql of make) await all(sql)
  const keyring = Keyring.generate()
  const table = encryptedColumns('kind', { keyring, rowKey: 'id', columns: { email: 'text' } })
  for (let i = 0; i < ROWS; i++) {
    const { id, email } = table.seal({ id: `${i}`, email: `${i}@example.org` })
    await all('INSERT INTO kind (id, email) VALUES (?, ?)', [id, email])
  }
  keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
  if (role) for (const sql of ['GRANT ALL ON kind TO kind_role', 'SET ROLE kind_role']) await all(sql)
  const name = make.some(sql => sql.includes(' VIEW kind_view')) ? 'kind_view' : 'kind'
  const reasons = new Set()
  const found = await rotateColumns(table, place.source({ table: name, key: 'id' }), {
    batchSize: 100,
    onFailure: ({ reason }) => void reasons.add(reason),
  }).then(
    ({ done }) => (done ? 'done' : [...reasons].join()),
    error => error.code,
  )
  await all('RESET ROLE')
  const rows = table.openAll(await all('SELECT id, email FROM kind'))
  const wrong = rows.filter(({ id, email }) => email !== `${id}@example.org`).length
  if (wrong > 0 || rows.length !== ROWS) throw new Error(`${wrong} of ${rows.length} rows are wrong`)
  const sealed = await all('SELECT email FROM kind')
  await all('DROP TABLE kind CASCADE')
  await all('DROP TABLE IF EXISTS kind_log')
  await all('DROP FUNCTION IF EXISTS kind_trigger')
  return { found, rotated: sealed.filter(({ email }) => !keyring.needsRotation(email)).length }
}
