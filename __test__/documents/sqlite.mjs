// `--import` of this file gives Node 20 the module node:sqlite, as far as the recipes use it, over SQLite compiled to WebAssembly. Where
// Node has the module itself, that one is used.
import { isBuiltin, register } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/** The module: the methods of Node's classes, by those of the package, whose statements must be finalized. */
const MODULE = `
  import { createRequire } from 'node:module'
  const { Database } = createRequire(${JSON.stringify(import.meta.url)})('node-sqlite3-wasm')
  export class DatabaseSync {
    #database
    constructor(path) { this.#database = new Database(path) }
    exec(sql) { this.#database.exec(sql) }
    close() { this.#database.close() }
    prepare(sql) {
      const database = this.#database
      return {
        run: (...values) => database.run(sql, values),
        get: (...values) => database.get(sql, values) ?? undefined,
        all: (...values) => database.all(sql, values),
      }
    }
  }`

const HOOKS = `
  export async function resolve(specifier, context, next) {
    if (specifier !== 'node:sqlite') return next(specifier, context)
    return { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(MODULE)}`)}, shortCircuit: true }
  }`

if (!isBuiltin('node:sqlite')) {
  // SQLite runs for milliseconds here, and V8 would optimise all of it for a second.
  for (const flag of ['--liftoff-only', '--wasm-lazy-compilation']) setFlagsFromString(flag)
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`)
}
