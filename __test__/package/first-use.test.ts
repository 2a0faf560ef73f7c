// The first use does not wait for other threads, and does not remember temporary failures. Each test is named after the fault
// that it finds.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { inTurn } from '../tools/in-turn.js'
import { StandIn } from '../tools/stand-in.js'
import { PLATFORM, ROOT, run } from '../tools/support.js'

const linux = process.platform === 'linux'
const standIn = new StandIn()
const ENTRY = JSON.stringify(join(standIn.folder, 'dist/index.cjs'))

/** Runs a CommonJS script in a process, on Linux with this many file descriptors, for at most half a minute. */
function script(source: string, { descriptors = 1024, flags = [] as string[] } = {}) {
  const node = [process.execPath, ...flags, '-e', source]
  const limited = ['sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh', ...node]
  const [command = '', ...args] = linux ? limited : node
  const options = { cwd: ROOT, encoding: 'utf8', timeout: 30_000, killSignal: 'SIGKILL' } as const
  const { status, signal, stdout, stderr } = spawnSync(command, args, options)
  return { ended: signal ?? status, stdout, stderr }
}

test.runIf(linux)('a first use beside a worker in a synchronous call does not deadlock', () => {
  const fifo = join(mkdtempSync(join(tmpdir(), 'first-use-')), 'fifo')
  const source = `
    const { writeFileSync } = require('node:fs')
    const { Worker } = require('node:worker_threads')
    require('node:child_process').execFileSync('mkfifo', [${JSON.stringify(fifo)}])
    // The worker waits in its read until this thread writes, and this thread writes only after its first use.
    const worker = new Worker('require("node:worker_threads").parentPort.postMessage(0);' +
      'require("node:fs").readFileSync(${fifo})'.replace('(/', '("/').replace(/\\)$/, '")'), { eval: true })
    worker.once('message', () => setTimeout(() => {
      console.log(require('hardware-aes-gcm').AesGcm.isAvailable())
      writeFileSync(${JSON.stringify(fifo)}, '')
    }, 200))`
  expect(script(source)).toEqual({ ended: 0, stdout: 'true\n', stderr: '' })
  rmSync(join(fifo, '..'), { recursive: true, maxRetries: 10 })
})

