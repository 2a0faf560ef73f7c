// Loading the addon: when, how often, in which threads, and the errors if it cannot be loaded.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { StandIn } from '../tools/stand-in.js'
import { BINARY, PLATFORM, ROOT, run } from '../tools/support.js'

/** Expects that the script ends with status 0 and prints this output. */
function prints(script: string, output: string, options?: Parameters<typeof run>[1]): void {
  expect(run(script, options)).toEqual({ status: 0, stdout: `${output}\n`, stderr: expect.any(String) })
}

const USE = `
  const use = (Class = AesGcm) => {
    const aes = new Class(Class.generateKey())
    return aes.decrypt(aes.encrypt(Buffer.from('text'))).toString()
  }`

describe('once, at first use', () => {
  const mapped = `
    const mapped = () => process.report.getReport().sharedObjects.filter(name => /hardware-aes-gcm[^/\\\\]*$/.test(name)).length`

  test('importing loads nothing; the first question does', () => {
    prints(`${mapped}; const before = mapped(); AesGcm.isAvailable(); console.log(before, mapped())`, '0 1')
    prints(
      `${mapped}; const before = mapped(); new AesGcm(Buffer.alloc(16)); console.log(before, mapped())`,
      '0 1',
    )
  })

  test('CommonJS gets the same module', () => {
    const script = `
      import { createRequire } from 'node:module'
      import { join } from 'node:path'
      const required = createRequire(join(process.cwd(), 'x.cjs'))('hardware-aes-gcm')
      ${USE}
      console.log(required.AesGcm === AesGcm, use(required.AesGcm), Object.keys(required).sort().join())`
    const classes = 'AesGcm,AesGcmError,AuthenticationError,KeyArena'
    const names = `${classes},NONCE_BYTES,OVERHEAD,TAG_BYTES,cpu,randomBytes,randomFillSync,randomInfo,reseed`
    prints(script, `true text ${names}`)
  })

  const permission = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission'

  test.each<[string, string, Parameters<typeof run>[1]]>([
    [
      'and tells its URL',
      `exports.lookFrom(pathToFileURL(${JSON.stringify(join(ROOT, 'dist', 'index.mjs'))}))`,
      {},
    ],
    [
      'and may not read the executable',
      '',
      {
        cwd: join(ROOT, 'dist', 'cipher', 'native'),
        flags: [permission, '--allow-addons', `--allow-fs-read=${ROOT}*`],
      },
    ],
  ])(
    'in a bundle of ES modules that is no file, so that neither `__filename` nor an argument names one, %s',
    (_, tell, options) => {
      const module = join(ROOT, 'dist', 'cipher', 'native', 'binary.cjs')
      const script = `
      import { createRequire } from 'node:module'
      import { pathToFileURL } from 'node:url'
      const require = createRequire(${JSON.stringify(module)}), exports = {}
      ${readFileSync(module, 'utf8')}
      ${tell}
      console.log(typeof __filename, process.argv.length, typeof exports.load().random)`
      prints(script, 'undefined 1 function', options)
    },
  )

  test('twice in one environment, and both work', () => {
    const script = `
      ${USE}
      const loads = [1, 2, 3].map(() => {
        const loaded = { exports: {} }
        process.dlopen(loaded, ${JSON.stringify(BINARY)})
        return loaded.exports
      })
      const handles = loads.map(raw => raw.create(0, 2 ** 32, Buffer.alloc(32), false, false, 2 ** 32, 2 ** 32))
      const frame = Buffer.alloc(40)
      const results = loads.map((raw, n) => [raw.encryptInPlace(handles[n], frame), raw.decryptInPlace(handles[n], frame)])
      console.log(results.join(), frame.subarray(12, 24).equals(Buffer.alloc(12)), use())`
    prints(script, '0,0,0,0,0,0 true text')
  })
})

