// The command keyset: keys that are made, changed and listed in a file, and never shown.
import { chmodSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Folder, OWNER_ALONE, unnamed, WINDOWS } from './program.js'

const TYPES = ['AES-256-GCM', 'AES-128-GCM', 'XAES-256-GCM', 'AES-256-GCM-SIV', 'AES-128-GCM-SIV']

/** A folder with a keyset of one key, and its id. */
async function withKeyset(...options: string[]): Promise<{ folder: Folder; id: string }> {
  const folder = new Folder()
  return { folder, id: (await folder.succeed(['keyset', 'new', 'keys', ...options])).trim() }
}

const keysIn = (folder: Folder, name = 'keys') => {
  const keyring = Keyring.parse(folder.read(name))
  try {
    return keyring.keys
  } finally {
    keyring.destroy()
  }
}

/** Writes a file that only its owner can read. */
function write(folder: Folder, name: string, content: string): void {
  folder.write(name, content)
  chmodSync(folder.in(name), 0o600)
}

describe('new', () => {
  test('makes a keyset of one key that only its owner can read, and prints the id', async () => {
    const { folder, id } = await withKeyset()
    expect(keysIn(folder)).toMatchObject([
      { id: Number(id), type: 'AES-256-GCM', primary: true, status: 'enabled' },
    ])
    expect([folder.names, folder.mode('keys')]).toEqual([['keys'], OWNER_ALONE])
    expect(folder.read('keys')).toMatch(/^\{.*\}\n$/s)
  })

  test.each(TYPES)('--type %s', async type => {
    const { folder } = await withKeyset('--type', type)
    expect(keysIn(folder)).toMatchObject([{ type, prefix: 'tink' }])
    const shown = JSON.parse(await folder.succeed(['keyset', 'add', 'keys', '--json']))
    expect(shown).toMatchObject({ file: 'keys', type, primary: false })
  })

  test('replaces a keyset only with --force, and then all of it', async () => {
    const { folder } = await withKeyset()
    const before = folder.read('keys')
    expect(await folder.fail(1, ['keyset', 'new', 'keys'])).toBe(
      'keys: already exists; use --force to replace it',
    )
    expect(folder.read('keys')).toBe(before)
    const { id, ...rest } = JSON.parse(await folder.succeed(['keyset', 'new', 'keys', '--force', '--json']))
    const textPrefix = expect.stringMatching(/^A[Q-f][\w-]{4}$/)
    const facts = { type: 'AES-256-GCM', status: 'enabled', primary: true, prefix: 'tink', textPrefix }
    expect(rest).toEqual({ file: 'keys', ...facts })
    expect(keysIn(folder).map(key => key.id)).toEqual([id])
  })
})

