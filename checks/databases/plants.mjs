// Faults that are planted in copies of the compiled package, one replacement each, which a comparison must find.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { folderOf } from '../../scripts/compile.mjs'
import { root } from '../../scripts/tools.mjs'
import { Numbers } from './numbers.mjs'

/**
 * The faults of faults/NAME.txt in the compiled package. A fault has a line with the file of dist, the database or the version that it
 * needs, if it needs one, what is wrong, and after @ the places at which the comparison must find it. Then come the code, an arrow, and
 * what the code becomes. A regular expression is between slashes; ⏎ is the end of a line. Throws if a fault has no place any more.
 */
export function faultsOf(name) {
  const text = readFileSync(new URL(`faults/${name}.txt`, import.meta.url), 'utf8')
  const faults = text.match(/^\w.*(?:\n .*)+/gm).map(lines => {
    const [, file, on, about, places] = lines.match(/^(\S+)(?: (\S+))?: (.+?)(?: @ (.+))?\n/)
    const [from, to] = lines
      .slice(lines.indexOf('\n'))
      .split('-->')
      .map(code => code.trim().replaceAll('⏎', '\n'))
    return {
      file: `databases/${name.split('-')[0]}/${file}`,
      on,
      about,
      only: places?.split('; ') ?? [],
      from: /^\/.*\/$/.test(from) ? new RegExp(from.slice(1, -1)) : from,
      to,
    }
  })
  faults.forEach(spoilt)
  return faults
}

/** The folder of a package with the fault: in `dist/${file}.cjs`, `from` becomes `to`. */
export function planted(fault, folder) {
  mkdirSync(folder, { recursive: true })
  const copy = mkdtempSync(join(folder, 'planted-'))
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true })
  for (const name of ['npm', 'package.json']) symlinkSync(join(root, name), join(copy, name))
  writeFileSync(join(copy, 'dist', `${fault.file}.cjs`), spoilt(fault))
  return copy
}

/** The text of a file with the fault. Throws if the source has changed, and the fault has no place. */
export function spoilt({ file, from, to }) {
  const source = readFileSync(join(root, 'dist', `${file}.cjs`), 'utf8')
  const text = source.replace(from, to)
  if (text === source) throw new Error(`dist/${file}.cjs has no place for ${from}`)
  return text
}

/** The exports of entries of a package in a folder, as a program requires them. */
export function partsOf(folder, ...entries) {
  const require = createRequire(join(folder, 'dist/index.cjs'))
  return Object.assign({}, ...entries.map(name => require(`./${folderOf(name)}/index.cjs`)))
}

/**
 * Plants faults, `some` of them by chance if it is given, and throws if `find` finds nothing: a function of a fault and of the folder of
 * the package, which throws what it finds.
 */
export async function findFaults(name, faults, some, find) {
  const numbers = new Numbers(`faults ${name}`)
  const chosen = some === undefined ? faults : Array.from({ length: some }, () => numbers.pick(faults))
  const folder = join(root, 'target', `${name}-faults`)
  try {
    for (const fault of chosen) {
      const found = await find(fault, planted(fault, folder)).then(
        () => undefined,
        error => error,
      )
      if (found?.name !== 'Error') throw new Error(`planted: ${fault.about}, and not found`, { cause: found })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return `${chosen.length} faults were planted, and each was found`
}
