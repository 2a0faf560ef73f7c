// What the documents show is so: the README's quick start runs, and the frame in docs/formats.md opens.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { AesGcm } from 'hardware-aes-gcm'
import { expect, test } from 'vitest'
import { ROOT } from './support.js'

test('the quick start runs as it stands', () => {
  const [, script] =
    readFileSync(`${ROOT}README.md`, 'utf8').match(/## Quick start\n\n```js\n(.*?)```/s) ?? []
  const flags = ['--input-type=module', '-e', script ?? '']
  const { stdout, stderr, status } = spawnSync(process.execPath, flags, { cwd: ROOT, encoding: 'utf8' })
  expect({ stdout, stderr, status }).toEqual({ stdout: 'attack at dawn\n', stderr: '', status: 0 })
})

test('the blocks on random bytes and on arenas run as they stand', () => {
  const readme = readFileSync(`${ROOT}README.md`, 'utf8')
  const block = (heading: string) =>
    readme.match(new RegExp(`## ${heading}\n\n[^#]*?\`\`\`js\n(.*?)\`\`\``, 's'))?.[1] ?? ''
  const given = 'const buffer = Buffer.alloc(9); const key = Buffer.alloc(32)\n'
  const script = `${given}${block('Random bytes')}${block('Where keys lie')}console.log(token.length)`
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect({ stdout, stderr, status }).toEqual({
    stdout: expect.stringMatching(/^1 (?:true|false)\n32\n$/),
    stderr: '',
    status: 0,
  })
})

test('the frame of docs/formats.md opens in both layouts', () => {
  const [, ...parts] =
    readFileSync(`${ROOT}docs/formats.md`, 'utf8').match(/```\n(\w{24}) (\w{16}) (\w{32})\n```/) ?? []
  const [nonce, text, tag] = parts as [string, string, string]
  const key = Uint8Array.from({ length: 32 }, (_, i) => i)
  const [start, end] = [nonce + text + tag, text + tag + nonce].map(hex => Buffer.from(hex, 'hex'))
  const aad = Buffer.from('feedface', 'hex')
  expect(new AesGcm(key).decrypt(start as Buffer, aad).toString()).toBe('hardware')
  expect(new AesGcm(key, { nonceAt: 'end' }).decrypt(end as Buffer, aad).toString()).toBe('hardware')
})