describe('the life of a key', () => {
  test('add, promote, disable, enable, disable, delete', async () => {
    const { folder, id: old } = await withKeyset()
    const added = (await folder.succeed(['keyset', 'add', 'keys', '--type', 'XAES-256-GCM'])).trim()
    const states = () =>
      keysIn(folder).map(({ id, status, primary }) => `${id} ${status}${primary ? '!' : ''}`)
    expect(states()).toEqual([`${old} enabled!`, `${added} enabled`])
    const step = async (action: string, id: string) => {
      expect(await folder.succeed(['keyset', action, 'keys', '--id', id])).toBe('')
      return states()
    }
    for (const action of ['promote', 'promote', 'enable'])
      expect(await step(action, added)).toEqual([`${old} enabled`, `${added} enabled!`])
    expect(await step('disable', old)).toEqual([`${old} disabled`, `${added} enabled!`])
    expect(await step('enable', old)).toEqual([`${old} enabled`, `${added} enabled!`])
    expect(await step('disable', old)).toEqual([`${old} disabled`, `${added} enabled!`])
    expect(await step('delete', old)).toEqual([`${added} enabled!`])
    expect([folder.names, folder.mode('keys')]).toEqual([['keys'], OWNER_ALONE])
  })

  test('--json tells the key as it is now, and of a key that was deleted its id', async () => {
    const { folder, id } = await withKeyset()
    const added = JSON.parse(await folder.succeed(['keyset', 'add', 'keys', '--json']))
    const promoted = JSON.parse(
      await folder.succeed(['keyset', 'promote', 'keys', '--id', `${added.id}`, '--json']),
    )
    expect(promoted).toEqual({ ...added, primary: true })
    const disabled = JSON.parse(await folder.succeed(['keyset', 'disable', 'keys', '--id', id, '--json']))
    expect(disabled).toMatchObject({ file: 'keys', id: Number(id), status: 'disabled', primary: false })
    const deleted = JSON.parse(await folder.succeed(['keyset', 'delete', 'keys', '--id', id, '--json']))
    expect(deleted).toEqual({ file: 'keys', id: Number(id) })
  })

  test('--json names the file of a change that is refused', async () => {
    const { folder, id } = await withKeyset()
    for (const action of ['disable', 'delete']) {
      const { status, stderr } = await folder.run(['keyset', action, 'keys', '--id', id, '--json'])
      expect([status, JSON.parse(stderr).error]).toMatchObject([1, { code: 'ERR_INPUT', files: ['keys'] }])
    }
  })

  test('the other keys stay as they are, and open what they sealed', async () => {
    const { folder } = await withKeyset()
    const before = Keyring.parse(folder.read('keys'))
    const sealed = before.sealText('attack at dawn', 'orders')
    for (let i = 0; i < 3; i++) await folder.succeed(['keyset', 'add', 'keys'])
    const after = Keyring.parse(folder.read('keys'))
    expect(after.openText(sealed, 'orders')).toBe('attack at dawn')
    expect(new Set(after.keys.map(({ textPrefix }) => textPrefix)).size).toBe(4)
  })

  test('the line of an environment variable becomes JSON', async () => {
    const folder = new Folder()
    write(folder, 'keys', `32:${'5a'.repeat(32)},16:${'a5'.repeat(16)}\n`)
    await folder.succeed(['keyset', 'promote', 'keys', '--id', '16'])
    expect(keysIn(folder)).toMatchObject([
      { id: 16, primary: true, type: 'AES-128-GCM' },
      { id: 32, primary: false, type: 'AES-256-GCM' },
    ])
    expect(JSON.parse(folder.read('keys')).primaryKeyId).toBe(16)
  })

  test('a file of Notepad, with the mark of UTF-8', async () => {
    const { folder } = await withKeyset()
    write(folder, 'marked', `\ufeff${folder.read('keys')}`)
    await folder.succeed(['keyset', 'add', 'marked'])
    expect(keysIn(folder, 'marked')).toHaveLength(2)
  })

  // A service may read its keyset by the group of the file.
  test.skipIf(WINDOWS)('a file keeps its mode, owner and group', async () => {
    const { folder } = await withKeyset()
    chmodSync(folder.in('keys'), 0o640)
    const { uid, gid } = lstatSync(folder.in('keys'))
    await folder.succeed(['keyset', 'add', 'keys'])
    expect(lstatSync(folder.in('keys'))).toMatchObject({ uid, gid, mode: 0o100640 })
  })

  test.skipIf(WINDOWS).each(['uid', 'gid'])('a file whose %s it cannot keep stays as it is', async which => {
    const { folder } = await withKeyset()
    const before = folder.read('keys')
    const other = `const stat = fs.lstatSync; fs.lstatSync = (...args) => {
      const found = stat(...args)
      if (args[0] === 'keys') found.${which}++
      return found }
      fs.fchownSync = () => { throw Object.assign(new Error('planted'), { code: 'EPERM', syscall: 'fchown' }) }`
    const { status, stderr } = folder.start(['keyset', 'add', 'keys', '--json'], { before: other })
    expect([status, JSON.parse(stderr).error]).toEqual([
      1,
      {
        code: 'EPERM',
        message: 'keys: belongs to another user or group: only they can change it',
        files: ['keys'],
      },
    ])
    expect([folder.names, folder.read('keys')]).toEqual([['keys'], before])
  })
})

