// Runs the example of examples/shares: a database key is sealed among five people, and three of them open it.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as reference from '../../models/shares.js'
import { ROOT } from '../../tools/support.js'
import { changed } from './sets.js'

const KEY = Buffer.from('-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n')
let folder: string
const file = (holder: string) => join(folder, `${holder}.share`)

function node(script: string, values: readonly string[], input?: Buffer) {
  const options = { cwd: ROOT, input, timeout: 30_000 }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`examples/shares/${script}.mjs`, folder, ...values],
    options,
  )
  return { status, stdout: stdout.toString(), stderr: stderr.toString() }
}
const opens = (...holders: string[]) =>
  expect(node('open', holders)).toEqual({ status: 0, stdout: KEY.toString(), stderr: '' })
const refuses = (holders: readonly string[], stderr: string | RegExp) =>
  expect(node('open', holders)).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(stderr) })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shares-example-'))
  const stdout = `sealed ${KEY.length + 28} bytes; any 3 of 5 holders open them\n`
  expect(node('seal', [], KEY)).toEqual({ status: 0, stdout, stderr: '' })
})
afterEach(() => rmSync(folder, { recursive: true, maxRetries: 10 }))

test('five shares are written, for their owner alone, and no key', () => {
  expect(readdirSync(folder).sort()).toEqual(
    'ada.share bo.share cem.share database-key.sealed dina.share eli.share'.split(' '),
  )
  for (const name of readdirSync(folder)) {
    const content = readFileSync(join(folder, name), 'latin1')
    expect(content).not.toContain('PRIVATE')
    if (name.endsWith('.share')) expect(content).toMatch(/^AGS1(-[A-Z2-7]{5}){28}\n$/)
  }
  if (process.platform !== 'win32') expect(statSync(file('ada')).mode & 0o777).toBe(0o600)
  expect(node('seal', [], KEY).status).not.toBe(0)
})

test('three holders open the key, and so do more; two do not', () => {
  opens('eli', 'ada', 'cem')
  opens('bo', 'cem', 'dina')
  opens('ada', 'bo', 'cem', 'dina', 'eli')
  refuses(['ada', 'bo'], /^ERR_OUT_OF_RANGE: "shares" must have at least 3 shares, got 2\n$/)
  refuses(['ada', 'bo', 'ada'], /^the share of ada is wrong\n$/)
})

test('a corrupted share is told by the name of its holder', () => {
  const share = reference.binaryOf(readFileSync(file('dina'), 'latin1').trim())
  writeFileSync(file('dina'), reference.text(changed(share, [70, (share[70] as number) ^ 0x20])))
  refuses(['ada', 'bo', 'cem', 'dina'], /^the share of dina is wrong\n$/)
  refuses(['dina', 'ada', 'eli'], /^ERR_AESGCM_SHARES_MISMATCH: /)
  opens('ada', 'bo', 'cem')
})

test('a mistyped share is told by the name of its holder, also among three', () => {
  const text = readFileSync(file('bo'), 'latin1')
  writeFileSync(file('bo'), text.slice(0, 20) + (text[20] === 'Q' ? 'R' : 'Q') + text.slice(21))
  refuses(['ada', 'bo', 'eli'], /^the share of bo is wrong\n$/)
  writeFileSync(file('bo'), text.toLowerCase().replaceAll('-', ' '))
  opens('ada', 'bo', 'eli')
})

test('a lost share is issued again, as it was', () => {
  copyFileSync(file('bo'), join(folder, 'before'))
  rmSync(file('bo'))
  const stdout = 'the share of bo is there again\n'
  expect(node('reissue', ['bo', 'eli', 'ada', 'cem'])).toEqual({ status: 0, stdout, stderr: '' })
  expect(readFileSync(file('bo')).equals(readFileSync(join(folder, 'before')))).toBe(true)
  expect(node('reissue', ['bo', 'eli', 'ada', 'cem'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('EEXIST'),
  })
  expect(node('reissue', ['dina', 'eli', 'ada'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('ERR_OUT_OF_RANGE'),
  })
})