describe('worker threads', () => {
  /** `start(n)` runs the n-th of `bodies` in a worker that has the class, and `post`. */
  const workers = (...bodies: string[]) => {
    const module = JSON.stringify(pathToFileURL(`${ROOT}dist/index.mjs`).href)
    const codes = bodies.map(
      body => `import(${module}).then(({ AesGcm, randomFillSync }) => {
        const post = message => require('node:worker_threads').parentPort.postMessage(message)
        const aes = new AesGcm(Buffer.alloc(32))
        ${body}
      })`,
    )
    return `
      import { Worker } from 'node:worker_threads'
      const start = n => new Worker(${JSON.stringify(codes)}[n], { eval: true, execArgv: [] })`
  }

  test('loaded in a worker that ends, then in main, then in the next worker, twenty times', () => {
    const script = `
      ${workers('post(aes.encrypt(Buffer.from("text")))')}
      const frameOfWorker = () => new Promise((resolve, reject) => {
        let frame
        start(0).on('message', message => { frame = message }).on('error', reject).on('exit', () => resolve(frame))
      })
      let texts = ''
      for (let n = 0; n < 20; n++) {
        const frame = await frameOfWorker()
        // In the first half, main has not loaded the addon, so each worker is its only user.
        texts += n < 10 ? frame.length : new AesGcm(Buffer.alloc(32)).decrypt(frame)
      }
      console.log(texts)`
    prints(script, '32'.repeat(10) + 'text'.repeat(10))
  })

  test('thirty workers, terminated in the middle of their work', () => {
    const work = `
      const frame = Buffer.alloc(5000)
      aes.encryptInPlace(frame)
      post('working')
      for (;;) {
        aes.decryptInPlace(frame)
        aes.encryptInPlace(frame)
        randomFillSync(frame)
        aes.encryptInPlace(frame)
        new AesGcm(AesGcm.generateKey())
      }`
    const script = `
      ${workers(work)}; ${USE}
      let ended = 0
      const one = () => new Promise((resolve, reject) => {
        const thread = start(0)
        thread.on('error', reject).on('message', () => thread.terminate().then(code => { ended += code; resolve() }))
      })
      for (let n = 0; n < 10; n++) await Promise.all([one(), one(), one()])
      console.log(ended, use())`
    prints(script, '30 text')
  })

  test('the process ends while a worker works', () => {
    const script = `
      ${workers('post("working"); for (;;) aes.encrypt(Buffer.alloc(99))')}
      start(0).on('message', message => { console.log(message); process.exit(0) })`
    prints(script, 'working')
  })
})

