// Runs a rotation: its progress on the terminal, its failures in a file, its end at a signal.
import type {
  RotateColumnsOptions,
  RotationFailure,
  RotationFailureReason,
  RotationResult,
  RowSource,
} from '../../../types/rotation.d.ts'
import { rotateColumns } from '../../databases/rotation/rotate-columns.cjs'
import type { Call } from '../frame/command.cjs'
import { atRequest } from '../frame/ending.cjs'
import { Failure } from '../frame/failure.cjs'
import { type Progress, rows as rowsOf, withProgress } from '../frame/progress.cjs'
import { withOutputs } from '../writing/outputs.cjs'
import { FailuresFile } from './failures-file.cjs'
import type { declarationOf, TableWords } from './table-options.cjs'

export interface Job {
  readonly declaration: ReturnType<typeof declarationOf>
  readonly source: RowSource
  readonly words: TableWords
  readonly options: RotateColumnsOptions
  /** The file of --failures. */
  readonly failures: string | undefined
}

export interface Outcome {
  readonly result: RotationResult
  /** Why values were left. */
  readonly reasons: ReadonlySet<RotationFailureReason>
}

/** Runs it. A signal ends it after the batch in progress, and the list of failures is written. */
export async function rotation(call: Call, job: Job): Promise<Outcome> {
  const { failures } = job
  const runWith = (file?: FailuresFile) => withProgress(call, progress => run(job, progress, file))
  const ended =
    failures === undefined
      ? await runWith()
      : await withOutputs({ force: call.has('force') }, async outputs => {
          const output = outputs.create(failures)
          const file = new FailuresFile(bytes => output.write(bytes))
          const ended = await runWith(file)
          await file.flush()
          return ended
        })
  if (!('signal' in ended)) return ended
  const { signal, changed } = ended
  const what = `stopped after writing ${rowsOf(changed)}: run the same command to continue`
  throw new Failure('ERR_INTERRUPTED', what, { signal })
}

type Ended = Outcome | { readonly signal: NodeJS.Signals; readonly changed: number }

async function run(job: Job, progress: Progress, file: FailuresFile | undefined): Promise<Ended> {
  const { declaration, source, words, options } = job
  const names = new Map(words.columns.map(({ name, declared }) => [declared, name]))
  const reasons = new Set<RotationFailureReason>()
  const abort = new AbortController()
  let asked: NodeJS.Signals | undefined
  let [pass, changed] = [0, 0]
  const release = atRequest(signal => {
    asked = signal
    abort.abort()
  })
  try {
    const result = await rotateColumns(declaration, source, {
      ...options,
      signal: abort.signal,
      onProgress(state) {
        if (state.pass !== pass) progress.begin(state.total, 'rows')
        pass = state.pass
        changed = state.changed
        progress.at(state.seen)
      },
      async onFailure(failure: RotationFailure) {
        reasons.add(failure.reason)
        await file?.add(failure, names.get(failure.column) ?? failure.column)
      },
    })
    return { result, reasons }
  } catch (error) {
    // A pause that is cut short rejects with another error of this name.
    if (asked !== undefined && (error as Error | undefined)?.name === 'AbortError')
      return { signal: asked, changed }
    throw changed > 0 ? goingOn(error, changed) : error
  } finally {
    release()
  }
}

/** A failure after rows were written says that they stay. */
function goingOn(error: unknown, changed: number): unknown {
  if (!(error instanceof Failure)) return error
  const { code, message, about, files, exitCode } = error
  const more = `; ${rowsOf(changed)} were written: run the same command to continue`
  return new Failure(code, `${message}${more}`, { ...(about !== undefined && { about }), files, exitCode })
}
