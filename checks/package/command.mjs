// Runs the installed command line: by its file, without a shell, and by the link or script that the package manager made.
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { child } from '../tools/child.mjs'

const NAME = 'hardware-aes-gcm'

/** The file of the command, as package.json names it. */
function fileOf(folder) {
  const installed = join(folder, 'node_modules', NAME)
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  return { file: join(installed, manifest.bin[NAME]), version: manifest.version }
}

/** The file that a package manager makes of "bin" begins the command with the `node` on the PATH. */
export async function linked(program, folder) {
  const path = join(folder, 'node_modules/.bin', NAME)
  if ((statSync(path).mode & 0o111) !== 0o111) throw new Error(`${path} is not executable.`)
  const system = ['/usr/bin', '/bin'] // pnpm's script takes sed and dirname
  const told = JSON.parse(await child(path, ['info', '--json'], folder, [dirname(program), ...system]))
  const { version } = fileOf(folder)
  const runtime = (await child(program, ['--version'], folder)).slice(1)
  if (told.version !== version || told.runtime.version !== runtime)
    throw new Error(
      `${path} runs ${told.version} on Node ${told.runtime.version}, not ${version} on ${runtime}.`,
    )
}

/** Every command, on paths with spaces; and the exit codes of a failure and of a misuse. */
export async function commands(program, folder) {
  const { file, version } = fileOf(folder)
  const cwd = join(folder, `a place with späces ${process.hrtime.bigint()}`)
  mkdirSync(cwd)
  const run = (...args) => child(program, [file, ...args], cwd)

  const told = JSON.parse(await run('info', '--json'))
  if (told.version !== version || told.binary.version !== version || !told.binary.path.startsWith(folder))
    throw new Error(`info tells of another package: ${JSON.stringify(told)}`)
  await run('info')
  await run('--help')

  await run('keygen', '--out', 'the key')
  await run('split', 'the key', '-t', '2', '-n', '3', '--out', 'a share')
  const key = await run('combine', 'a share-1-of-3.txt', 'a share-3-of-3.txt')
  if (key !== readFileSync(join(cwd, 'the key'), 'utf8').trim()) throw new Error('combine gave another key.')
  await run('split', '--seal', 'the key', '-t', '2', '-n', '2', '--binary', '--out', 'b')
  await run('combine', 'b-1-of-2.bin', 'b-2-of-2.bin', '--open', 'the key.sealed', '--out', 'opened')
  if (key !== readFileSync(join(cwd, 'opened'), 'utf8').trim()) throw new Error('combine opened other data.')

  const secret = ['--key', 'the key', '--out']
  await run('encrypt', 'opened', ...secret, 'encrypted')
  await run('decrypt', 'encrypted', ...secret, 'decrypted')
  if (key !== readFileSync(join(cwd, 'decrypted'), 'utf8').trim()) throw new Error('decrypt gave other data.')
  const { possible } = JSON.parse(await run('inspect', 'encrypted', '--json'))
  // A message begins with random bytes, and some of them look like another format, too.
  const message = possible.find(({ format }) => format === 'Cobblestone')
  if (message?.bytes !== readFileSync(join(cwd, 'opened')).length)
    throw new Error('inspect tells another size.')

  for (const [code, ...args] of [
    [1, 'keygen', '--out', 'the key'],
    [1, 'decrypt', 'the key.sealed', ...secret, 'other'],
    [2, 'keygen', '--no-such-option'],
  ]) {
    const end = await run(...args).catch(error => error.message)
    if (!new RegExp(`ended with ${code}:\\n${NAME}: .+\n?$`).test(end))
      throw new Error(`${args.join(' ')} must end with ${code} and a line, but: ${end}`)
  }
}