describe('where it cannot be loaded', () => {
  const standIn = new StandIn()
  const { folder } = standIn
  const addon = join(folder, 'npm', PLATFORM, `hardware-aes-gcm.${PLATFORM}.node`)
  // The errors of all uses: how many different ones, and the facts of the first.
  const ask = `
    import { KeyArena, randomBytes, randomFillSync, randomInfo, reseed } from 'hardware-aes-gcm'
    const uses = [
      () => new AesGcm(Buffer.alloc(16)), () => cpu(), () => AesGcm.generateKey(), () => new AesGcm(1), () => randomBytes(1),
      () => randomFillSync(Buffer.alloc(1)), () => randomInfo(), () => reseed(), () => new KeyArena({ keys: 1 }),
      () => KeyArena.default.used, () => KeyArena.default.locked, () => KeyArena.default.excludedFromDumps,
    ]
    const said = uses.map(use => {
      try { use() } catch (error) { return error }
    })
    console.log(AesGcm.isAvailable(), new Set(said).size, said[0].name, said[0].code)
    console.log(said[0].message.replaceAll('\\n', '|'))
    console.log(said[0].cause?.code ?? said[0].cause)`
  const answer = (options: Parameters<typeof run>[1] = { cwd: folder }) => {
    const { status, stdout, stderr } = run(ask, options)
    expect(status, stderr).toBe(0)
    const [facts, message, cause] = stdout.split('\n')
    return { facts, message, cause }
  }
  /** A permanent failure throws one error for all uses; otherwise each use tries again and throws an error of its own. */
  const problem = (code: string) =>
    `false ${code === 'BINARY_LOAD_FAILED' ? 12 : 1} AesGcmError ERR_AESGCM_${code}`

  test('the platform package is missing', () => {
    expect(answer()).toEqual({
      facts: problem('BINARY_NOT_FOUND'),
      // Without the lines of Node's require stack.
      message: expect.stringMatching(
        new RegExp(
          `^@hardware-aes-gcm/${PLATFORM} is not installed: .*if a bundler left the package behind.*: Cannot find module '[^'|]+'$`,
        ),
      ),
      cause: 'MODULE_NOT_FOUND',
    })
  })

  test.each([
    [process.platform, 'mips'],
    ['win32', 'arm64'],
    ['win32', 'ia32'],
  ])('the platform %s-%s is not supported', (platform, arch) => {
    const script = `
      Object.defineProperty(process, 'platform', { value: '${platform}' })
      Object.defineProperty(process, 'arch', { value: '${arch}' })
      ${ask}`
    const { stdout } = run(script, { cwd: folder })
    expect(stdout).toContain(problem('UNSUPPORTED_PLATFORM'))
    expect(stdout).toContain(`there is no binary for ${platform}-${arch}`)
    const [, there = ''] = /only for (.*)$/m.exec(stdout) ?? []
    expect(there.split(', ').sort()).toEqual(readdirSync(join(ROOT, 'npm')).sort())
  })

  test('Turbopack is shown every package', () => {
    const shown = readFileSync(join(ROOT, 'dist/cipher/native/traced.cjs'), 'utf8')
    const names = [...shown.matchAll(/require\.resolve\('@hardware-aes-gcm\/(\S+)'\)/g)].map(
      ([, name]) => name,
    )
    expect(names.sort()).toEqual(readdirSync(join(ROOT, 'npm')).sort())
  })

  test.each([
    ['darwin', 'arm64'],
    ['darwin', 'x64'],
    ['win32', 'x64'],
  ])('the package for %s-%s is the one looked for', (platform, arch) => {
    const script = `
      Object.defineProperty(process, 'platform', { value: '${platform}' })
      Object.defineProperty(process, 'arch', { value: '${arch}' })
      ${ask}`
    const { stdout } = run(script, { cwd: folder })
    expect(stdout).toContain(`@hardware-aes-gcm/${platform}-${arch} is not installed`)
  })

  test.each([
    ['text', Buffer.from('not a library')],
    ['nothing', Buffer.alloc(0)],
    ['the beginning of a library', Buffer.from('\x7fELF\x02\x01\x01')],
  ])('the addon is %s', (_, content) => {
    mkdirSync(join(folder, 'npm', PLATFORM), { recursive: true })
    writeFileSync(addon, content)
    const { facts, message, cause } = answer()
    rmSync(join(folder, 'npm'), { recursive: true, maxRetries: 10 })
    expect([facts, cause]).toEqual([problem('BINARY_LOAD_FAILED'), 'ERR_DLOPEN_FAILED'])
    expect(message).toContain(PLATFORM)
  })

  test.each([
    ['is of an earlier release', '{ abiVersion: 0 }', 'INCOMPATIBLE_BINARY'],
    ['is of a later release', '{ abiVersion: 1e9 }', 'INCOMPATIBLE_BINARY'],
    ['is something else', '{}', 'INCOMPATIBLE_BINARY'],
    ['is nothing', 'null', 'INCOMPATIBLE_BINARY'],
    ['throws', '(() => { throw new Error("its own") })()', 'BINARY_LOAD_FAILED'],
    ['throws null', '(() => { throw null })()', 'BINARY_LOAD_FAILED'],
    ['throws undefined', '(() => { throw undefined })()', 'BINARY_NOT_FOUND'],
  ])('the platform package %s', (_, exports, code) => {
    standIn.put(`module.exports = ${exports}`)
    const { facts } = answer()
    standIn.remove()
    expect(facts).toBe(problem(code))
  })

  test('the permission model forbids addons', () => {
    const flag = process.allowedNodeEnvironmentFlags.has('--permission')
      ? '--permission'
      : '--experimental-permission'
    const { facts, cause } = answer({ flags: [flag, '--allow-fs-read=*'] })
    expect([facts, cause]).toEqual([problem('BINARY_LOAD_FAILED'), 'ERR_DLOPEN_DISABLED'])
  })
})

