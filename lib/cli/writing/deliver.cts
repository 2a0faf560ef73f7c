// The result of a command goes to the file of --out, or to standard output, whole or in pieces.
import type { Buffer } from 'node:buffer'
import type { Call } from '../frame/command.cjs'
import { type Progress, withProgress } from '../frame/progress.cjs'
import { print, printJson, refuseTerminal, reportDone } from '../frame/streams.cjs'
import { isReadFrom, isStandardOutput } from '../reading/same-file.cjs'
import { refuseTaken, withOutputs } from './outputs.cjs'

/** What `--out` has done when its report fails. */
const WRITTEN = 'the --out file was written'

/**
 * Refuses options that `deliver` cannot satisfy. `bytes` names content that is not text, which
 * neither `--json` nor a terminal can show.
 */
export function checkDelivery(call: Call, bytes?: string): void {
  if (call.out !== undefined) {
    refuseTaken(call.out, call.has('force'))
    return
  }
  call.refuse(['force'], 'needs --out FILE')
  if (bytes === undefined) return
  call.refuse(['json'], 'cannot show bytes: write them with --out FILE')
  refuseTerminal(call.streams, bytes)
}

/** Refuses to write into the input file: it would be replaced, or its output would be its end. */
export function refuseOwnInput(call: Call, file: string): void {
  const { out } = call
  if (out === undefined ? isStandardOutput(file) : isReadFrom(file, out)) {
    const place = out === undefined ? 'standard output goes to' : '--out names'
    throw call.misuse(`${place} the input file`)
  }
}

interface Delivery {
  /** The content, which is wiped. */
  readonly bytes: Buffer
  /** The facts that `--json` reports besides the name of the file. */
  readonly facts: object
  /** The facts that `--json` reports instead of the name. */
  readonly shown: () => object
}

export async function deliver(call: Call, { bytes, facts, shown }: Delivery): Promise<void> {
  const path = call.out
  const json = call.has('json')
  try {
    if (path !== undefined) {
      await withOutputs({ force: call.has('force') }, outputs => outputs.write(path, bytes))
      if (json) await reportDone(WRITTEN, () => printJson(call.streams, { ...facts, file: path }))
    } else if (json) await printJson(call.streams, { ...facts, ...shown() })
    else await print(call.streams, bytes)
  } finally {
    bytes.fill(0)
  }
}

/**
 * Runs `produce` with the function that writes its output, of any size, and with the progress to
 * report. A file appears once all of it is written.
 * @returns what `produce` reports, after serving `--json`
 */
export async function deliverPieces(
  call: Call,
  produce: (write: (bytes: Uint8Array) => Promise<void>, progress: Progress) => Promise<object>,
): Promise<void> {
  const path = call.out
  if (path === undefined) {
    await withProgress(call, progress => produce(bytes => print(call.streams, bytes), progress))
    return
  }
  const facts = await withProgress(call, progress => {
    const options = { force: call.has('force'), flushing: () => progress.flushing() }
    return withOutputs(options, outputs => {
      const file = outputs.create(path)
      return produce(bytes => file.write(bytes), progress)
    })
  })
  if (call.has('json')) await reportDone(WRITTEN, () => printJson(call.streams, { ...facts, file: path }))
}
