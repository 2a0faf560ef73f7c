// `info`: what the CPU and the system support, and what the package uses.
import type { Command } from '../frame/command.cjs'
import { type Facts, facts } from '../frame/facts.cjs'
import { wrap } from '../frame/help.cjs'
import { printJson, printLines } from '../frame/streams.cjs'
import { shownSafely } from '../frame/text.cjs'

export const info: Command = {
  name: 'info',
  summary: 'Show CPU support and what the package uses',
  usage: ['info [OPTIONS]'],
  about: [
    'Shows the CPU and the backends it supports (the first is used), the native binary, the sources of random bytes, and the ' +
      'protection of keys in memory. If the package does not work on this machine, it says why and exits with 1.',
  ],
  options: {},
  examples: ['info', 'info --json'],
  files: { most: 0 },
  async run(call) {
    const { facts: found, failure } = facts()
    if (call.has('json')) await printJson(call.streams, found)
    else await printLines(call.streams, table(found))
    if (failure !== undefined) throw failure
  },
}

const UNKNOWN = 'unknown'
const MEBIBYTE = 2 ** 20

function table({ version, runtime, platform, cpu, binary, random, memory }: Facts): string[] {
  const api = runtime.nodeApi === null ? '' : `, Node-API ${runtime.nodeApi}`
  const sections = [
    [
      ['hardware-aes-gcm', version],
      ['runtime', `${runtime.name} ${runtime.version}${api}, ${platform.os} ${platform.arch}`],
    ],
    [
      ['CPU', cpu.model ?? UNKNOWN],
      ['backend', cpu.backend ?? 'none'],
      ...('backends' in cpu
        ? [
            ['backends', cpu.backends.join(', ') || 'none'],
            ['features', featuresOf(cpu.features, true)],
            ['missing', featuresOf(cpu.features, false)],
          ]
        : []),
    ],
    binary === null
      ? [['binary', 'not loaded']]
      : [
          ['binary', `${binary.package} ${binary.version ?? UNKNOWN}, interface ${binary.interface}`],
          ['path', binary.path],
        ],
    random === null ? [['random bytes', 'not available']] : randomRows(random),
    [
      [
        'keys locked',
        memory.keysLocked === null ? UNKNOWN : memory.keysLocked ? 'yes' : 'no: they may be swapped out',
      ],
      [
        'keys in dumps',
        memory.keysExcludedFromDumps === null
          ? UNKNOWN
          : memory.keysExcludedFromDumps
            ? 'no'
            : 'yes: the system cannot exclude them',
      ],
      ['lock limit', limitOf(memory.lockedLimit)],
      ['longest Buffer', sizeOf(memory.longestBuffer)],
    ],
  ] as [string, string][][]
  const width = Math.max(...sections.flat().map(([name]) => name.length)) + 2
  return sections.flatMap((rows, i) => [
    ...(i > 0 ? [''] : []),
    ...rows.flatMap(([name, value]) => {
      const start = name.padEnd(width)
      // A path stays in one line, where it can be copied, and where a line break in it shows.
      return name === 'path' ? `${start}${value}` : `${start}${wrap(shownSafely(value), width)}`.split('\n')
    }),
  ])
}

function randomRows({
  lastSeed,
  cpuSource,
  copyDetection,
}: NonNullable<Facts['random']>): [string, string][] {
  const state = cpuSource.reason === null ? cpuSource.state : `${cpuSource.state} (${cpuSource.reason})`
  return [
    ['random seed', lastSeed === null ? 'none yet' : `from ${lastSeed.sources.map(sourceOf).join(' and ')}`],
    ['CPU source', cpuSource.name === null ? 'none' : `${cpuSource.name}, ${state}`],
    ['forks', copyDetection.fork === 'none' ? 'not detected' : `detected by ${copyDetection.fork}`],
    [
      'VM restores',
      copyDetection.vm === null ? 'not detected: call reseed()' : `detected by ${copyDetection.vm}`,
    ],
  ]
}

function sourceOf(source: string): string {
  return source === 'os' ? 'the operating system' : source
}

function featuresOf(features: Readonly<Record<string, boolean>>, there: boolean): string {
  const names = Object.keys(features).filter(name => features[name] === there)
  return names.join(' ') || 'none'
}

function limitOf(limit: number | 'unlimited' | null): string {
  if (limit === null) return UNKNOWN
  return limit === 'unlimited' ? limit : sizeOf(limit)
}

function sizeOf(bytes: number): string {
  const exact = bytes >= 2 ** 40 ? [2 ** 40, 'TiB'] : bytes >= 2 ** 30 ? [2 ** 30, 'GiB'] : [MEBIBYTE, 'MiB']
  const [unit, name] = exact as [number, string]
  return bytes < MEBIBYTE ? `${Math.round(bytes / 1024)} KiB` : `${Number((bytes / unit).toFixed(1))} ${name}`
}
