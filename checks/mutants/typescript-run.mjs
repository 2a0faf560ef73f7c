// A run over mutants of lib/.
import { Killers } from './killers.mjs'
import { Runner } from './processes.mjs'
import { learn, testsOf } from './reached.mjs'
import { Trial } from './trial.mjs'
import { mutantsOfTypeScript } from './typescript.mjs'

/** A mutant that tests kill: a function whose body is gone. */
const CONTROL = { file: 'lib/cipher/base/pieces.cts', to: '{}', kind: 'BlockStatement' }

export async function open() {
  const made = await mutantsOfTypeScript()
  const runner = new Runner(made.copy)
  await learn(made, runner)
  const killers = new Killers()
  const tests = testsOf(made, killers)
  const trial = new Trial(made.copy, runner)
  const attempt = async (mutant, id = mutant.id) => {
    const began = performance.now()
    const { outcome, by } = await trial.run(id, tests(mutant))
    if (outcome === 'killed') killers.add(mutant, by.split(':')[0])
    return { mutant, outcome, by, seconds: (performance.now() - began) / 1000 }
  }
  return {
    mutants: made.mutants,
    note: `${made.texts} sentences for people are no mutants`,
    sample: 20,
    isQuick: () => true,
    async *tryAll(chosen) {
      const control = made.mutants.find(mutant =>
        Object.entries(CONTROL).every(([key, value]) => mutant[key] === value),
      )
      yield { ...(await attempt(control)), control: 'killed' }
      yield { ...(await attempt(control, 'none')), control: 'survived' }
      for (const mutant of chosen) yield await attempt(mutant)
      runner.end()
    },
  }
}
