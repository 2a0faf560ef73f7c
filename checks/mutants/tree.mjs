// A copy of the working tree under target/mutants, which mutants change instead of the tree itself.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { root, stop } from '../../scripts/tools.mjs'

/** Writes `content`, a text or bytes, unless the file has it: Cargo compiles again what has a new time. */
export function write(path, content) {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** Names of the files that Git has or would add, below the working tree. */
export function files() {
  const { status, stdout } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 },
  )
  if (status !== 0) stop('checks/mutants copies the files that Git lists, and Git failed.')
  return stdout.split('\0').filter(name => name !== '' && existsSync(join(root, name)))
}

/**
 * The copy called `name`, made equal to the working tree, with its built addon and its node_modules, but for the files that `changed`
 * matches, which the caller writes. What a build has written in the copy stays there, but for files that the tree no longer has.
 */
export function copyTree(name, changed) {
  const copy = join(root, 'target', 'mutants', name)
  const names = new Set(files().filter(name => !changed.test(name)))
  for (const name of names) write(join(copy, name), readFileSync(join(root, name)))
  for (const folder of ['src', 'tests', 'lib', '__test__', 'checks'].filter(folder =>
    existsSync(join(copy, folder)),
  ))
    for (const entry of readdirSync(join(copy, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath ?? entry.path, entry.name)
      const name = path.slice(copy.length + 1)
      if (entry.isFile() && !names.has(name) && !changed.test(name)) rmSync(path)
    }
  for (const folder of readdirSync(join(root, 'npm')))
    for (const file of readdirSync(join(root, 'npm', folder)).filter(
      file => file.endsWith('.node') && !changed.test(file),
    ))
      cpSync(join(root, 'npm', folder, file), join(copy, 'npm', folder, file))
  const modules = join(copy, 'node_modules')
  if (!lstatSync(modules, { throwIfNoEntry: false })) symlinkSync(join(root, 'node_modules'), modules)
  return copy
}

/** Compiles the TypeScript of a copy. */
export function compileIn(copy) {
  const compile = "import('./scripts/compile.mjs').then(it => it.compile())"
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--eval', compile], {
    cwd: copy,
    encoding: 'utf8',
  })
  if (status !== 0) stop(`The TypeScript of ${copy} does not compile:\n${stdout}${stderr}`.slice(0, 2000))
}
