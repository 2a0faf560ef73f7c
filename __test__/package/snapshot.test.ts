// A startup snapshot cannot contain native code: Node aborted when it wrote one that had loaded the binary.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ENTRY = fileURLToPath(new URL('../../dist/index.cjs', import.meta.url))
const REQUIRE = `process.getBuiltinModule('node:module').createRequire(${JSON.stringify(ENTRY)})(${JSON.stringify(ENTRY)})`

test('build-snapshot: an error while it is built, and use after its start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'snapshot-'))
  try {
    const script = join(folder, 'main.cjs')
    const blob = ['--snapshot-blob', join(folder, 'blob')]
    const start = (...args: string[]) => spawnSync(process.execPath, [...blob, ...args], { encoding: 'utf8' })
    writeFileSync(script, `try { ${REQUIRE}.AesGcm.generateKey(256) } catch ({ code }) { console.log(code) }`)
    expect(start('--build-snapshot', script).stdout).toBe('ERR_AESGCM_BINARY_LOAD_FAILED\n')
    const main = `() => console.log(${REQUIRE}.AesGcm.generateKey(256).length)`
    writeFileSync(
      script,
      `process.getBuiltinModule('node:v8').startupSnapshot.setDeserializeMainFunction(${main})`,
    )
    expect(start('--build-snapshot', script).status).toBe(0)
    expect(start().stdout).toBe('32\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('bun-snapshot: a runtime whose question about snapshots throws loads the binary', () => {
  const script = `process.getBuiltinModule('node:v8').startupSnapshot.isBuildingSnapshot = () => { throw new Error() }
    console.log(${REQUIRE}.AesGcm.generateKey(256).length)`
  expect(spawnSync(process.execPath, ['--eval', script], { encoding: 'utf8' }).stdout).toBe('32\n')
})