describe('a temporary failure at first use is not remembered', () => {
  // The walk tries at every depth, deepest first, so that the stack overflows at every place of the first use in turn.
  test.each([
    ['new AesGcm(key)', 'new AesGcm(key).keyBits'],
    ['randomBytes', 'randomBytes(8).length * 32'],
    ['new KeyArena', 'new KeyArena({ keys: 1 }).capacity * 256'],
  ])('a stack overflow in %s stays a RangeError', (_, use) => {
    const source = `
      const { AesGcm, KeyArena, randomBytes } = require('hardware-aes-gcm')
      const key = Buffer.alloc(32), seen = new Set()
      let successes = 0
      const walk = () => {
        try { walk() } catch {}
        if (successes > 50) return
        try { ${use}; successes++ } catch (error) { seen.add(error) }
      }
      walk()
      const odd = [...seen].filter(error => !(error instanceof RangeError) || error.code !== undefined)
      console.log(seen.size > 0, odd, ${use})`
    expect(script(source)).toEqual({ ended: 0, stdout: 'true [] 256\n', stderr: '' })
  })

  const permission = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission'
  test.runIf(linux).each([
    ['', []],
    [' under the permission model', [permission, '--allow-addons', `--allow-fs-read=${ROOT}*`]],
  ])(
    'EMFILE is thrown as it is, and the next call finds the package and leaves no file open%s',
    (_, flags) => {
      const source = `
      const fs = require('node:fs')
      const { AesGcm } = require('hardware-aes-gcm')
      const fill = () => {
        const taken = []
        try { for (;;) taken.push(fs.openSync('package.json')) } catch {}
        return taken
      }
      const taken = fill()
      const codes = []
      for (let i = 0; i < 3; i++) try { new AesGcm(Buffer.alloc(32)) } catch (error) { codes.push(error.code) }
      codes.push(AesGcm.isAvailable())
      taken.forEach(fd => fs.closeSync(fd))
      const { keyBits } = new AesGcm(Buffer.alloc(32))
      const left = fill()
      left.forEach(fd => fs.closeSync(fd))
      console.log(...codes, keyBits, taken.length - left.length)`
      const { ended, stdout } = script(source, { descriptors: 60, flags })
      expect({ ended, stdout }).toEqual({ ended: 0, stdout: 'EMFILE EMFILE EMFILE false 256 0\n' })
    },
  )

  test.runIf(linux)(
    'ENFILE and errors without a code are thrown as they are, other errors of the executable are not',
    () => {
      const source = `
      const fs = require('node:fs')
      const { openSync } = fs
      const codes = ['ENFILE', undefined, 'EACCES']
      fs.openSync = (path, ...rest) => {
        if (path !== '/proc/self/exe' || codes.length === 0) return openSync(path, ...rest)
        throw Object.assign(new Error('planted'), { code: codes.shift() })
      }
      const { AesGcm } = require('hardware-aes-gcm')
      const said = []
      for (let i = 0; i < 3; i++)
        try { said.push(new AesGcm(Buffer.alloc(32)).keyBits) } catch (error) { said.push(error.code + ' ' + error.message) }
      console.log(...said, codes.length)`
      expect(script(source)).toEqual({
        ended: 0,
        stdout: 'ENFILE planted undefined planted 256 0\n',
        stderr: '',
      })
    },
  )

  test("no memory for the self-test's key is ERR_AESGCM_ARENA_FULL, and the next call tries again", () => {
    standIn.lie(
      'createArena: keys => count++ < 2 ? -1 - real.reasons.indexOf("NoMemory") : real.createArena(keys)',
    )
    const source = `
      const { AesGcm } = require(${ENTRY})
      const said = []
      for (let i = 0; i < 3; i++)
        try { said.push(new AesGcm(Buffer.alloc(32)).keyBits) } catch (error) { said.push(error.code) }
      console.log(...said)`
    const full = 'ERR_AESGCM_ARENA_FULL'
    expect(script(source)).toEqual({ ended: 0, stdout: `${full} ${full} 256\n`, stderr: '' })
    standIn.remove()
  })

  test('a stack overflow is not ERR_OUT_OF_RANGE, nor a lost view', () => {
    const source = `
      const { AesGcm, randomBytes } = require('hardware-aes-gcm')
      const aes = new AesGcm(Buffer.alloc(32)), text = Buffer.alloc(100), empty = Buffer.alloc(0)
      const frame = aes.encrypt(text), seen = new Set()
      randomBytes(1)
      let left = 400
      const walk = () => {
        try { walk() } catch {}
        if (left-- < 0) return
        for (const use of [() => aes.encrypt(text), () => aes.decrypt(frame), () => randomBytes(100),
          () => aes.encrypt(empty, empty), () => aes.plaintextOf(frame)])
          try { use() } catch (error) { seen.add(\`\${error.name} \${error.code}\`) }
      }
      walk()
      console.log(...seen)`
    expect(script(source)).toEqual({ ended: 0, stdout: 'RangeError undefined\n', stderr: '' })
  })
})

test('in another realm, the error for a missing package has its cause', () => {
  // As in Jest, every file of the package is evaluated in another context, which has its own Error.
  const source = `
    const { readFileSync } = require('node:fs'), path = require('node:path'), vm = require('node:vm')
    const context = vm.createContext({ process, Buffer, Uint8Array, ArrayBuffer, DataView })
    const loaded = new Map()
    const load = file => {
      if (loaded.has(file)) return loaded.get(file).exports
      const module = { exports: vm.runInContext('({})', context) }
      loaded.set(file, module)
      vm.runInContext(require('node:module').wrap(readFileSync(file, 'utf8')), context, { filename: file })(
        module.exports, name => load(path.join(path.dirname(file), name)), module, file, path.dirname(file))
      return module.exports
    }
    const { AesGcm, AesGcmError } = load(${ENTRY})
    try { new AesGcm(Buffer.alloc(32)) } catch (error) {
      console.log(error instanceof Error, error instanceof AesGcmError, error.code, error.cause?.code)
    }`
  expect(script(source)).toEqual({
    ended: 0,
    stdout: 'false true ERR_AESGCM_BINARY_NOT_FOUND MODULE_NOT_FOUND\n',
    stderr: '',
  })
})

