// `rotate`: re-encrypts a table's columns under the primary key of a keyset, while programs use
// them.
import type { ColumnCount, RotateColumnsOptions } from '../../../types/rotation.d.ts'
import type { Keyring } from '../../values/keyring/keyring.cjs'
import { type Address, addressOf, URL_ENV } from '../databases/address.cjs'
import { withDatabase } from '../databases/connection.cjs'
import { checkOld, OLD_OPTIONS, withReaders } from '../databases/old-values.cjs'
import { advice, isEmpty, namedCounts, tableOf, unneeded } from '../databases/report.cjs'
import { type Outcome, rotation } from '../databases/rotation.cjs'
import {
  declarationOf,
  sourceOptions,
  TABLE_OPTIONS,
  type TableWords,
  tableWords,
} from '../databases/table-options.cjs'
import { type Call, type Command, FORCE } from '../frame/command.cjs'
import { Failure, LEFT, unusable } from '../frame/failure.cjs'
import { grouped, NO_PROGRESS, rows as rowsOf } from '../frame/progress.cjs'
import { printJson, printLines, reportDone, STANDARD } from '../frame/streams.cjs'
import { readKeyset } from '../secrets/keyset-file.cjs'
import { SYMMETRIC } from '../secrets/keyset-kinds.cjs'
import { UNLOCKING } from '../secrets/keyset-lock.cjs'
import { KEYSET } from '../secrets/keyset-option.cjs'
import { refuseTaken } from '../writing/outputs.cjs'

const CLEAR_WORDS = 'store values in clear text'
const [MAX_BATCH, MAX_SECONDS] = [100_000, 86_400]
const [BATCH, STATEMENT_SECONDS, LOCK_SECONDS] = [1000, 30, 2]

export const rotate: Command = {
  name: 'rotate',
  summary: "Re-encrypt a table's columns under the primary key of a keyset",
  usage: ['rotate --url-env NAME --table NAME [OPTIONS]', 'rotate URL --table NAME [OPTIONS]'],
  about: [
    'Re-encrypts values written by hardware-aes-gcm/columns, while programs read and write the table. Needs --table, --id, --column ' +
      'and --keyset. Each batch is one transaction, and skips values that another program has changed. If interrupted, run it again ' +
      'to continue. Several processes can share one table. Values that cannot be decrypted are left unchanged.',
    'URL is a postgres:, mysql:, mariadb: or sqlite: URL, or an SQLite file. Other users can see arguments, so pass a URL with a ' +
      'password in a variable. The driver (pg, mysql2, better-sqlite3 or node:sqlite) comes from the project in the current folder.',
    'At the end, it counts the values under each key. Exit code 3: some are not under the primary key. Blind indexes are left ' +
      'unchanged, because they have their own key; renew them with rotateColumns of hardware-aes-gcm/rotation.',
  ],
  options: {
    'url-env': URL_ENV,
    ...TABLE_OPTIONS,
    keyset: KEYSET,
    ...UNLOCKING,
    'dry-run': { help: 'Decrypt and count, but write nothing' },
    failures: {
      value: 'FILE',
      help: 'Write the rows whose values cannot be decrypted to FILE, as JSON lines: id, column and reason',
    },
    force: FORCE,
    ...OLD_OPTIONS,
    back: { help: 'Also re-encrypt values under keys newer than the primary key' },
    to: { value: 'clear', help: 'Replace encrypted values by their plaintext, to stop using this package' },
    confirm: { value: 'TEXT', help: `Confirm --to clear; TEXT must be '${CLEAR_WORDS}'` },
    batch: {
      value: 'NUMBER',
      help: `Rows per batch; their locks are held until it ends (default: ${BATCH})`,
    },
    pause: { value: 'MILLISECONDS', help: 'Wait this long after each batch (default: 0)' },
    'statement-timeout': {
      value: 'SECONDS',
      help: `Time limit for each statement; 0 is no limit (default: ${STATEMENT_SECONDS})`,
    },
    'lock-timeout': {
      value: 'SECONDS',
      help: `Time limit for waiting on a lock; 0 is no limit (default: ${LOCK_SECONDS})`,
    },
    'no-progress': NO_PROGRESS,
  },
  examples: [
    'rotate app.db --table users --id id --column email …',
    'rotate --url-env DATABASE_URL --table users --dry-run …',
    'rotate --url-env DATABASE_URL --failures left.jsonl …',
  ],
  files: { most: 1, name: 'one database' },
  async run(call) {
    const plan = planOf(call)
    const keyring = await readKeyset(call, plan.keyset, SYMMETRIC)
    try {
      refuseOtherPrimary(keyring, plan.keyset)
      await withReaders(call, async readers => {
        const declaration = declarationOf(call, plan.words, keyring, readers)
        const { address, failures, lockTimeout, statementTimeout, words } = plan
        const timeouts = address.kind === 'sqlite' ? {} : { lockTimeout, statementTimeout }
        const outcome = await withDatabase(address, lockTimeout, rows => {
          const source = rows({ ...sourceOptions(words), ...timeouts })
          return rotation(call, { declaration, source, words, options: optionsOf(call, plan), failures })
        })
        await report(call, plan, keyring, outcome)
      })
    } finally {
      keyring.destroy()
    }
  },
}

interface Plan {
  readonly address: Address
  readonly words: TableWords
  readonly keyset: string
  readonly isDry: boolean
  readonly failures: string | undefined
  readonly batchSize: number
  readonly pause: number
  readonly statementTimeout: number
  readonly lockTimeout: number
}

