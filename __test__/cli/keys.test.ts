// `keygen` and `info` of the command line.
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpu, randomInfo } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { StandIn } from '../tools/stand-in.js'
import { BINARY, PLATFORM, ROOT } from '../tools/support.js'
import { Folder, WINDOWS } from './program.js'

const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))

describe('keygen', () => {
  test('prints 64 hex digits, or 32 for 128 bits; another key each time', async () => {
    const folder = new Folder()
    const keys: string[] = []
    for (const args of [[], [], ['--bits', '256'], ['--bits=128']])
      keys.push(await folder.succeed(['keygen', ...args]))
    expect(keys.map(key => /^[0-9a-f]+\n$/.test(key) && key.length)).toEqual([65, 65, 65, 33])
    expect(new Set(keys).size).toBe(4)
    expect(folder.names).toEqual([])
  })

  test('--raw gives the bytes, into a pipe or a file', async () => {
    const folder = new Folder()
    const piped = await folder.succeed(['keygen', '--raw'], { process: true })
    await folder.succeed(['keygen', '--raw', '--bits', '128', '-o', 'new'])
    expect([piped.length, folder.bytes('new').length]).toEqual([32, 16])
  })

  test('--json: the key, or the file', async () => {
    const folder = new Folder()
    const shown = JSON.parse(await folder.succeed(['keygen', '--json', '--bits', '128']))
    expect(shown).toEqual({ bits: 128, key: expect.stringMatching(/^[0-9a-f]{32}$/) })
    const written = JSON.parse(await folder.succeed(['keygen', '--json', '--out', 'new']))
    expect(written).toEqual({ bits: 256, file: 'new' })
    expect(folder.read('new')).toMatch(/^[0-9a-f]{64}\n$/)
  })

  // A call of Node-API that fails gives undefined, which is not below 0: a line of 65 newlines was printed as the key.
  test('where the digits cannot be made, no key is printed', async () => {
    const standIn = new StandIn()
    standIn.lie('encodeHex: () => undefined')
    const main = join(standIn.folder, 'dist', 'cli', 'main.cjs')
    const folder = new Folder()
    for (const args of [[], ['--json'], ['-o', 'new']]) {
      expect(await folder.fail(1, ['keygen', ...args], { main })).toMatch(/^internal error/)
    }
    expect(folder.names).toEqual([])
  })
})

describe('info', () => {
  test('--json has the facts that the library tells', async () => {
    const found = JSON.parse(await new Folder().succeed(['info', '--json'], { process: true }))
    expect(found).toEqual({
      version,
      runtime: { name: 'Node', version: process.versions.node, nodeApi: process.versions.napi },
      platform: { os: process.platform, arch: process.arch },
      cpu: { model: expect.any(String), ...cpu() },
      binary: {
        package: `@hardware-aes-gcm/${PLATFORM}`,
        version,
        interface: expect.any(Number),
        path: BINARY,
      },
      random: expect.objectContaining({ copyDetection: randomInfo().copyDetection, seedings: 1 }),
      memory: {
        keysLocked: expect.any(Boolean),
        keysExcludedFromDumps: process.platform === 'linux' || expect.any(Boolean),
        lockedLimit: expect.toSatisfy(limit => limit === null || limit === 'unlimited' || limit >= 0),
        longestBuffer: expect.any(Number),
      },
    })
    expect(found.random.lastSeed.sources).toContain('os')
  })

  test('the table, in aligned columns, names the same', async () => {
    const table = await new Folder().succeed(['info'])
    const { backend, backends } = cpu()
    for (const [name, value] of [
      ['hardware-aes-gcm', version],
      ['backend', backend],
      ['backends', backends.join(', ')],
      ['path', BINARY],
    ])
      expect(table.split('\n').map(row => row.replace(/ {2,}/, ': '))).toContain(`${name}: ${value}`)
    for (const name of [
      ...['runtime', 'CPU', 'features', 'missing', 'binary', 'random seed', 'forks'],
      ...['VM restores', 'keys locked', 'keys in dumps'],
    ])
      expect(table).toMatch(new RegExp(`^${name} {2,}\\S`, 'm'))
    const rows = table.split('\n').filter(row => /^\S/.test(row))
    expect(new Set(rows.map(row => /^\S+(?: \S+)* {2,}/.exec(row)?.[0].length)).size).toBe(1)
    expect(table.split('\n\n')).toHaveLength(5)
    expect(table).not.toContain('\u001b')
  })

  test('a limit on locked memory shows; CPUs are named as the system does, or not at all', async () => {
    const folder = new Folder()
    const limited = WINDOWS ? {} : { shell: 'ulimit -l 64' }
    const cpus = (list: object[]) =>
      `process.getBuiltinModule('node:os').cpus = () => ${JSON.stringify(list)}`
    const named = { ...limited, before: cpus([{ model: ' A CPU ' }]) }
    const { memory, cpu } = JSON.parse(await folder.succeed(['info', '--json'], named))
    expect(memory.lockedLimit).toBe(process.platform === 'linux' ? 65536 : null)
    expect(cpu.model).toBe('A CPU')
    const table = await folder.succeed(['info'], { ...limited, before: cpus([]) })
    expect(table).toMatch(/^lock limit +(64 KiB|unknown)$/m)
    expect(table).toMatch(/^CPU +unknown$/m)
  })

  // It was broken at a space.
  test('a path with spaces stays in one line', async () => {
    const folder = new Folder()
    const place = folder.in(`a folder${' with spaces'.repeat(6)}, for hardware-aes-gcm.a.node or so`)
    for (const part of ['dist', 'package.json', join('npm', PLATFORM)])
      cpSync(`${ROOT}${part}`, join(place, part), { recursive: true })
    const table = await folder.succeed(['info'], { main: join(place, 'dist', 'cli', 'main.cjs') })
    expect(table).toMatch(/^path .*a folder( with spaces){6}.*\.node$/m)
  })

  test('where the binary is missing: the rest of the facts, the reason, exit code 1', async () => {
    const folder = new Folder()
    mkdirSync(folder.in('package'))
    cpSync(`${ROOT}dist`, folder.in('package/dist'), { recursive: true })
    cpSync(`${ROOT}package.json`, folder.in('package/package.json'))
    const main = folder.in('package/dist/cli/main.cjs')
    const { status, stdout, stderr } = await folder.run(['info'], { main })
    expect(status).toBe(1)
    expect(stdout).toMatch(/^binary +not loaded$/m)
    expect(stderr).toMatch(/^hardware-aes-gcm: @hardware-aes-gcm\/\S+ is not installed: .*\n$/)
    // The list of Node's require stack stood in the line.
    expect(stderr).toMatch(/: Cannot find module '@hardware-aes-gcm\/[\w-]+'\n$/)
    const found = JSON.parse((await folder.run(['info', '--json'], { main })).stdout)
    const { keysLocked, keysExcludedFromDumps } = found.memory
    expect([found.random, found.binary, keysLocked, keysExcludedFromDumps]).toEqual([null, null, null, null])
    expect(found.cpu).toEqual({ model: expect.any(String), backend: null })
    expect(await folder.run(['keygen'], { main })).toEqual({ status: 1, stdout: '', stderr })
    // It is no fault of the keyset.
    folder.write('keys', `7:${'5a'.repeat(32)}`)
    expect(await folder.run(['keyset', 'list', 'keys'], { main })).toEqual({ status: 1, stdout: '', stderr })
  })
})
