// Faults that are planted in copies of the compiled package, one replacement each, which a comparison must find.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'

/** The folder of a package with the fault: in `dist/${file}.cjs`, `from` becomes `to`. */
export function planted({ file, from, to }, folder) {
  mkdirSync(folder, { recursive: true })
  const copy = mkdtempSync(join(folder, 'planted-'))
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true })
  for (const name of ['npm', 'package.json']) symlinkSync(join(root, name), join(copy, name))
  const path = join(copy, 'dist', `${file}.cjs`)
  const source = readFileSync(path, 'utf8')
  const spoilt = source.replace(from, to)
  if (spoilt === source) throw new Error(`dist/${file}.cjs has no place for ${from}`)
  writeFileSync(path, spoilt)
  return copy
}
