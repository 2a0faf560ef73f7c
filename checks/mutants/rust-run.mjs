// A run over mutants of src/.
import { Runner } from './processes.mjs'
import { compile, mutantsOfSources } from './rust.mjs'
import { Steps, stepsOf } from './rust-tests.mjs'
import { Trial } from './trial.mjs'

/** A mutant that tests kill: a limit of blocks that refuses every message. Its twin, with another id, has the text of the source. */
const CONTROL = { file: 'src/key/ledger.rs', genre: 'operator', replacement: '<' }
const SAME = 1_000_000
/** How many mutants are compiled in at a time. */
const BATCH = 300

export async function open() {
  // The addon has the functions of the feature `faults`, and this variable tells the tests so.
  process.env.AESGCM_CAP = 'aesni'
  const made = await mutantsOfSources()
  for (const { file } of made.mutants) stepsOf(file) // stops for a file without tests, before any time is spent
  const runner = new Runner(made.copy)

  async function* tryBatch(batch, withControls) {
    const control = made.mutants.find(mutant =>
      Object.entries(CONTROL).every(([key, value]) => mutant[key] === value),
    )
    const content = made.sources.get(control.file)
    const same = { ...control, id: SAME, text: content.slice(control.from, control.until) }
    const controls = withControls ? [control, same] : []
    const { viable, programs } = compile(made, [...new Set([...batch, ...controls])])
    const trial = new Trial(made.copy, new Steps(made.copy, programs, runner))
    const compiled = new Set(viable)
    const attempt = async mutant => {
      const began = performance.now()
      if (!compiled.has(mutant)) return { mutant, outcome: 'unviable', by: 'the compiler', seconds: 0 }
      const { outcome, by } = await trial.run(mutant.id, stepsOf(mutant.file))
      return { mutant, outcome, by, seconds: (performance.now() - began) / 1000 }
    }
    if (withControls) {
      yield { ...(await attempt(control)), control: 'killed' }
      yield { ...(await attempt(same)), control: 'survived' }
    }
    for (const mutant of batch) yield await attempt(mutant)
  }

  return {
    mutants: made.mutants,
    note: 'on the backend aesni',
    sample: 12,
    // A constant is not chosen at run time: each such mutant is compiled by itself.
    isQuick: ({ constant }) => !constant,
    async *tryAll(chosen) {
      const atOnce = chosen.filter(({ constant }) => !constant)
      for (let at = 0; at < atOnce.length; at += BATCH)
        yield* tryBatch(atOnce.slice(at, at + BATCH), at === 0)
      for (const mutant of chosen.filter(({ constant }) => constant)) yield* tryBatch([mutant], false)
      runner.end()
    },
  }
}
