// Proves that no nonce of a frame repeats: check-nonces.mjs [--full]
//
// Objects of every kind, all on one key, in the worker threads of several processes at once encrypt short frames, and
// call reseed() at random points; every nonce is kept, and all are compared with all, exactly. 10^7 of them; --full:
// 10^8, for which the folder of temporary files (TMPDIR) must have room for 1.2 GB. Equal nonces planted within
// a worker, across workers and across processes must be found first. AESGCM_SEED repeats what a run did, not its nonces.
import { randomBytes, randomInt } from 'node:crypto'
import { argv, env, exit } from 'node:process'
import { plant } from './check-nonces/planted.mjs'
import { run } from './check-nonces/run.mjs'
import { setup } from './setup.mjs'
import { stop } from './tools.mjs'

const flags = argv.slice(2)
if (flags.some(flag => flag !== '--full')) {
  console.error('usage: check-nonces.mjs [--full]')
  exit(2)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => exit(1)) // cleans up on its way out

const plan = {
  nonces: flags.length > 0 ? 1e8 : 1e7,
  processes: 4,
  workers: 8,
  reseeds: 20,
  key: randomBytes(32),
  seed: Number(env.AESGCM_SEED ?? randomInt(2 ** 31)),
}
if (!Number.isSafeInteger(plan.seed)) stop(`AESGCM_SEED must be a whole number, not ${env.AESGCM_SEED}.`)
setup()

try {
  console.log(`AESGCM_SEED=${plan.seed}`)
  console.log(`self-test: planted and found: ${(await plant(plan)).join(', ')}`)
  const began = performance.now()
  const { nonces, objects, reseeds, repeated, examples } = await run(plan)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  if (nonces !== plan.nonces) throw new Error(`${plan.nonces} nonces were generated and ${nonces} counted`)
  if (reseeds === 0) throw new Error('nobody reseeded')
  for (const nonce of examples.slice(0, 10)) console.error(`repeated: ${nonce}`)
  if (repeated > 0) throw new Error(`${repeated} of ${nonces} nonces repeat another`)
  console.log(
    `${nonces} nonces of ${objects} objects on one key, in ${plan.processes} processes of ${plan.workers} workers, ` +
      `${reseeds} reseeds: no two equal, ${seconds} s`,
  )
} catch (error) {
  stop(`check-nonces: ${error.message}`)
}
