// Compares the backends that run here with the CPU flags that the kernel reports, and tests the option `backend`.
import { readFileSync } from 'node:fs'
import { AesGcm, type Backend, cpu } from 'hardware-aes-gcm'
import { encryptBuffer } from 'hardware-aes-gcm/stream'
import { expect, test } from 'vitest'
import { KEY, refuses } from '../../tools/support.js'

/** The backends as the Rust tests expect them: by architecture, best first, with the CPU features that each needs. */
const ROWS = readFileSync(new URL('../../../tests/cipher/backends.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter(row => row !== '' && !row.startsWith('#'))
  .map(row => row.split(/\s+/))
const NAMES = ROWS.map(([, name]) => name as Backend)
const HERE = ROWS.filter(([arch]) => arch === { x64: 'x86_64', arm64: 'aarch64' }[process.arch as string])

/** This CPU's features in the kernel's words. The package is not asked, since its answer is under test. */
function flags(): Set<string> {
  if (process.platform === 'darwin') return new Set(['aes', 'pmull', 'sha3'])
  const line = /^(?:flags|Features)\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? ''
  return new Set(line.trim().split(/\s+/))
}

/** The backends that must run here, best first. AESGCM_CAP, in builds that read it, leaves out the better ones. */
function expected(): Backend[] {
  const there = flags()
  const cap = HERE.findIndex(([, name]) => name === process.env.AESGCM_CAP)
  const capped = HERE.slice(Math.max(cap, 0))
  return capped
    .filter(([, , , ...needs]) => needs.every(flag => there.has(flag)))
    .map(([, name]) => name as Backend)
}

test('the backends that must run here do, and no others', () => {
  console.log(`backends: ${expected().join(', ')}`)
  expect(cpu().backends).toEqual(expected())
  expect(AesGcm.isAvailable()).toBe(expected().length > 0)
})

test('cpu()', () => {
  const info = cpu()
  expect(Object.keys(info).sort()).toEqual(['arch', 'backend', 'backends', 'features'])
  expect(info.arch).toBe(process.arch)
  expect(info.backend).toBe(expected()[0] ?? null)
  expect(info.features.aes).toBe(flags().has('aes'))
  if (process.arch === 'x64') {
    const there = Object.entries(info.features).map(([name, is]) => [name.replace('.', '_'), is] as const)
    for (const [name, is] of there) expect(is, name).toBe(flags().has(name))
    expect(there.map(([name]) => name)).toEqual(expect.arrayContaining(HERE[0]?.slice(3) ?? []))
  }
  // A caller's changes to the result do not show in the next result.
  info.backends.length = 0
  info.features.aes = false
  expect(cpu().backends).toEqual(expected())
  expect(cpu().features.aes).toBe(true)
})

test('the backend option refuses a name that exists and does not run here', () => {
  const elsewhere = NAMES.filter(name => !expected().includes(name))
  expect(elsewhere).not.toEqual([])
  for (const backend of elsewhere) {
    refuses(() => new AesGcm(KEY, { backend }), 'ERR_AESGCM_UNSUPPORTED_CPU')
    refuses(() => encryptBuffer(KEY, KEY, { backend }), 'ERR_AESGCM_UNSUPPORTED_CPU')
  }
})
