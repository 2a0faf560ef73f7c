// Runs the example of examples/quic: two processes, UDP on loopback, and a network that loses, damages and delays packets.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { ROOT } from '../../tools/support.js'

test('the example ends by itself, with every message delivered and the keys of both sides updated', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['examples/quic/client.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 30_000,
  })
  expect({ status, stderr }, stdout).toEqual({ status: 0, stderr: '' })
  const lines = stdout.trim().split('\n')
  const starting = (text: string) => lines.filter(line => line.startsWith(text))
  const [client] = starting('client: all messages acknowledged; packets: ')
  const [server] = starting('server: 200 messages; packets: ')
  expect(lines.filter(line => /^(client|server): key phase 1 sent, 1 received$/.test(line))).toHaveLength(2)
  expect(lines).toHaveLength(4)
  // The network was bad in both directions, and damaged packets were dropped on both sides.
  for (const line of [client, server])
    for (const what of ['lost', 'damaged', 'delayed', 'dropped'])
      expect(Number(line?.match(new RegExp(`(\\d+) ${what}`))?.[1]), `${what}: ${line}`).toBeGreaterThan(5)
})
