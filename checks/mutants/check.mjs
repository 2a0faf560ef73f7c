// Changes the sources in small ways, and fails if no test notices a change:
// checks/run.mjs mutants [rust|typescript [FILE[:LINE]]] [--sample N] [--seed S]
//
// Without a language it tries both. By default it tries 12 mutants of src/ and 20 of lib/ that --seed decides, a new seed each time, which
// it prints; --sample gives another number, --whole tries all of them, --shard I --of N the I-th of N parts of all, and FILE those of one
// file or line, as in `typescript lib/cli/secrets/key.cts:42`. A mutant that survives must be in explained/ with a reason; of a sample, as many
// may survive as chance allows where tests kill 95%. A row of explained/ whose mutant is gone is a warning, and with --whole or --shard a
// failure. For lib/, the first run tries each test file without a mutant, to see what it reaches, which takes five minutes. Two controls,
// one that is killed and one that changes no behaviour, must be told apart.
// Needs `npm run build` before it, on Linux; installs its tools from npm. Writes in target/mutants alone.
import { randomInt } from 'node:crypto'
import { cpus } from 'node:os'
import { stop } from '../../scripts/tools.mjs'
import { RUST, TYPESCRIPT } from './explained.mjs'
import { stale } from './keys.mjs'
import { Report } from './report.mjs'
import { pick } from './sample.mjs'

export default {
  about: 'The tests notice small changes of the sources',
  on: 'Linux',
  flags: ['whole'],
  numbers: ['sample', 'seed', 'shard', 'of'],
  operands: [0, 2],
  async prove({ flags, numbers, operands }) {
    const [language, place] = operands
    if (language !== undefined && !['rust', 'typescript'].includes(language))
      stop(`'${language}' is not one of rust, typescript.`, 2)
    const { shard = 1, of = 1 } = numbers
    if ((numbers.shard === undefined) !== (numbers.of === undefined) || shard > of)
      stop('--shard I and --of N go together, I at most N.', 2)
    const part = numbers.shard !== undefined
    if (numbers.sample !== undefined && (flags.whole || part || place))
      stop('--sample is for a run without --whole, --shard and a file.', 2)

    const languages = language === undefined ? ['rust', 'typescript'] : [language]
    const seed = numbers.seed ?? randomInt(1, 2 ** 31)
    let failed = false
    for (const language of languages) {
      const { open } = await import(`./${language}-run.mjs`)
      const explained = language === 'rust' ? RUST : TYPESCRIPT
      const run = await open(flags)
      const faults = stale(explained, run.mutants)
      for (const fault of faults) console.log(`${flags.whole || part ? 'wrong' : 'warning'}: ${fault}`)
      failed ||= faults.length > 0 && (flags.whole || part)
      const at = run.mutants.filter(({ file, at }) => [undefined, file, `${file}:${at}`].includes(place))
      if (at.length === 0) throw new Error(`there is no mutant at ${place}`)
      const sample = flags.whole || part || place ? undefined : (numbers.sample ?? run.sample)
      const chosen = pick(sample === undefined ? at : at.filter(run.isQuick), { seed, sample, shard, of })
      console.log(
        `${language}: ${chosen.length} of ${run.mutants.length} mutants, --seed ${seed}${part ? ` --shard ${shard} --of ${of}` : ''}; ${run.note}`,
      )
      const report = new Report(language, explained)
      for await (const result of run.tryAll(chosen)) report.add(result)
      failed = report.end(sample !== undefined) || failed
    }
    if (failed) throw new Error('the tests do not notice enough, see above')
    return [`${cpus()[0].model}, ${cpus().length} CPUs`]
  },
}
