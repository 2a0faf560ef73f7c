// Keys and shares in the arguments of the command line, and names that only look like them.
import { describe, expect, test } from 'vitest'
import { Folder } from './cli/program.js'

describe('secrets in arguments are refused, and not repeated', () => {
  const hex = '0f'.repeat(32)
  const share = `AGS1-${'ABCDE-'.repeat(28)}`
  test.each([
    [[hex]],
    [['split', hex.toUpperCase(), '-t2', '-n3']],
    [['split', hex.slice(32), '-t2', '-n3']],
    [['split', `0x${hex}`, '-t2', '-n3']],
    [['split', Buffer.from(hex, 'hex').toString('base64'), '-t2', '-n3']],
    [['split', Buffer.from(hex.slice(32), 'hex').toString('base64url').concat('=='), '-t2', '-n3']],
    [['split', '--seal', hex]],
    [['encrypt', 'a', '--key', hex]],
    [['encrypt', 'a', '--key-env', hex]],
    [['keygen', '--out', hex]],
    [['keygen', '--bits', hex]],
    [['combine', 'a', share]],
    [['combine', share.toLowerCase().slice(0, -1)]],
    [['combine', `1|${hex}`, `2|${hex}`]],
    [['combine', `${hex}|${hex}`]],
    // Shares without hyphens, and values behind hyphens or among white space, were repeated in the message.
    [['combine', share.replaceAll('-', '')]],
    [[share.replaceAll('-', '').toLowerCase()]],
    [['help', share.replaceAll('-', '')]],
    [['combine', `--${share}`]],
    // The prefix with a letter in place of 1, and digits in place of letters.
    [['combine', share.replace('1', 'I')]],
    [['combine', share.replace('1', 'l').replaceAll('B', '8')]],
    [['combine', share.replaceAll('-', '').replaceAll('B', '8')]],
    [[`--${share}`]],
    [['split', `--${hex}`]],
    [['split', `${hex}\n`, '-t2', '-n3']],
    // checks/fuzz found that a key behind a sign was repeated, where a command or a file is due.
    [[`--key=${hex}`]],
    [[`--shares=${share}`, 'combine']],
    [['split', `key=${hex}`, '-t2', '-n3']],
    [['help', `key=${Buffer.from(hex, 'hex').toString('base64')}`]],
    // A key in base64url that begins with a hyphen was repeated.
    [['encrypt', 'a', `--key=-${Buffer.from('0f'.repeat(32), 'hex').toString('base64url').slice(1)}=`]],
    // checks/fuzz found that a key among other characters was repeated.
    [[`${hex}${hex}`]],
    [['split', `x${hex}.key`, '-t2', '-n3']],
    [['combine', `(${share})`]],
    [['split', `backup-${hex}`, '-t2', '-n3']],
    [['split', ` ${hex.slice(32)} `, '-t2', '-n3']],
    [[`--${hex.slice(32)}`]],
    [['split', `${Buffer.from('00fb'.repeat(16), 'hex').toString('base64url')}=`]],
    [['combine', `my share: ${share}`]],
    [['combine', `my share: ${share.replaceAll('-', ' ')}`]],
    // Parts of shares.
    [['combine', 'AGS1-ABCDE-ABCDE']],
    [['combine', 'AGS1 ABCDE ABCDE']],
    [['combine', '12|0f0f0f0f0f0f']],
    // Behind a sign, also where a path is in front of it.
    [['split', `https://a.test/?key=${hex}`, '-t2', '-n3']],
    [['combine', `a/b=${hex}|${hex}`]],
    [['combine', `a/b=${share.replace('1', 'I')}`]],
    [['combine', `a/b=${share.replace('1', 'I').replaceAll('-', ' ')}`]],
    [['combine', `a/b=${share.replace('1', 'I').replaceAll('-', '')}`]],
  ])('%j', async args => {
    const folder = new Folder()
    const line = await folder.fail(2, args)
    expect(line).toMatch(/looks like a key or a share; other users can see arguments/)
    expect(line.toLowerCase()).not.toContain('0f0f')
    expect(line).not.toContain('ABCDE')
    expect(folder.names).toEqual([])
  })

  test.each([
    `${hex.slice(32)}.bin`,
    `${hex}/data`,
    `./${share}`,
    `my ${share}/data`,
    'my-ags1-notes.txt',
    'ags12.txt',
    'agslog.txt',
    `${'n'.repeat(44)}=`,
    `${'n'.repeat(43)}=1`,
    '1|a',
    'n12|0f0f0f0f0f0f',
  ])('the name %s is no secret', async name => {
    expect(await new Folder().fail(2, ['split', name])).toMatch(/^tell how many shares/)
  })

  test('a file with such a name is taken by its path', async () => {
    const folder = new Folder()
    folder.write(hex, hex)
    expect((await folder.succeed(['split', `./${hex}`, '-t2', '-n3'])).split('\n')).toHaveLength(4)
  })
})
