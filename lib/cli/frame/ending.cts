// Work to do before this process ends: removing temporary files, restoring the mode of a terminal.

const WINDOWS = process.platform === 'win32'
/**
 * The signals that end a process unless it handles them, except for those that no handler sees
 * (SIGKILL), that report a fault, that Node ignores (SIGPIPE, SIGXFSZ) or needs itself (SIGUSR1,
 * SIGPROF), and that macOS ignores (SIGIO).
 */
const SIGNALS = (
  WINDOWS
    ? ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK']
    : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGALRM', 'SIGVTALRM', 'SIGXCPU', 'SIGUSR2']
) as NodeJS.Signals[]
/** The exit code of Windows for a program ended by Ctrl-C: STATUS_CONTROL_C_EXIT. */
const CONTROL_C_EXIT = 0xc000013a

/** Signals by which a person or a service asks for the end. Work may come to a good place first. */
const REQUESTS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK']

const cleanUps = new Set<() => void>()
/** What the next request calls instead of ending the process. */
let stop: ((signal: NodeJS.Signals) => void) | undefined

/** Calls `cleanUp` before the process ends, even by a signal, until the result is called. */
export function beforeEnd(cleanUp: () => void): () => void {
  if (cleanUps.size === 0) {
    for (const signal of SIGNALS) process.on(signal, end)
    process.on('exit', cleanUpAll)
  }
  cleanUps.add(cleanUp)
  return () => {
    if (cleanUps.delete(cleanUp) && cleanUps.size === 0) stopListening()
  }
}

/** Calls `onRequest` at the first request to end; the second one ends the process at once. */
export function atRequest(onRequest: (signal: NodeJS.Signals) => void): () => void {
  stop = onRequest
  const release = beforeEnd(() => {})
  return () => {
    stop = undefined
    release()
  }
}

function end(signal: NodeJS.Signals): void {
  const first = REQUESTS.includes(signal) ? stop : undefined
  stop = undefined
  if (first === undefined) endBy(signal)
  else first(signal)
}

/** Cleans up, then ends the process as the signal ends programs that do not handle it. */
export function endBy(signal: NodeJS.Signals): void {
  cleanUpAll()
  stopListening()
  // Windows has no signals but the events of the console, and Node cannot send these.
  if (WINDOWS) process.exit(CONTROL_C_EXIT)
  process.kill(process.pid, signal)
}

function cleanUpAll(): void {
  for (const cleanUp of cleanUps) cleanUp()
}

function stopListening(): void {
  for (const signal of SIGNALS) process.off(signal, end)
  process.off('exit', cleanUpAll)
}
