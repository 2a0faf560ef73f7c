// What this machine can run.

import { load } from './native/binary.cjs'
import { cpuFeatures } from './native/calls.cjs'
import type { Backend } from './options.cjs'

export interface CpuInfo {
  arch: string
  backend: Backend | null
  backends: Backend[]
  features: Record<string, boolean>
}

export function cpu(): CpuInfo {
  const backends = [...load().backends] as Backend[]
  return { arch: process.arch, backend: backends[0] ?? null, backends, features: cpuFeatures() }
}
