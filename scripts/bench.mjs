// Sets up, builds, and measures against other implementations: npm run bench [-- FLAG...]
//
//   --quick    some sizes, short times and lower limits; the figures are rough
//   --lines    only single messages and batches against node:crypto, on every line of Node, which npm installs into the user's
//              cache; with --quick on this one. Not part of a whole run
//   --classes  only the three classes beside each other; with Node 26, which npm installs into the user's cache
//   --sessions only sessions; with the other lines of Node, which npm installs into the user's cache, unless --quick is given
//   --streams  only streams and files; streams also on the other lines of Node, unless --quick is given
//   --shares   only the shares of keys
//   --keyring  only sealed values and texts of a keyring
//   --cookies  only sessions in cookies against other packages, which npm installs into the user's cache, in real servers. Not part of
//              a whole run
//   --hybrid   only messages to a public key against other packages, which npm installs into the user's cache. X-Wing needs Node 24.7.
//              Not part of a whole run
//   --constant-time
//              only whether the time of the Rust core depends on secrets: bench/constant-time, by cargo. Not part of a whole run
//   --record   writes the run to bench/record/, and draws its plots into docs/plots/: all, or with --streams that of streams;
//              not with --quick or --constant-time, and the other parts have no plots
//
// Ends with exit code 1 if a promise of bench/limits.mjs is missed. Takes over ten minutes after the build, with --quick
// about two. Without --record it writes only what the build writes.
import { commandLine } from './command-line.mjs'
import { refuseCap } from './compile.mjs'
import { setup } from './setup.mjs'
import { run, stop } from './tools.mjs'

const PARTS = [
  'lines',
  'classes',
  'sessions',
  'streams',
  'shares',
  'keyring',
  'cookies',
  'hybrid',
  'constant-time',
]
const { flags } = commandLine(import.meta.url, {
  flags: ['quick', ...PARTS, 'record'],
})
const { 'constant-time': constantTime } = flags
if (PARTS.filter(part => flags[part]).length > 1)
  stop(`--${PARTS.join(', --')} each measure one part alone: give one of them.`, 2)
if (flags.record && constantTime) stop('--constant-time has no record: leave one of the two out.', 2)
if (flags.record && flags.quick)
  stop('A quick run is too rough for a record: leave --quick or --record out.', 2)
refuseCap('npm run bench')
if (constantTime) {
  const options = flags.quick ? ['--', '--quick'] : []
  run('cargo', ['bench', '--locked', '--quiet', '--bench', 'constant-time', ...options])
} else {
  setup()
  const { bench } = await import('../bench/main.mjs')
  await bench(flags)
}
