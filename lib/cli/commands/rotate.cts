// `rotate`: a table's encrypted columns are taken to the primary key of a keyset, while programs
// use them.
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
  summary: "Seal a table's encrypted columns anew, under the primary key of a keyset",
  usage: ['rotate --url-env NAME --table NAME [OPTIONS]', 'rotate URL --table NAME [OPTIONS]'],
  about: [
    'Takes the values that hardware-aes-gcm/columns sealed to the primary key, while programs read and write the table. It needs ' +
      '--table, --id, --column and --keyset. Each batch is one transaction, and writes a value only where nobody has changed it. ' +
      'Interrupted and started again, the command goes on; several of them share one table. Values that do not open stay as they are.',
    'URL is one of postgres:, mysql:, mariadb: or sqlite:, or a file of SQLite. Other users can see arguments, so a URL with a ' +
      'password must come from a variable. The driver is that of the project in the current folder: pg, mysql2, better-sqlite3 or ' +
      'node:sqlite.',
    'At the end it counts the values by key. Exit code 3 says that some are left. Blind indexes stay as they are, since they have a ' +
      'key of their own; rotateColumns of hardware-aes-gcm/rotation renews them.',
  ],
  options: {
    'url-env': URL_ENV,
    ...TABLE_OPTIONS,
    keyset: KEYSET,
    ...UNLOCKING,
    'dry-run': { help: 'Open and count, and write nothing' },
    failures: {
      value: 'FILE',
      help: 'List the rows whose values do not open: their ids alone, as lines of JSON',
    },
    force: FORCE,
    ...OLD_OPTIONS,
    back: { help: 'Also take values of newer keys to the primary key' },
    to: { value: 'clear', help: 'Store the plaintexts instead of sealed values, to stop using this package' },
    confirm: { value: 'TEXT', help: `For --to clear, TEXT must be '${CLEAR_WORDS}'` },
    batch: {
      value: 'NUMBER',
      help: `Rows of a batch, whose locks are held for its time (default: ${BATCH})`,
    },
    pause: { value: 'MILLISECONDS', help: 'Wait so long after each batch (default: 0)' },
    'statement-timeout': {
      value: 'SECONDS',
      help: `The longest time of a statement; 0 is no limit (default: ${STATEMENT_SECONDS})`,
    },
    'lock-timeout': {
      value: 'SECONDS',
      help: `The longest wait for a lock; 0 is no limit (default: ${LOCK_SECONDS})`,
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
  if (failures === undefined) call.refuse(['force'], 'belongs to --failures FILE')
  else if (failures === STANDARD) throw call.misuse('--failures needs the name of a file')
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
    call.refuse(['confirm'], 'belongs to --to clear')
    return
  }
  call.refuse(['from-clear', 'back'], 'has no meaning with --to clear')
  if (call.text('confirm') === CLEAR_WORDS) return
  throw call.misuse(`--to clear ends the encryption of these columns: it needs --confirm '${CLEAR_WORDS}'`)
}

function refuseOtherPrimary(keyring: Keyring, path: string): void {
  const primary = keyring.keys.find(({ primary }) => primary)
  if (primary?.prefix === 'tink') return
  throw unusable(
    path,
    "its primary key has no prefix 'tink', so its values do not begin like those of columns",
  )
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
    throw new Failure('ERR_INPUT', `${words.table}: no row has the values of --where`)
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
  else await reportDone(`${rowsOf(changed)} are written`, print, 'the same command counts again')
  const left =
    failed > 0 ? notOpened(failed, reasons, failures) : done || isDry ? undefined : notDone(columns)
  if (left !== undefined) throw new Failure('ERR_ROWS_LEFT', `${words.table}: ${left}`, { exitCode: LEFT })
}

/** Values that do not open. */
function notOpened(failed: number, reasons: Outcome['reasons'], failures: string | undefined): string {
  const why = [...reasons].join(', ')
  const where = failures === undefined ? '--failures FILE lists their rows' : `${failures} lists their rows`
  const what = failed === 1 ? '1 value is left as it is' : `${grouped(failed)} values are left as they are`
  return `${what} (${why}): ${where}`
}

/** Values that open, and that other programs wrote, or that only --back renews. */
function notDone(columns: readonly ColumnCount[]): string {
  const history = columns.reduce((sum, { history }) => sum + history, 0)
  const rest = columns.reduce((sum, { rest }) => sum + rest, 0) - history
  if (rest === 0) {
    const what = `${grouped(history)} old values are in the history of the table, which no statement changes`
    return `${what}: delete it (DELETE HISTORY FROM), or keep their keys`
  }
  const what = rest === 1 ? '1 value is' : `${grouped(rest)} values are`
  const isNewer = columns.some(({ keys }) => {
    // Keys are listed from the oldest to the newest.
    const at = keys.findIndex(({ primary }) => primary)
    return keys.some(({ known, values }, i) => known && i > at && values > 0)
  })
  if (isNewer) return `${what} under a newer key: promote it, or pass --back`
  const why = 'a program still writes them under another key or locks their rows, or --id is not unique'
  return `${what} not under the primary key: ${why}; run the command again`
}
