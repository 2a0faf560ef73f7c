// Secrets in the arguments of the command line. What is no word of ours and names no file may be one, in whatever form, and is not
// repeated: once there was a list of forms, and keysets, keys in unpadded base64url, `id:key` and names of variables were not in it.
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Folder, unnamed, WINDOWS } from './program.js'

const KEY = Buffer.from('0f1e2d3c4b5a69788796a5b4c3d2e1f000112233445566778899aabbccddeeff', 'hex')
const hex = KEY.toString('hex')
const share = `AGS1-${'ABCDE-'.repeat(28)}`

/** Secrets, and texts of which a secret is a part. */
const SECRETS: Record<string, string> = {
  'a key in hex': hex,
  'in capitals': hex.toUpperCase(),
  'of 16 bytes': hex.slice(32),
  'with 0x': `0x${hex}`,
  'in base64': KEY.toString('base64'),
  'in base64 without padding': KEY.toString('base64').slice(0, -1),
  'in base64url': KEY.toString('base64url'),
  'in base64url, of 16 bytes': KEY.subarray(16).toString('base64url'),
  'in base64url that begins with a hyphen': `-${KEY.toString('base64url').slice(1)}`,
  'behind two hyphens': `--${hex}`,
  'behind a sign': `--key=${hex}`,
  'in a parameter': `key=${hex}`,
  'in a path': `keys/${hex}`,
  'in an address': `https://a.test/?key=${hex}`,
  twice: hex + hex,
  'with white space': ` ${hex}\n`,
  'a line of a keyset': `7:${KEY.toString('base64url')}`,
  'two of them': `7:${hex},8:${hex}`,
  'a keyset': new Keyring([{ id: 7, key: KEY }]).export(),
  "cloak's key": `k1.aesgcm256.${KEY.toString('base64url')}=`,
  'a share': share,
  'in small letters, without hyphens': share.replaceAll('-', '').toLowerCase(),
  'a part of a share': 'AGS1-ABCDE-ABCDE',
  'in a sentence': `mine: ${share}`,
  "horcrux's share": `1|${hex}`,
  "horcrux's random share": `${hex}|${hex}`,
  'a password': 'correct horse battery staple',
  'a short password': 'hunter2!',
  'of other letters': 'Grüße€😀\u001b[2J',
}

/** Where a secret may stand in a command line. The commands have files `a`, `k` and `keys`, which are what their names say. */
const PLACES: Record<string, (secret: string) => string[]> = {
  'as command': secret => [secret],
  'as command with arguments': secret => [secret, 'a'],
  'as topic of the help': secret => ['help', secret],
  'as option': secret => ['split', `--${secret}`],
  'as value of an option that is not known': secret => ['split', `--tresholds=${secret}`],
  'as file of split': secret => ['split', secret, '-t2', '-n3'],
  'as --seal': secret => ['split', '--seal', secret, '-t2', '-n3', '-o', 'new'],
  'as a folder of --out': secret => ['split', 'k', '-t2', '-n3', '-o', `none/${secret}/`],
  'as --threshold': secret => ['split', 'k', `-t${secret}`, '-n3'],
  'as --type': secret => ['split', 'k', '-t2', '-n3', `--type=${secret}`],
  'as file of encrypt': secret => ['encrypt', secret, '--key', 'k', '-o', 'new'],
  'as --key': secret => ['encrypt', 'a', `--key=${secret}`, '-o', 'new'],
  'as -k': secret => ['decrypt', 'a', `-k${secret}`, '-o', 'new'],
  'as --key-env': secret => ['encrypt', 'a', `--key-env=${secret}`, '-o', 'new'],
  'as --range': secret => ['decrypt', 'a', '-k', 'k', `--range=${secret}`],
  'as range that ends early': secret => ['decrypt', secret, '-k', 'k', '--range', '2-1'],
  'as file with a range': secret => ['decrypt', secret, '-k', 'k', '--range', '1-2'],
  'in a folder that is none': secret => ['keygen', '--out', `a/${secret}`],
  'as --bits': secret => ['keygen', `--bits=${secret}`],
  'as a second file': secret => ['info', secret],
  'as share': secret => ['combine', secret],
  'as several shares': secret => ['combine', 'a', secret, secret],
  'as --open': secret => ['combine', 'a', `--open=${secret}`, '-o', 'new'],
  'as action': secret => ['keyset', secret, 'keys'],
  'as file of an action': secret => ['keyset', 'add', secret],
  'as file to list': secret => ['keyset', 'list', secret],
  'as --id': secret => ['keyset', 'delete', 'keys', `--id=${secret}`],
  'as --keyset of seal': secret => ['seal', `--keyset=${secret}`],
  'as --keyset of open': secret => ['open', `--keyset=${secret}`],
  'as --keyset of inspect': secret => ['inspect', 'a', `--keyset=${secret}`],
  'as text': secret => ['seal', '--keyset=keys', secret],
  'as file to inspect': secret => ['inspect', secret],
}

/** Parts of a text that are long enough to tell something. */
function partsOf(secret: string): string[] {
  return Array.from({ length: secret.length - 5 }, (_, i) => secret.slice(i, i + 6))
}

