// Which mutants a run tries: a random sample that a seed decides, a shard of all of them, or all.
import { createHash } from 'node:crypto'
import { keyOf } from './keys.mjs'

/** The mutants in the order that `seed` decides. Each has its place by itself, so a changed file moves only its own mutants. */
function shuffled(mutants, seed) {
  const place = mutant =>
    createHash('sha256')
      .update(`${seed} ${keyOf(mutant)}`)
      .digest('hex')
  return mutants
    .map(mutant => [place(mutant), mutant])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, mutant]) => mutant)
}

/** The mutants to try: `sample` of them, or those of the shard `shard` of `of`. */
export function pick(mutants, { seed, sample = mutants.length, shard = 1, of = 1 }) {
  return shuffled(mutants, seed)
    .filter((_, i) => i % of === shard - 1)
    .slice(0, sample)
}
