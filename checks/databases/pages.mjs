// Runs the blocks of the guide's pages that need packages from npm, as __test__/documents runs those of the other pages.
//
// pages/NAME.mjs is about docs/guide/NAME.md. It imports no package and exports
//   `packages`  what the page installs, as NAME@VERSION;
//   `addons`    if the page needs them: packages of which an addon must be compiled;
//   `runs`      for each block of JavaScript or TypeScript, in order, what it `prints`, its `flags` and `env`, and the code `after` it;
//   `prepare`   if the page needs it: what happens after the files were written and before the first block runs;
//   `finish`    if the page needs it: what happens after the last block, such as commands of the page.
// A block is a file of the folder, which has the name in the block's first line, such as `// users.mjs` or `-- tables.sql`. So are
// blocks of other languages with a name.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'
import { compiled } from '../tools/addon.mjs'
import { cached } from '../tools/cache.mjs'
import { obtain, RUNTIMES } from '../tools/runtimes.mjs'

const MINUTES = 2
const FOLDER = new URL('pages', import.meta.url)
/** Languages whose blocks are programs. */
const PROGRAMS = ['js', 'ts']

/** The pages of the guide that are run here. */
export const PAGES = existsSync(FOLDER) ? readdirSync(FOLDER).map(file => file.replace('.mjs', '')) : []

/** The blocks of a page that are files: those of programs, and those of other languages that have a name. */
export function blocksOf(page) {
  const text = readFileSync(join(root, 'docs/guide', `${page}.md`), 'utf8')
  const blocks = [...text.matchAll(/```(\w+)\n(.*?)```/gs)].map(([, language, code]) => {
    const [, name] = /^(?:\/\/|--|#) ([\w.-]+\.\w+)\b/.exec(code) ?? []
    return { isProgram: PROGRAMS.includes(language), name, language, code }
  })
  return blocks
    .filter(({ isProgram, name }) => isProgram || name !== undefined)
    .map((block, i) => ({
      ...block,
      file: block.name ?? `example-${i + 1}.${block.language === 'ts' ? 'mts' : 'mjs'}`,
    }))
}

/**
 * Runs a page in a folder where its packages are installed, under Node 24, and compiles its programs as TypeScript under strict options.
 * `env` is the environment of the page, such as the DATABASE_URL. Yields a line; throws if a block does anything else than expected.
 */
export async function* runPage(page, env) {
  const { addons = [], finish, packages, prepare, runs } = await import(`./pages/${page}.mjs`)
  const blocks = blocksOf(page)
  const programs = blocks.filter(({ isProgram }) => isProgram)
  if (programs.length !== runs.length)
    throw new Error(`docs/guide/${page}.md has ${programs.length} programs, and ${runs.length} are expected`)
  mkdirSync(join(root, 'target'), { recursive: true })
  const folder = mkdtempSync(join(root, 'target/page-'))
  try {
    const modules = [cached(...packages), ...addons.map(addon => compiled(addon, RUNTIMES.node24))]
    install(folder, ...modules)
    const node = await obtain(RUNTIMES.node24, folder)
    const run = (args, own = {}) => {
      const variables = { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1', ...env, ...own }
      return ended(node, ['--disable-warning=ExperimentalWarning', ...args], { cwd: folder, env: variables })
    }
    for (const { file, code } of blocks) writeFileSync(join(folder, file), code)
    const tools = { folder, env, run: (...given) => succeeded(run(...given), page) }
    await prepare?.(tools)
    for (const [i, { file, code }] of programs.entries()) {
      const { after = '', flags = [], env: own, prints = '', warns = '' } = runs[i]
      const path = after === '' ? file : `after-${file}`
      if (after !== '') writeFileSync(join(folder, path), `${code}${after}`)
      const { status, stdout, stderr } = run([...flags, path], own)
      const isExpected = prints instanceof RegExp ? prints.test(stdout) : stdout === prints
      if (status === 0 && isExpected && stderr === warns) continue
      throw new Error(
        `docs/guide/${page}.md, program ${i + 1} (${file}) ended with ${status}:\n${stdout}${stderr}`,
      )
    }
    await finish?.(tools)
    compile(folder, page, programs)
    yield `docs/guide/${page}.md: ${programs.length} programs run as they stand, and compile`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Puts links to packages into a folder's node_modules, and one to this package. */
export function install(folder, ...modules) {
  const here = join(folder, 'node_modules')
  mkdirSync(here, { recursive: true })
  symlinkSync(root, join(here, 'hardware-aes-gcm'))
  // The compiler needs the types of Node, if the page does not install others.
  const types = join(root, 'node_modules/@types')
  for (const [from, scope] of [...modules.map(from => [from, '.']), [types, '@types']])
    for (const name of readdirSync(from)) {
      if (name.startsWith('.')) continue
      if (!name.startsWith('@')) link(join(from, name), join(here, scope), name)
      else for (const own of readdirSync(join(from, name))) link(join(from, name, own), join(here, name), own)
    }
}

function link(target, folder, name) {
  mkdirSync(folder, { recursive: true })
  try {
    symlinkSync(target, join(folder, name))
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}

/** Compiles the programs as TypeScript. A file `users.mjs` is compiled as `users.mts`, which others then import. */
function compile(folder, page, programs) {
  for (const { file, code } of programs)
    if (file.endsWith('.mjs')) writeFileSync(join(folder, file.replace('.mjs', '.mts')), code)
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    moduleDetection: 'force',
    types: ['node'],
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    experimentalDecorators: true,
  }
  const files = programs.map(({ file }) => file.replace('.mjs', '.mts'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  succeeded(ended(process.execPath, [tsc, '-p', folder], { cwd: folder }), page)
}

function ended(program, args, options) {
  const limits = { timeout: MINUTES * 60_000, killSignal: 'SIGKILL', maxBuffer: 2 ** 27 }
  return spawnSync(program, args, { encoding: 'utf8', ...limits, ...options })
}

function succeeded({ status, stdout, stderr }, page) {
  if (status === 0) return stdout
  throw new Error(`docs/guide/${page}.md: ${stdout}${stderr}`)
}
