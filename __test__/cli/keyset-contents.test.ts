// The command keyset with files that hold no keyset, or keys that must not be shown: no output has a part of a key.
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Folder } from './program.js'

/** A folder with a keyset of one key, and its id. */
async function withKeyset(...options: string[]): Promise<{ folder: Folder; id: string }> {
  const folder = new Folder()
  return { folder, id: (await folder.succeed(['keyset', 'new', 'keys', ...options])).trim() }
}

/** Every text that would show a key of a keyset: the values of its JSON, and the keys in them, in three encodings. */
function secretsOf(keyset: string): string[] {
  return JSON.parse(keyset).key.flatMap(({ keyData }: { keyData: { value: string } }) => {
    const value = Buffer.from(keyData.value, 'base64')
    const key = value.subarray(value.length % 16 === 2 ? 2 : -32)
    return [keyData.value, key.toString('hex'), key.toString('base64'), key.toString('base64url')]
  })
}

describe('content that is no keyset', () => {
  const KEYSET = new Keyring(
    [
      { id: 5, key: Buffer.from('fedcba9876543210') },
      { id: 4, key: Buffer.from('0123456789 abcdef 0123456789 ABC') },
    ],
    { primary: 4 },
  ).export()
  const changed = (
    change: (keyset: { key: Record<string, unknown>[] } & Record<string, unknown>) => void,
  ) => {
    const keyset = JSON.parse(KEYSET)
    change(keyset)
    return JSON.stringify(keyset)
  }
  const other = (typeUrl: string) => ({
    keyData: { typeUrl, value: 'AAAA', keyMaterialType: 'SYMMETRIC' },
    status: 'DISABLED',
    keyId: 77,
    outputPrefixType: 'TINK',
  })
  const CONTENTS: [name: string, content: string | Uint8Array, what?: string][] = [
    ['nothing', ''],
    ['text', 'no keyset'],
    ['a key', '5a'.repeat(32)],
    ['cut off', KEYSET.slice(0, -9)],
    ['more behind it', `${KEYSET}x`],
    ['an unknown field', changed(keyset => Object.assign(keyset, { secret: 'x' }))],
    ['no primary key', changed(keyset => Object.assign(keyset, { primaryKeyId: 6 }))],
    [
      'a disabled primary key',
      changed(({ key: [first] }) => Object.assign(first as object, { status: 'DISABLED' })),
    ],
    ['two keys of one id', changed(({ key: [first] }) => Object.assign(first as object, { keyId: 5 }))],
    ['bytes', Buffer.from(KEYSET).fill(0xff, 20, 30)],
    ['UTF-16', Buffer.from(`\ufeff${KEYSET}`, 'utf16le'), 'is UTF-16 text'],
    ['a line with a wrong key', `4:${'5a'.repeat(31)},5:${'5a'.repeat(32)}`],
    ['too much', ' '.repeat(2 ** 22) + KEYSET, 'is longer than 4194304 bytes'],
    // Read with a character in the place of the byte, the keyset would lose this byte when it is written again.
    [
      'a byte that is not UTF-8',
      Buffer.from(
        changed(({ key }) => void key.push(other('x\xff'))),
        'latin1',
      ),
      'is not UTF-8',
    ],
  ]

  test.each(CONTENTS)(
    '%s: refused by every action, without a part of a key',
    async (_, content, what = '') => {
      const folder = new Folder()
      folder.write('keys', content)
      for (const args of [
        ['add', 'keys'],
        ['promote', 'keys', '--id', '4'],
        ['list', 'keys'],
        ['list', 'keys', '--json'],
      ]) {
        const outcome = await folder.run(['keyset', ...args])
        expect(outcome).toMatchObject({ status: 1, stdout: '' })
        expect(outcome.stderr).toMatch(/^(?:hardware-aes-gcm: |\{.*"message":")keys: /)
        expect(outcome.stderr.trimEnd()).not.toContain('\n')
        expect(outcome.stderr).toContain(`keys: ${what}`)
        if (args.includes('--json'))
          expect(JSON.parse(outcome.stderr).error).toMatchObject({
            code: expect.stringMatching(what ? /^ERR_INPUT$/ : /^ERR_(INPUT|AESGCM_INVALID_KEYSET)$/),
            files: ['keys'],
          })
        for (const secret of [...secretsOf(KEYSET), '5a5a5a', '0123456789', 'fedcba']) {
          expect(outcome.stderr).not.toContain(secret.slice(0, 12))
        }
      }
      expect(folder.bytes('keys').equals(Buffer.from(content as string))).toBe(true)
      expect(folder.names).toEqual(['keys'])
    },
  )

  test('a file of over a mebibyte can be changed again after a key was added', async () => {
    const value = Buffer.alloc(2 ** 19, 7).toString('base64')
    const keys = [1, 2].map(i => ({ ...other(`type ${i}`), keyId: 77 + i }))
    for (const key of keys) key.keyData.value = value.slice(0, 650_000)
    const folder = new Folder()
    folder.write(
      'keys',
      changed(({ key }) => void key.push(...keys)),
    )
    for (const args of [['add'], ['add'], ['list']])
      expect(await folder.run(['keyset', ...args, 'keys'])).toMatchObject({ status: 0 })
    expect(folder.bytes('keys').length).toBeGreaterThan(2 ** 20)
  })

  test('nor does any action show a part of a key where it succeeds', async () => {
    const { folder, id } = await withKeyset()
    const outputs: string[] = []
    const run = async (...args: string[]) => {
      const { stdout, stderr } = await folder.run(['keyset', ...args])
      outputs.push(stdout, stderr)
      return stdout.trim()
    }
    const added = await run('add', 'keys')
    const first = secretsOf(folder.read('keys'))
    await run('promote', 'keys', '--id', added, '--json')
    await run('list', 'keys')
    await run('list', 'keys', '--json')
    await run('disable', 'keys', '--id', id, '--json')
    await run('add', 'keys', '--json')
    await run('delete', 'keys', '--id', id, '--json')
    const all = outputs.join('')
    expect(all).toContain(added)
    for (const secret of [...first, ...secretsOf(folder.read('keys'))])
      expect(all).not.toContain(secret.slice(0, 12))
  })
})
