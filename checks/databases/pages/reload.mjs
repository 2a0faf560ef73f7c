// What the blocks of docs/guide/reload.md print.
export const packages = ['prom-client@15.1.3', '@opentelemetry/api@1.9.0', '@opentelemetry/sdk-metrics@2.0.1']

/** Reads the counters of the block for OpenTelemetry as its SDK collects them. */
const COLLECT = `
  import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
  class Reader extends MetricReader {
    async onForceFlush() {}
    async onShutdown() {}
  }
  export const reader = new Reader()
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
`
const OBSERVED = `
  keyring.openText(keyring.sealText('attack at dawn'))
  keyring.tryOpenText('forged')
  const { resourceMetrics } = await reader.collect()
  for (const { descriptor, dataPoints } of resourceMetrics.scopeMetrics[0].metrics)
    for (const { value, attributes } of dataPoints) console.log(descriptor.name, attributes.why ?? typeof attributes.key, value)
`

export const runs = [
  { prints: 'attack at dawn\n' },
  { prints: '1\n' },
  {
    prints: new RegExp(
      [
        '# HELP keyring_opened_total values of the keyring',
        '# TYPE keyring_opened_total counter',
        'keyring_opened_total\\{key="\\d+"\\} 1',
        '',
        '# HELP keyring_refused_total values of the keyring',
        '# TYPE keyring_refused_total counter',
        'keyring_refused_total\\{why="forged"\\} 1',
        'keyring_refused_total\\{why="unknown key"\\} 0',
      ].join('\n'),
    ),
  },
  {
    // The provider must be there before the meters: a program loads it by --import.
    flags: ['--import', './provider.mjs'],
    after: `
      import { reader } from './provider.mjs'
      ${OBSERVED}`,
    prints: 'keyring.opened number 1\nkeyring.refused forged 1\nkeyring.refused unknown key 0\n',
  },
]

export async function prepare({ folder }) {
  const { writeFileSync } = await import('node:fs')
  const { join } = await import('node:path')
  writeFileSync(join(folder, 'provider.mjs'), `import { metrics } from '@opentelemetry/api'\n${COLLECT}`)
}