describe('a polluted Object.prototype', () => {
  // Node's own console does not work with some of these properties, so they are deleted before the script prints.
  const uses = `
    const codeOf = use => { try { return use() } catch (error) { return error.code } }
    const codes = [
      () => new AesGcm('x'), () => new AesGcm(Buffer.alloc(3)), () => AesGcm.generateKey(1),
      () => new AesGcm(Buffer.alloc(32)).decrypt(Buffer.alloc(40)), () => new AesGcm(Buffer.alloc(32), { a: 1 }),
      () => new AesGcm(Buffer.alloc(32)).keyBits,
    ].map(codeOf)
    for (const name of ['get', 'value', 'code']) delete Object.prototype[name]
    console.log(...codes)`
  const codes =
    'ERR_INVALID_ARG_TYPE ERR_AESGCM_INVALID_KEY_LENGTH ERR_OUT_OF_RANGE ERR_AESGCM_AUTHENTICATION_FAILED ' +
    'ERR_INVALID_ARG_VALUE 256\n'
  const ways = {
    require: `{ const { AesGcm } = require('hardware-aes-gcm'); ${uses} }`,
    import: `import('hardware-aes-gcm').then(({ AesGcm }) => { ${uses} })`,
  }

  test.each(
    Object.entries(ways).flatMap(([way, source]) =>
      [['get'], ['value'], ['code'], ['get', 'code']].map(names => [way, names.join(), source] as const),
    ),
  )('%s with %s on it does not throw, and errors keep their code', (_, names, source) => {
    // Node loads these modules only when they are needed, and cannot load them with some of these properties.
    const loaded = `for (const name of ['crypto', 'fs/promises', 'stream']) require('node:' + name);`
    const planted = names.split(',').map(name => `Object.prototype.${name} = () => 'planted';`)
    expect(script(`${loaded} ${planted.join(' ')} ${source}`)).toEqual({
      ended: 0,
      stdout: codes,
      stderr: '',
    })
  })

  // Defined after the first use, because Node's own loader runs into it before the package is loaded.
  test('a code that cannot be assigned, after the first use', () => {
    const readOnly = `Object.defineProperty(Object.prototype, 'code',
      { __proto__: null, value: 'planted', configurable: true })`
    const source = `require('hardware-aes-gcm').AesGcm.isAvailable(); ${readOnly}; ${ways.require}`
    expect(script(source)).toEqual({ ended: 0, stdout: codes, stderr: '' })
  })
})

test('constructors use the built-ins as they were when the package was loaded', () => {
  const source = `
    const { AesGcm, KeyArena } = require('hardware-aes-gcm')
    const key = Buffer.alloc(32)
    new AesGcm(key)
    const { log } = console, { defineProperty } = Object, Bytes = Buffer
    const list = [Object, Array, Number, Math, Reflect, String]
    const evil = () => { throw new Error('a patched built-in ran') }
    const undo = []
    for (const owner of [Array.prototype, Object, Number, Math, Reflect, String.prototype, Function.prototype])
      for (const name of ['find', 'includes', 'indexOf', 'join', 'keys', 'hasOwn', 'getPrototypeOf', 'isInteger', 'log2',
        'construct', 'slice', 'startsWith', 'call', 'bind', 'assign', 'defineProperty', 'map', 'filter'])
        if (name in owner) { const was = owner[name]; undo[undo.length] = [owner, name, was]; owner[name] = evil }
    let outcome = ''
    const attempt = use => { try { outcome += use() + ' ' } catch (error) { outcome += (error.code ?? error.message) + ' ' } }
    attempt(() => new AesGcm(key, { maxMessages: 3, nonceAt: 'end', backend: undefined }).keyBits)
    attempt(() => new AesGcm(key, { maxMesages: 3 }))
    attempt(() => new AesGcm(key, { maxMessages: 2.5 }))
    attempt(() => new KeyArena({ keys: 2 }).capacity)
    for (let i = 0; i < undo.length; i++) undo[i][0][undo[i][1]] = undo[i][2]
    log(outcome)`
  expect(script(source)).toEqual({
    ended: 0,
    stdout: '256 ERR_INVALID_ARG_VALUE ERR_OUT_OF_RANGE 2 \n',
    stderr: '',
  })
})