describe('a changed environment', () => {
  test('frozen intrinsics', () => {
    prints(`${USE}; console.log(use())`, 'text', { flags: ['--frozen-intrinsics'] })
  })

  test('a validator patched between import and first use', () => {
    const script = `
      const gone = Buffer.alloc(40)
      structuredClone(gone.buffer, { transfer: [gone.buffer] })
      const { prototype } = Object.getPrototypeOf(Uint8Array)
      const { at } = prototype
      prototype.at = () => 1
      const aes = new AesGcm(Buffer.alloc(32))
      prototype.at = at
      try { aes.encryptInPlace(Buffer.alloc(40), gone) } catch (error) { console.log(error.code) }`
    prints(script, 'ERR_AESGCM_DETACHED_BUFFER')
  })

  test('the self-test without SharedArrayBuffer, and with built-ins patched before first use', () => {
    // Put back before the output, because Node writes to a pipe of Windows with Buffer.from.
    const patched = `
      const { from, compare } = Buffer
      Uint8Array.from = Buffer.from = Buffer.compare = () => { throw new Error('called') }
      const available = AesGcm.isAvailable()
      Object.assign(Buffer, { from, compare })
      console.log(available)`
    prints(patched, 'true')
    const gone = 'data:text/javascript,delete globalThis.SharedArrayBuffer'
    const script = 'console.log(typeof SharedArrayBuffer, AesGcm.isAvailable())'
    prints(script, 'undefined true', { flags: ['--import', gone] })
  })

  test('setters on Object.prototype do not disturb cpu() and randomInfo()', () => {
    const script = `
      import { randomInfo } from 'hardware-aes-gcm'
      const before = JSON.stringify([cpu(), randomInfo()])
      const names = new Set(['0', ...Array.from(before.matchAll(/"([^"]+)":/g), ([, name]) => name)])
      for (const name of names)
        Object.defineProperty(Object.prototype, name, { configurable: true, set() { throw new Error(name) } })
      const after = [cpu(), randomInfo()]
      for (const name of names) delete Object.prototype[name]
      console.log(names.size > 20, JSON.stringify(after) === before)`
    prints(script, 'true true')
  })

  // While they are patched, only the package runs: Node itself would fail with some of them.
  test('builtins patched after loading', () => {
    const script = `
      const key = Buffer.alloc(32, 7), aes = new AesGcm(key), text = Buffer.alloc(100, 1)
      const frames = [aes.encrypt(text, key), Buffer.alloc(128), Buffer.alloc(28), Buffer.alloc(100)]
      const bad = Buffer.alloc(40), tag = Buffer.alloc(16), nonce = Buffer.alloc(12), gone = Buffer.alloc(40)
      structuredClone(gone.buffer, { transfer: [gone.buffer] })
      const { defineProperty, getOwnPropertyDescriptor } = Object
      const undo = []
      const patch = (target, ...names) => {
        for (const name of names) {
          const was = getOwnPropertyDescriptor(target, name)
          const evil = () => { throw new Error(String(name) + ' was called') }
          undo[undo.length] = () => was ? defineProperty(target, name, was) : delete target[name]
          defineProperty(target, name, { configurable: true, ...was?.get || !was ? { get: evil } : { value: evil } })
        }
      }
      const views = ['length', 'byteLength', 'byteOffset', 'buffer']
      const TypedArray = Object.getPrototypeOf(Uint8Array)
      const results = []
      const keep = run => { try { results[results.length] = run() } catch (error) { results[results.length] = error.code ?? error.message } }
      patch(Array.prototype, 'at', 'indexOf')
      patch(Uint8Array.prototype, ...views, 'at')
      patch(TypedArray.prototype, ...views, Symbol.toStringTag, 'at', 'fill', 'set', 'subarray', 'slice')
      patch(Buffer, 'from', 'alloc', 'allocUnsafe', 'allocUnsafeSlow')
      patch(Buffer.prototype, 'fill', 'subarray')
      patch(Function.prototype, 'call', 'apply', 'bind')
      keep(() => aes.decrypt(frames[0], key))
      keep(() => aes.encryptInto(frames[1], text))
      keep(() => aes.decryptInPlace(frames[1]))
      keep(() => aes.encryptInPlace(frames[2]))
      keep(() => aes.tryDecryptInPlace(bad))
      keep(() => aes.decryptInPlace(bad))
      keep(() => aes.encryptDetached(frames[3], nonce, tag))
      keep(() => aes.encrypt(frames[3]))
      keep(() => aes.encryptDetached(text, nonce, text))
      keep(() => aes.encrypt(text, gone))
      keep(() => aes.plaintextOf(gone))
      for (const back of undo) back()
      console.log(...results.map(result => Buffer.isBuffer(result) ? result.equals(text) || result.length : result))`
    const errors = ['AUTHENTICATION_FAILED', 'BUFFER_OVERLAP', 'DETACHED_BUFFER'].map(
      code => `ERR_AESGCM_${code}`,
    )
    prints(
      script,
      `true 128 true undefined false ${errors[0]} undefined 128 ${errors[1]} ${errors[2]} ${errors[2]}`,
    )
  })
})
