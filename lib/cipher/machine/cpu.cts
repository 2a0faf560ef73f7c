// The function cpu: the backends and CPU features of this machine.
import type { Backend, CpuInfo } from '../../../index.d.ts'
import { load } from '../native/binary.cjs'
import { cpuFeatures } from '../native/calls.cjs'
import { refusal } from '../native/refusal.cjs'

export function cpu(): CpuInfo {
  const backends = [...load().backends] as Backend[]
  const features = cpuFeatures()
  if (typeof features === 'number') throw refusal(features, [])
  return { arch: process.arch, backend: backends[0] ?? null, backends, features }
}
