// The backends of an architecture, from src/backend/list.rs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'

/** The modules of the backends of `arch`, in the list's order. */
export function modulesOf(arch) {
  const list = readFileSync(join(root, 'src/backend/list.rs'), 'utf8')
  const [, rows = ''] = new RegExp(`"${arch}" \\{([^}]*)\\}`).exec(list) ?? []
  const found = [...rows.matchAll(/=> (\w+)::/g)].map(([, name]) => name)
  if (found.length === 0) throw new Error(`src/backend/list.rs has no backend of ${arch}`)
  return [...new Set(found)]
}