describe('list', () => {
  test('a table of the keys, in aligned columns', async () => {
    const { folder, id } = await withKeyset()
    const added = (await folder.succeed(['keyset', 'add', 'keys', '--type', 'AES-128-GCM-SIV'])).trim()
    await folder.succeed(['keyset', 'disable', 'keys', '--id', added])
    const [first, second] = keysIn(folder)
    const rows = (await folder.succeed(['keyset', 'list', 'keys'])).trimEnd().split('\n')
    const cells = rows.map(row => row.split(/ {2,}/))
    for (const [heading, ...values] of [
      ['type', 'AES-256-GCM', 'AES-128-GCM-SIV'],
      ['prefix', 'tink', 'tink'],
    ] as const)
      expect(values.map((value, i) => rows[i + 1]?.indexOf(` ${value} `))).toEqual(
        values.map(() => rows[0]?.indexOf(` ${heading} `)),
      )
    const hex = (one: string) => Number(one).toString(16).padStart(8, '0')
    expect(cells).toEqual([
      ['id', 'hex', 'type', 'status', 'primary', 'prefix', 'text begins'],
      [id, hex(id), 'AES-256-GCM', 'enabled', 'primary', 'tink', first?.textPrefix],
      [added, hex(added), 'AES-128-GCM-SIV', 'disabled', 'tink', second?.textPrefix],
    ])
  })

  test('--json has the facts of the keyring; from standard input too', async () => {
    const { folder } = await withKeyset()
    await folder.succeed(['keyset', 'add', 'keys'])
    const keys = keysIn(folder).map(({ messagesEncrypted, messagesDecrypted, ...facts }) => facts)
    expect(JSON.parse(await folder.succeed(['keyset', 'list', 'keys', '--json']))).toEqual({
      file: 'keys',
      keys,
    })
    const piped = await folder.succeed(['keyset', 'list', '-', '--json'], { input: folder.read('keys') })
    expect(JSON.parse(piped)).toEqual({ file: 'standard input', keys })
  })

  test('a key without a prefix, and keys that are not in use', async () => {
    const folder = new Folder()
    const raw = new Keyring(
      [
        { id: 2, key: Buffer.alloc(32, 8), prefix: 'raw' },
        { id: 1, key: Buffer.alloc(32, 7) },
      ],
      { primary: 1 },
    )
    const keyset = JSON.parse(raw.export())
    keyset.key.push({ status: 'DESTROYED', keyId: 3, outputPrefixType: 'TINK' })
    write(folder, 'keys', JSON.stringify(keyset))
    const [, , second, third] = (await folder.succeed(['keyset', 'list', 'keys'])).split('\n')
    expect(second).toMatch(/^2 +00000002 +AES-256-GCM +enabled +raw +-$/)
    expect(third).toMatch(/^3 +00000003 +unknown +destroyed +tink +-$/)
    for (const action of ['promote', 'enable', 'disable']) {
      expect(await folder.fail(1, ['keyset', action, 'keys', '--id', '3'])).toBe(
        'keys: key 3 is destroyed, or has a type that hardware-aes-gcm does not support',
      )
    }
    await folder.succeed(['keyset', 'delete', 'keys', '--id', '3'])
    expect(keysIn(folder).map(({ id }) => id)).toEqual([1, 2])
  })

  // `.o` of the mode; the group of a file may be that of a service.
  test.skipIf(WINDOWS)('a file that every user can read: a warning', async () => {
    const { folder } = await withKeyset()
    chmodSync(folder.in('keys'), 0o644)
    const warning =
      'keys: every user of this machine can access these keys (mode 0644); run chmod 600 on the file'
    for (const args of [
      ['list', 'keys'],
      ['add', 'keys'],
    ]) {
      const { status, stdout, stderr } = await folder.run(['keyset', ...args])
      expect([status, stderr]).toEqual([0, `hardware-aes-gcm: warning: ${warning}\n`])
      expect(stdout).not.toBe('')
    }
    for (const action of ['list', 'add'])
      expect(JSON.parse(await folder.succeed(['keyset', action, 'keys', '--json'])).warning).toBe(warning)
    chmodSync(folder.in('keys'), 0o640)
    await folder.succeed(['keyset', 'list', 'keys'])
    // Standard input is no file, though a file may have its name.
    write(folder, '-', '')
    chmodSync(folder.in('-'), 0o644)
    await folder.succeed(['keyset', 'list', '-'], { input: folder.read('keys') })
  })

  test('a file that vanishes while it is listed', async () => {
    const { folder, id } = await withKeyset()
    const before = `const { statSync } = fs; fs.statSync = (...args) => { if (args[0] === 'keys') fs.unlinkSync('keys'); return statSync(...args) }`
    const listed = await folder.succeed(['keyset', 'list', 'keys'], WINDOWS ? {} : { before })
    expect([listed.includes(id), folder.names]).toEqual([true, WINDOWS ? ['keys'] : []])
  })
})

