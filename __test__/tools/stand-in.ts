// A copy of the package in a folder of its own, with a faulty binding in front of the real one.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { BINARY, PLATFORM, ROOT } from './support.js'

/** A folder with the package and, until `put`, no binding. The folder is deleted after the tests of the file. */
export class StandIn {
  readonly folder = mkdtempSync(join(tmpdir(), 'hardware-aes-gcm-'))
  readonly #platformPackage = join(this.folder, 'node_modules/@hardware-aes-gcm', PLATFORM)

  constructor() {
    cpSync(join(ROOT, 'dist'), join(this.folder, 'dist'), { recursive: true })
    cpSync(join(ROOT, 'package.json'), join(this.folder, 'package.json'))
    afterAll(() => rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 }))
  }

  /** Makes this CommonJS source the platform package. */
  put(source: string): void {
    mkdirSync(this.#platformPackage, { recursive: true })
    writeFileSync(join(this.#platformPackage, 'index.js'), source)
  }

  /** Makes the real binding the platform package, with these members replaced. They may use `real` and the number `count`. */
  lie(members: string): void {
    // A loading of its own: the package would find the short way taken.
    this.put(
      `process.dlopen(module, ${JSON.stringify(BINARY)}); const real = module.exports; let count = 0; module.exports = { ...real, ${members} }`,
    )
  }

  /** The same with the members that the text `globalThis.lie` has when the binding is loaded. */
  lieInTurn(): void {
    this.lie("...eval('({' + globalThis.lie + '})')")
  }

  remove(): void {
    rmSync(join(this.folder, 'node_modules'), { recursive: true, force: true, maxRetries: 10 })
  }
}
