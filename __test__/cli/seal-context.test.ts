// `--context` of seal and open: values that were bound by context(...) of the library could not be opened by the command.
import { context, Keyring } from 'hardware-aes-gcm/keyring'
import { expect, test } from 'vitest'
import { Folder } from './program.js'

const keyring = new Keyring([{ id: 7, key: Buffer.alloc(32, 7) }])
const OPTIONS = ['--keyset', 'keys']

function withKeyset(): Folder {
  const folder = new Folder()
  folder.write('keys', keyring.export())
  return folder
}

test.each<[string, string[], (string | number | bigint)[]]>([
  ['a number is its digits', ['users', 'email', '17'], ['users', 'email', 17]],
  ['as a bigint', ['users', 'email', '17'], ['users', 'email', 17n]],
  ['a text of digits', ['users', 'email', '17'], ['users', 'email', '17']],
  ['zeros in front are text', ['users', '017'], ['users', '017']],
  ['one part', ['cookie'], ['cookie']],
  ['spaces and other letters', ['my users', 'Grüße 😀'], ['my users', 'Grüße 😀']],
  ['the words of options and files', ['keys', 'open', 'help'], ['keys', 'open', 'help']],
])('%s', async (_, words, parts) => {
  const folder = withKeyset()
  const input = keyring.sealText('secret', context(...parts))
  const args = [...OPTIONS, '--context', ...words]
  expect(await folder.succeed(['open', ...args], { input })).toBe('secret\n')
  const sealed = await folder.succeed(['seal', ...args], { input: 'back' })
  expect(keyring.openText(sealed.trimEnd(), context(...parts))).toBe('back')
})

test('the parts end with the next option, and go on where --context is given again', async () => {
  const folder = withKeyset()
  const input = keyring.sealText('secret', context('users', -17, '--json'))
  for (const args of [
    ['--context', 'users', '--context=-17', '--context=--json', ...OPTIONS],
    ['--context=users', ...OPTIONS, '--context=-17', '--context=--json'],
  ])
    expect(await folder.succeed(['open', ...args], { input })).toBe('secret\n')
  const { text } = JSON.parse(
    await folder.succeed(
      ['open', '--context', 'users', '--context=-17', '--context=--json', '--json', ...OPTIONS],
      { input },
    ),
  )
  expect(text).toBe('secret')
})

test('another number of parts, another place, or --aad, does not open', async () => {
  const folder = withKeyset()
  const input = keyring.sealText('secret', context('users', 'email', 17))
  const failed =
    'standard input: cannot be decrypted: the key, --aad or --context is wrong, or the text was modified'
  for (const args of [
    ['--context', 'users', 'email', '18'],
    ['--context', 'users', 'email'],
    ['--context', 'users', 'email17'],
    ['--context', 'email', 'users', '17'],
    ['--aad', 'users'],
    [],
  ])
    expect(await folder.fail(1, ['open', ...OPTIONS, ...args], { input })).toBe(failed)
})

test.each<[string[], RegExp]>([
  [['--context', 'a', '--aad', 'b'], /^--aad cannot be combined with --context \(/],
  [['--context'], /^--context needs a value: --context PART\.\.\. \(/],
  [['--context='], /^--context needs a value/],
  [['--context', '--json'], /^--context needs a value/],
  [
    ['--context', 'users', '-17'],
    /^-1 is not an option of \w+; pass a value that begins with a hyphen as --context=VALUE \(/,
  ],
  // An unset variable of a shell would bind the text to less than was meant.
  [['--context', 'users', '', '17'], /^a value of --context is empty \(/],
  [['--context', 'users', '--json', 'email'], /accepts no files, got 1 \(/],
  [['--context', 'users', '--', 'email'], /accepts no files, got 1 \(/],
])('refused: %j', async (args, message) => {
  for (const command of ['seal', 'open'])
    expect(await withKeyset().fail(2, [command, ...OPTIONS, ...args])).toMatch(message)
})

test('1000 parts at most, as in the library', async () => {
  const args = [...OPTIONS, '--context', ...Array(1001).fill('a')]
  expect(await withKeyset().fail(1, ['seal', ...args])).toBe('"parts" must have 1 to 1000 parts, got 1001')
})

test('encrypt and decrypt take one text, as they did', async () => {
  const folder = withKeyset()
  folder.write('key', 'ab'.repeat(32))
  expect(await folder.fail(2, ['encrypt', 'keys', '-k', 'key', '-c', 'a', '-c', 'b'])).toMatch(
    /^-c is given twice \(/,
  )
  expect(await folder.fail(2, ['encrypt', 'keys', '-k', 'key', '-c', 'a', 'b'])).toMatch(
    /^encrypt accepts one file, got 2/,
  )
})