describe.each(Object.entries(SECRETS))('%s', (_, secret) => {
  test.each(Object.entries(PLACES))('%s', async (_place, argsFor) => {
    const folder = new Folder()
    folder.write('a', 'no share')
    folder.write('k', hex)
    folder.write('keys', new Keyring([{ id: 7, key: KEY }]).export())
    const { names } = folder
    for (const json of [[], ['--json']]) {
      const { status, stdout, stderr } = await folder.run([...argsFor(secret), ...json])
      expect([status === 1 || status === 2, stdout]).toEqual([true, ''])
      const shown = Buffer.from(stderr, 'latin1').toString()
      expect(partsOf(secret).filter(part => shown.includes(part))).toEqual([])
    }
    expect(folder.names).toEqual(names)
  })
})

describe('what is said instead', () => {
  test.each<[string[], string]>([
    [['split', hex, '-t2', '-n3'], unnamed('FILE', hex)],
    [['encrypt', 'a', '--key', hex], unnamed('--key', hex)],
    [['combine', 'a', hex], unnamed('argument 2', hex)],
    [['keygen', '--out', `${hex}/key`], unnamed('--out', `${hex}/key`, 'its folder does not exist')],
    [
      ['inspect', `folder/${hex}`],
      unnamed('FILE', `folder/${hex}`).replace('characters', 'characters in folder'),
    ],
    [
      ['inspect', `folder/none/${hex}`],
      unnamed('FILE', `folder/none/${hex}`).replace('characters', 'characters in folder'),
    ],
    [
      ['split', 'a', '-t2', '-n2', '-o', 'none/new'],
      unnamed('--out...-1-of-2.txt', 'none/new-1-of-2.txt', 'its folder does not exist'),
    ],
  ])('%j', async (args, line) => {
    const folder = new Folder()
    folder.write('a', hex)
    folder.folder('folder')
    expect(await folder.fail(1, args)).toBe(line)
  })

  test.each<[string[], string]>([
    [['inspect', 'backup.tra'], 'backup.tra: does not exist; did you mean backup.tar?'],
    [['inspect', 'folder/backup.tra'], 'folder/backup.tra: does not exist; did you mean backup.tar?'],
    [['inspect', 'backup'], 'backup: does not exist; did you mean backup.tar?'],
    // The beginning of a name, with the hyphen that it has inside.
    [['inspect', 'x-y'], 'x-y: does not exist; did you mean x-y.bundle?'],
    // No more than a half may differ, and nothing is like a letter.
    [['inspect', 'back'], 'back: does not exist; did you mean backup.tar?'],
    [['inspect', 'b'], unnamed('FILE', 'b')],
    [['inspect', 'bb'], unnamed('FILE', 'bb')],
    [['inspect', 'bbcd'], unnamed('FILE', 'bbcd')],
    [['inspect', 'bbcdu'], unnamed('FILE', 'bbcdu')],
  ])('%j: a name that is nearly right', async (args, line) => {
    const folder = new Folder()
    for (const name of ['backup.tar', 'a', 'x-y.bundle']) folder.write(name, '')
    folder.folder('folder')
    folder.write('folder/backup.tar', '')
    expect(await folder.fail(1, args)).toBe(line)
  })

  test('a variable that is nearly named; a new file that is nearly one', async () => {
    const folder = new Folder()
    folder.write('data', '')
    process.env.CLI_SECRETS_KEY = hex
    try {
      const message = await folder.fail(1, ['encrypt', 'data', '--key-env', 'CLI_SECRET_KEY', '-o', 'new'])
      expect(message).toBe(
        '--key-env (a name of 14 characters): no environment variable has this name; did you mean CLI_SECRETS_KEY?',
      )
    } finally {
      delete process.env.CLI_SECRETS_KEY
    }
    const before = `fs.openSync = () => { throw Object.assign(new Error(), { code: 'ENOSPC' }) }`
    expect(await folder.fail(1, ['keygen', '--out', 'data2'], { before })).toBe(
      'data2: no space is left on the device',
    )
  })

  test.each(['password', 'passphrase'])('--%s: no password is a key', async name => {
    for (const command of ['encrypt', 'decrypt', 'split', 'seal']) {
      for (const args of [[`--${name}`, 'hunter2!'], [`--${name}=hunter2!`]]) {
        expect(await new Folder().fail(2, [command, 'a', ...args])).toBe(
          `there is no --${name}: a password is not a key; keygen --passphrase creates a key protected by one, and --key FILE then asks for it ` +
            `(see hardware-aes-gcm ${command} --help)`,
        )
      }
    }
  })
})

describe('names that look like secrets', () => {
  const isTaken = async (name: string) => {
    const folder = new Folder()
    folder.write(name, hex)
    expect((await folder.succeed(['split', name, '-t2', '-n3'])).split('\n')).toHaveLength(4)
    folder.write(name, 'no key')
    expect(await folder.fail(1, ['split', name, '-t2', '-n3'])).toMatch(`${name}: must contain a key`)
  }
  const title = 'the file %s is taken, and named'
  test.each([hex, `${hex}.bin`, share, KEY.toString('base64url')])(title, isTaken)
  test.skipIf(WINDOWS).each(['7:key', '1|a'])(title, isTaken)
})