describe.runIf(linux)('which C library', () => {
  const { interpreter } = createRequire(import.meta.url)('../../dist/cipher/native/c-library.cjs') as {
    interpreter: (bytesAt: (length: number, position: number) => DataView) => string
  }
  const folder = mkdtempSync(join(tmpdir(), 'c-library-'))
  afterAll(() => rmSync(folder, { recursive: true, maxRetries: 10 }))

  /** An ELF file whose second program header names this interpreter. */
  const elf = (path: string, type = 3) => {
    const file = Buffer.alloc(64 + 2 * 56 + path.length)
    file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1])
    file.writeBigUInt64LE(64n, 32)
    file.writeUInt16LE(2, 56)
    const header = file.subarray(64 + 56)
    header.writeUInt32LE(type)
    header.writeBigUInt64LE(BigInt(64 + 2 * 56), 8)
    header.writeBigUInt64LE(BigInt(path.length), 32)
    file.write(path, 64 + 2 * 56, 'latin1')
    return file
  }
  const read = (file: Buffer) => (length: number, position: number) => {
    const part = Uint8Array.from(file.subarray(position, position + length))
    return new DataView(part.buffer)
  }
  const EXECUTABLES: Record<string, Buffer> = {
    gnu: elf('/lib64/ld-linux-x86-64.so.2\0'),
    nix: elf('/nix/store/x-glibc/lib/ld-linux-aarch64.so.1\0'),
    'musl-x64': elf('/lib/ld-musl-x86_64.so.1\0'),
    'musl-arm64': elf('/lib/ld-musl-aarch64.so.1\0'),
    script: Buffer.from('a script'),
    other: elf('/lib/ld-of-somebody.so\0'),
  }
  for (const [name, file] of Object.entries(EXECUTABLES)) writeFileSync(join(folder, name), file)
  /** The error of the first use if this file were the running executable, on a CPU of `arch`. */
  const errorOf = (name: string, arch: string) => `
    const fs = require('node:fs'), { openSync } = fs, { arch } = process
    fs.openSync = (path, ...rest) => openSync(path === '/proc/self/exe' ? ${JSON.stringify(join(folder, name))} : path, ...rest)
    const { AesGcm } = require(${ENTRY})
    Object.defineProperty(process, 'arch', { value: ${JSON.stringify(arch)} })
    try { new AesGcm(Buffer.alloc(32)) } catch (error) { return error.code + ' ' + error.message.split(': ')[0] }
    finally { fs.openSync = openSync; Object.defineProperty(process, 'arch', { value: arch }) }`
  const ARCHS = ['x64', 'arm64']
  const said = inTurn(ARCHS.flatMap(arch => Object.keys(EXECUTABLES).map(name => errorOf(name, arch))))
  const askedFor = (name: string, arch: string) => said(errorOf(name, arch))
  const packagesOf = (arch: string) =>
    [`@hardware-aes-gcm/linux-${arch}-gnu`, `@hardware-aes-gcm/linux-${arch}-musl`] as const
  const missing = (names: string) => `ERR_AESGCM_BINARY_NOT_FOUND ${names} is not installed`

  test('the interpreter is read only from program headers', () => {
    expect(interpreter(read(elf('/lib64/ld-linux-x86-64.so.2\0')))).toBe('/lib64/ld-linux-x86-64.so.2\0')
    const whole = elf('/lib/ld-musl-x86_64.so.1\0')
    for (let length = 0; length < whole.length; length++) {
      const found = interpreter(read(whole.subarray(0, length)))
      expect('/lib/ld-musl-x86_64.so.1\0'.startsWith(found), `${length} bytes`).toBe(true)
    }
    expect(interpreter(read(elf('/lib/ld-musl-x86_64.so.1\0', 2)))).toBe('')
    for (const [at, byte] of [
      [0, 0],
      [4, 1],
      [5, 2],
    ] as const) {
      const other = Buffer.from(whole)
      other[at] = byte
      expect(interpreter(read(other))).toBe('')
    }
  })

  test.each(ARCHS)("musl's and glibc's interpreters lead to their packages on %s", arch => {
    const [gnu, musl] = packagesOf(arch)
    for (const name of ['gnu', 'nix']) expect(askedFor(name, arch)).toBe(missing(gnu))
    for (const name of ['musl-x64', 'musl-arm64']) expect(askedFor(name, arch)).toBe(missing(musl))
  })

  test.each(ARCHS)('if the C library is unknown, both packages are tried on %s', arch => {
    const both = packagesOf(arch).join(' or ')
    for (const name of ['script', 'other']) expect(askedFor(name, arch)).toBe(missing(both))
  })

  test('the package loads although the permission model forbids reading the executable', () => {
    const flag = process.allowedNodeEnvironmentFlags.has('--permission')
      ? '--permission'
      : '--experimental-permission'
    const flags = [flag, '--allow-addons', `--allow-fs-read=${ROOT}*`].filter(
      name => name !== '--allow-addons' || process.allowedNodeEnvironmentFlags.has(name),
    )
    const { status, stdout, stderr } = run(
      `let code
      try { (await import('node:fs')).openSync('/proc/self/exe') } catch (error) { code = error.code }
      console.log(code, new AesGcm(Buffer.alloc(32)).keyBits)`,
      { flags },
    )
    expect({ status, stdout, stderr: status === 0 ? '' : stderr }).toEqual({
      status: 0,
      stdout: 'ERR_ACCESS_DENIED 256\n',
      stderr: '',
    })
  })
})

test(`the platform package for ${PLATFORM} is required by its name`, () => {
  const source = `
    const { AesGcm } = require(${ENTRY})
    try { new AesGcm(Buffer.alloc(32)) } catch (error) { console.log(error.message.split(' ')[0]) }`
  expect(script(source).stdout).toBe(`@hardware-aes-gcm/${PLATFORM}\n`)
})
