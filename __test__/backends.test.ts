// Which backends run here, by the kernel's own account of the CPU, and how one is chosen.
import { readFileSync } from 'node:fs'
import { AesGcm, type Backend, cpu } from 'hardware-aes-gcm'
import { expect, test } from 'vitest'
import { KEY, refuses } from './support.js'

const NEEDS: Record<string, Record<string, string[]>> = {
  x64: {
    vaes512: [
      'aes',
      'pclmulqdq',
      'ssse3',
      'sse4_1',
      'avx',
      'avx2',
      'vaes',
      'vpclmulqdq',
      'avx512f',
      'avx512bw',
      'avx512vl',
    ],
    vaes256: ['aes', 'pclmulqdq', 'ssse3', 'sse4_1', 'avx', 'avx2', 'vaes', 'vpclmulqdq'],
    aesni: ['aes', 'pclmulqdq', 'ssse3', 'sse4_1'],
  },
  arm64: { armv8eor3: ['aes', 'pmull', 'sha3'], armv8: ['aes', 'pmull'] },
}
const NAMES: Backend[] = ['vaes512', 'vaes256', 'aesni', 'armv8eor3', 'armv8']

/** What the kernel says this CPU has. Not asked of the package: that is what is tested. */
function flags(): Set<string> {
  if (process.platform === 'darwin') return new Set(['aes', 'pmull', 'sha3'])
  const line = /^(?:flags|Features)\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? ''
  return new Set(line.trim().split(/\s+/))
}

/** The backends that have to run here, best first: up to the one that caps detection, in builds that know of it. */
function expected(): string[] {
  const there = flags()
  const backends = Object.entries(NEEDS[process.arch] ?? {})
  const cap = backends.findIndex(([name]) => name === process.env.AESGCM_CAP)
  const capped = backends.slice(Math.max(cap, 0))
  return capped.filter(([, needs]) => needs.every(flag => there.has(flag))).map(([name]) => name)
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
    expect(there.map(([name]) => name)).toEqual(expect.arrayContaining(NEEDS.x64?.vaes512 ?? []))
  }
  // A caller who changes what it got changes nothing for the next.
  info.backends.length = 0
  info.features.aes = false
  expect(cpu().backends).toEqual(expected())
  expect(cpu().features.aes).toBe(true)
})

test('the backend option refuses a name that exists and does not run here', () => {
  const elsewhere = NAMES.filter(name => !expected().includes(name))
  expect(elsewhere).not.toEqual([])
  for (const backend of elsewhere) refuses(() => new AesGcm(KEY, { backend }), 'ERR_AESGCM_UNSUPPORTED_CPU')
})
