// The README's quick start does what it says.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROOT } from './support.js'

test('the quick start runs as it stands', () => {
  const [, script] =
    readFileSync(`${ROOT}README.md`, 'utf8').match(/## Quick start\n\n```js\n(.*?)```/s) ?? []
  const flags = ['--input-type=module', '-e', script ?? '']
  const { stdout, stderr, status } = spawnSync(process.execPath, flags, { cwd: ROOT, encoding: 'utf8' })
  expect({ stdout, stderr, status }).toEqual({ stdout: 'attack at dawn\n', stderr: '', status: 0 })
})