describe('refused', () => {
  test.each<[string[], string]>([
    [[], 'keyset needs an action: new, add, promote, enable, disable, delete, list, public'],
    [
      ['rotate'],
      'an argument of 6 characters is not an action of keyset: new, add, promote, enable, disable, delete, list, public',
    ],
    [['nwe'], "'nwe' is not an action of keyset: new, add, promote, enable, disable, delete, list, public"],
    [['lst'], "'lst' is not an action of keyset: new, add, promote, enable, disable, delete, list, public"],
    [['new'], 'keyset new needs a file'],
    [['new', '-'], 'keyset new needs a file, not standard input'],
    [['add', '-'], 'keyset add needs a file, not standard input'],
    [['add', 'keys', 'more'], 'keyset accepts an action and one file, got 3'],
    [['promote', 'keys'], 'keyset promote needs the id of a key: --id ID'],
    [['delete', 'keys', '--id', '-1'], '--id needs a value: --id ID'],
    [['delete', 'keys', '--id', '4294967296'], '--id must be a whole number from 0 to 4294967295'],
    [['delete', 'keys', '--id', '0x7'], '--id must be a whole number from 0 to 4294967295'],
    [['add', 'keys', '--id', '7'], '--id applies to promote, enable, disable, delete only'],
    [['list', 'keys', '--id', '7'], '--id applies to promote, enable, disable, delete only'],
    [['add', 'keys', '--force'], '--force applies to new and public only'],
    [['delete', 'keys', '--id', '7', '--force'], '--force applies to new and public only'],
    [['list', 'keys', '--type', 'AES-256-GCM'], '--type applies to new and add only'],
    [
      ['new', 'other', '--type', 'AES-192-GCM'],
      '--type must be AES-256-GCM or AES-128-GCM or XAES-256-GCM or AES-256-GCM-SIV or AES-128-GCM-SIV',
    ],
    // Before the file is read, or found to exist already.
    ...['add none', 'new keys'].map((args): [string[], string] => [
      [...args.split(' '), '--type', 'AES'],
      '--type must be AES-256-GCM or AES-128-GCM or XAES-256-GCM or AES-256-GCM-SIV or AES-128-GCM-SIV',
    ]),
    [['new', 'other', '--typ', 'AES-256-GCM'], '--typ is not an option of keyset; did you mean --type?'],
  ])('%j', async (args, message) => {
    const { folder } = await withKeyset()
    const before = folder.read('keys')
    expect(await folder.fail(2, ['keyset', ...args])).toBe(`${message} (see hardware-aes-gcm keyset --help)`)
    expect([folder.names, folder.read('keys')]).toEqual([['keys'], before])
  })

  test('a key as an argument', async () => {
    const { folder } = await withKeyset()
    const key = 'ab'.repeat(32)
    expect(await folder.fail(1, ['keyset', 'add', key])).toBe(unnamed('argument 2', key))
  })

  test('the primary key is neither disabled nor deleted; an id that no key has; a disabled key is not promoted', async () => {
    const { folder, id } = await withKeyset()
    const added = (await folder.succeed(['keyset', 'add', 'keys'])).trim()
    await folder.succeed(['keyset', 'disable', 'keys', '--id', added])
    const before = folder.read('keys')
    for (const action of ['disable', 'delete']) {
      const message = `keys: key ${id} is the primary key: promote another key first`
      expect(await folder.fail(1, ['keyset', action, 'keys', '--id', id])).toBe(message)
    }
    for (const action of ['promote', 'enable', 'disable', 'delete']) {
      const message = 'keys: has no key with the id 7: see hardware-aes-gcm keyset list'
      expect(await folder.fail(1, ['keyset', action, 'keys', '--id', '7'])).toBe(message)
    }
    expect(await folder.fail(1, ['keyset', 'promote', 'keys', '--id', added])).toBe(
      `keys: key ${added} is disabled: enable it first`,
    )
    expect([folder.names, folder.read('keys')]).toEqual([['keys'], before])
  })

  test('a name that is taken by another kind of thing, or by nothing', async () => {
    const { folder } = await withKeyset()
    mkdirSync(folder.in('folder'))
    for (const args of [
      ['add', 'none'],
      ['list', 'none'],
    ]) {
      expect(await folder.fail(1, ['keyset', ...args])).toBe(unnamed('argument 2', 'none'))
    }
    expect(await folder.fail(1, ['keyset', 'add', 'folder'])).toBe('folder: is a folder, not a file')
    expect(await folder.fail(1, ['keyset', 'new', 'none/keys'])).toBe(
      unnamed('argument 2', 'none/keys', 'its folder does not exist'),
    )
    expect(folder.names).toEqual(['folder', 'keys'])
  })

  test.skipIf(WINDOWS)('a symbolic link is not replaced, also with --force, but listed', async () => {
    const { folder } = await withKeyset()
    symlinkSync('keys', folder.in('link'))
    const before = folder.read('keys')
    const message = 'link: is a symbolic link, which is not followed'
    expect(await folder.fail(1, ['keyset', 'add', 'link'])).toBe(message)
    expect(await folder.fail(1, ['keyset', 'new', 'link', '--force'])).toBe(message)
    expect(await folder.fail(1, ['keyset', 'new', '/dev/null', '--force'])).toBe(
      '/dev/null: is a device, pipe or socket, not a file',
    )
    await folder.succeed(['keyset', 'list', 'link'])
    expect([folder.names, folder.read('keys')]).toEqual([['keys', 'link'], before])
  })

  test('a disk that is full, a folder that cannot be written: the file stays, and no other one', async () => {
    const { folder } = await withKeyset()
    const before = folder.read('keys')
    const fails = (code: string, syscall: string) =>
      `throw Object.assign(new Error('planted'), { code: '${code}', syscall: '${syscall}' })`
    const full = `fs.writeSync = () => { ${fails('ENOSPC', 'write')} }`
    expect(await folder.fail(1, ['keyset', 'add', 'keys'], { before: full })).toBe(
      'keys: no space is left on the device',
    )
    const closed = `const { openSync } = fs; fs.openSync = (path, ...rest) => {
      if (String(path).endsWith('.part')) ${fails('EACCES', 'open')}
      return openSync(path, ...rest)
    }`
    expect(await folder.fail(1, ['keyset', 'add', 'keys'], { before: closed })).toBe(
      'keys: permission denied',
    )
    expect([folder.names, folder.read('keys')]).toEqual([['keys'], before])
  })
})
