// Proves that encrypted columns hold in real databases, through the libraries that people use: checks/run.mjs databases [PART]...
//
// Each part starts PostgreSQL and MariaDB, if it needs them, as an unprivileged user in a temporary folder, and stops them. It installs the
// packages of npm into the user's cache, at versions that stand in its file. Without a name, all parts run, each with a sample;
// --whole makes every part take its full number of operations. AESGCM_SEED repeats the operations. Needs PostgreSQL, MariaDB and a
// compiler of C++, which --install installs on Debian.
import { missingCompiler } from '../tools/addon.mjs'
import { needDebian } from '../tools/debian.mjs'
import { missing } from './servers.mjs'

/** Each exports `prove`, which takes the flag `whole` and yields lines; and may export `plants`. */
const PARTS = ['command', 'drizzle', 'prisma', 'recipes', 'rotation', 'sequelize', 'typeorm']
/** Parts that print figures, and run only if they are named. */
const FIGURES = ['overhead', 'rates']

export default {
  about: 'Encrypted columns hold in real databases, through their libraries',
  on: 'Linux',
  needs: ['build', 'setpriv'],
  random: true,
  flags: ['install', 'whole'],
  operands: [0, PARTS.length],
  among: [...PARTS, ...FIGURES],
  async *prove({ flags: { install, whole }, operands }) {
    needDebian([...missing(), ...missingCompiler()], install)
    for (const name of operands.length > 0 ? operands : PARTS) {
      const { plants = {}, prove } = await import(`./${name}.mjs`)
      for (const [fault, plant] of Object.entries(plants)) {
        const found = await plant()
        if (found === undefined) throw new Error(`${name}: planted: ${fault}, and it was not found`)
        yield `${name}: planted and found: ${fault} (${found})`
      }
      for await (const line of prove({ whole })) yield `${name}: ${line}`
    }
  },
}
