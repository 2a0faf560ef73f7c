// Cancels jobs when their signals abort. The jobs of one signal share one listener.
import { addAbortListener, apply, getterOf, uncurried } from '../base/builtins.cjs'
import { wrongType } from '../base/errors.cjs'
import { codedIfRevoked, optionsOf } from '../base/parse.cjs'
import { kindOf } from '../base/views.cjs'
import { cancelJob } from '../native/calls.cjs'

/** A signal and its parts, each read once: a caller may pass an object with getters. */
interface Signal {
  signal: AbortSignal
  aborted: boolean
  add: AbortSignal['addEventListener']
  remove: AbortSignal['removeEventListener']
}

/** A call that a signal may abort, perhaps before its job has a number. */
interface Call {
  job: number | undefined
  aborted: boolean
  /** The reason of the signal, after it aborted. */
  reason: unknown
  watch: Watch
}

/** The calls in work that one listener serves. */
interface Watch {
  calls: Set<Call>
  /** Removes the listener. */
  stop: () => void
}

const Calls = Set<Call>
const { add, delete: remove, forEach } = Calls.prototype
const calls = {
  add: uncurried(add),
  remove: uncurried(remove),
  forEach: uncurried(forEach) as (calls: Set<Call>, visit: (call: Call) => void) => void,
  count: getterOf<Set<Call>, number>(Calls.prototype, 'size'),
}
/** The watch of every signal that has calls in work. */
const watches = new WeakMap<AbortSignal, Watch>()
const watchOf = uncurried(WeakMap.prototype.get).bind(undefined, watches) as (
  signal: AbortSignal,
) => Watch | undefined
const setWatch = uncurried(WeakMap.prototype.set).bind(undefined, watches)
const deleteWatch = uncurried(WeakMap.prototype.delete).bind(undefined, watches)

/** The option `signal`. */
export function signalOf(options: unknown): Signal | undefined {
  return signalFrom(optionsOf(options === undefined ? {} : options, ['signal'])('signal'))
}

/** A value of the option `signal`. */
export function signalFrom(signal: unknown): Signal | undefined {
  if (signal === undefined) return undefined
  const isObject = typeof signal === 'object' && signal !== null
  try {
    if (isObject && 'aborted' in signal) {
      const { addEventListener: add, removeEventListener: remove } = signal as AbortSignal
      if (typeof add === 'function' && typeof remove === 'function')
        return { signal: signal as AbortSignal, add, remove, aborted: (signal as AbortSignal).aborted }
    }
  } catch (error) {
    throw codedIfRevoked('options.signal', signal, error)
  }
  const advice = isObject && 'signal' in signal ? ': pass controller.signal' : ''
  throw wrongType(`"options.signal" must be an AbortSignal, got ${kindOf(signal)}${advice}`)
}

/** A call that `signal` aborts from now on, until `forget` gets it. */
export function watched(signal: Signal): Call {
  const call: Call = {
    job: undefined,
    aborted: false,
    reason: undefined,
    watch: watchOf(signal.signal) ?? { calls: new Calls(), stop: () => {} },
  }
  const { watch } = call
  const first = calls.count(watch.calls) === 0
  calls.add(watch.calls, call)
  if (first) listen(signal, watch)
  return call
}

/** Tells a call the number of its job. */
export function began(call: Call, job: number): void {
  call.job = job
  if (call.aborted) cancelJob(job)
}

/** Ends the watch of a call. Never throws, so that the call's result is not lost. */
export function forget(call: Call): void {
  const { watch } = call
  try {
    calls.remove(watch.calls, call)
    if (calls.count(watch.calls) === 0) watch.stop()
  } catch {
    // The methods of an impostor of AbortSignal may throw.
  }
}

/** Listens to a signal for all calls of `watch`. */
function listen({ signal, add, remove }: Signal, watch: Watch): void {
  let listener: unknown
  const abort = () => {
    // An impostor of AbortSignal may continue without the listener, so later calls need a new one.
    if (watchOf(signal) === watch) deleteWatch(signal)
    calls.forEach(watch.calls, call => {
      call.aborted = true
      if (call.job !== undefined) cancelJob(call.job)
    })
    // Last, because it may be a getter of the caller's that throws.
    const { reason } = signal
    calls.forEach(watch.calls, call => {
      call.reason = reason
    })
  }
  watch.stop = () => {
    if (watchOf(signal) === watch) deleteWatch(signal)
    apply(remove, signal, ['abort', listener])
  }
  setWatch(signal, watch)
  // Node's function adds a listener that runs even if another listener stops the event.
  const proxy = {
    aborted: false,
    addEventListener(type: string, given: unknown, options: unknown) {
      listener = given
      apply(add, signal, [type, given, options])
    },
    removeEventListener() {},
  }
  addAbortListener(proxy as never, abort)
}