/** The command line, checked before anything is read. */
function planOf(call: Call): Plan {
  const address = addressOf(call)
  const words = tableWords(call, address)
  const keyset = call.text('keyset')
  if (keyset === undefined) throw call.misuse('rotate needs a keyset: --keyset FILE')
  checkOld(call)
  checkClear(call)
  const failures = call.text('failures')
  if (failures === undefined) call.refuse(['force'], 'needs --failures FILE')
  else if (failures === STANDARD) throw call.misuse('--failures needs a file, not standard output')
  else refuseTaken(failures, call.has('force'))
  const seconds = (name: string, usual: number) => (call.number(name, 0, MAX_SECONDS) ?? usual) * 1000
  return {
    address,
    words,
    keyset,
    isDry: call.has('dry-run'),
    failures,
    batchSize: call.number('batch', 1, MAX_BATCH) ?? BATCH,
    pause: call.number('pause', 0, MAX_SECONDS * 1000) ?? 0,
    statementTimeout: seconds('statement-timeout', STATEMENT_SECONDS),
    lockTimeout: seconds('lock-timeout', LOCK_SECONDS),
  }
}

/** Clear text is stored only if the command line says so twice. */
function checkClear(call: Call): void {
  if (call.choice('to', ['clear']) === undefined) {
    call.refuse(['confirm'], 'needs --to clear')
    return
  }
  call.refuse(['from-clear', 'back'], 'cannot be combined with --to clear')
  if (call.text('confirm') === CLEAR_WORDS) return
  throw call.misuse(
    `--to clear stores these columns as plaintext: confirm it with --confirm '${CLEAR_WORDS}'`,
  )
}

function refuseOtherPrimary(keyring: Keyring, path: string): void {
  const primary = keyring.keys.find(({ primary }) => primary)
  if (primary?.prefix === 'tink') return
  throw unusable(path, "its primary key needs the prefix 'tink', as encrypted columns do")
}

/** The options of the library. */
function optionsOf(call: Call, { batchSize, pause, isDry }: Plan): RotateColumnsOptions {
  return {
    batchSize,
    pause,
    dryRun: isDry,
    back: call.has('back'),
    clearText: call.has('from-clear') ? 'seal' : 'refuse',
    ...(call.has('to') && { to: 'clear', confirm: CLEAR_WORDS }),
  }
}

async function report(call: Call, plan: Plan, keyring: Keyring, { result, reasons }: Outcome): Promise<void> {
  const { keyset, words, failures, isDry } = plan
  const { done, changed, conflicts, retries, failed, renewed } = result
  const columns = namedCounts(result.columns, words)
  if (words.where !== undefined && isEmpty(result.columns))
    throw new Failure('ERR_INPUT', `${words.table}: no row matches --where`)
  const ids = call.has('to') ? [] : unneeded(result, keyring)
  const json = () =>
    printJson(call.streams, {
      table: words.table,
      ...(words.where !== undefined && { where: words.where }),
      dryRun: isDry,
      done,
      changed,
      conflicts,
      retries,
      failed,
      reasons: [...reasons],
      renewed,
      columns,
      unneededKeys: ids,
      ...(failures !== undefined && { failures }),
    })
  const lines = () =>
    printLines(call.streams, [
      ...tableOf(columns, keyring),
      `${words.table}: ${rowsOf(changed)} ${isDry ? 'to write' : 'written'}`,
      ...advice(ids, keyset, words),
    ])
  const print = call.has('json') ? json : lines
  if (isDry || changed === 0) await print()
  else await reportDone(`${rowsOf(changed)} were written`, print, 'run the command again to count')
  const left =
    failed > 0 ? notOpened(failed, reasons, failures) : done || isDry ? undefined : notDone(columns)
  if (left !== undefined) throw new Failure('ERR_ROWS_LEFT', `${words.table}: ${left}`, { exitCode: LEFT })
}

/** Values that do not open. */
function notOpened(failed: number, reasons: Outcome['reasons'], failures: string | undefined): string {
  const why = [...reasons].join(', ')
  const where = failures === undefined ? '--failures FILE lists the rows' : `${failures} lists the rows`
  const what = failed === 1 ? '1 value was left unchanged' : `${grouped(failed)} values were left unchanged`
  return `${what} (${why}): ${where}`
}

/** Values that open, and that other programs wrote, or that only --back renews. */
function notDone(columns: readonly ColumnCount[]): string {
  const history = columns.reduce((sum, { history }) => sum + history, 0)
  const rest = columns.reduce((sum, { rest }) => sum + rest, 0) - history
  if (rest === 0) {
    const what = `${grouped(history)} old values are in the history of the table, which cannot be updated`
    return `${what}: delete it (DELETE HISTORY FROM), or keep their keys`
  }
  const what = rest === 1 ? '1 value is' : `${grouped(rest)} values are`
  const isNewer = columns.some(({ keys }) => {
    // Keys are listed from the oldest to the newest.
    const at = keys.findIndex(({ primary }) => primary)
    return keys.some(({ known, values }, i) => known && i > at && values > 0)
  })
  if (isNewer) return `${what} under a newer key: promote it, or pass --back`
  const why = 'another program still encrypts with an old key or locks the rows, or --id is not unique'
  return `${what} not under the primary key: ${why}; run the command again`
}
