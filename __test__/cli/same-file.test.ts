// Which paths and descriptors are one file, by which commands refuse to replace what they read.
import fs, { closeSync, linkSync, openSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Folder, WINDOWS } from './program.js'

const { identityOf, isOne, sameFile } = createRequire(import.meta.url)(
  '../../dist/cipher/files/same-file.cjs',
) as typeof import('../../lib/cipher/files/same-file.cjs')

afterEach(() => void vi.restoreAllMocks())

describe('two paths', () => {
  test('one name in several spellings, whether or not there is a file', () => {
    const folder = new Folder()
    const path = folder.in('name')
    const spellings = [relative('', path), `${folder.in('other')}/../name`, `${folder.in('.')}/./name`]
    for (const spelling of spellings)
      expect([sameFile(path, spelling), sameFile(spelling, path)]).toEqual([true, true])
    folder.write('name', '')
    for (const spelling of spellings) expect(sameFile(path, spelling)).toBe(true)
  })

  test('hard links and symbolic links to one file', () => {
    const folder = new Folder()
    folder.write('name', 'text')
    linkSync(folder.in('name'), folder.in('linked'))
    expect(sameFile(folder.in('name'), folder.in('linked'))).toBe(true)
    if (WINDOWS) return
    symlinkSync('name', folder.in('link'))
    expect(sameFile(folder.in('link'), folder.in('linked'))).toBe(true)
  })

  test('two files, a file and a free name, and two free names', () => {
    const folder = new Folder()
    folder.write('one', 'text')
    folder.write('two', 'text')
    for (const [one, two] of [
      ['one', 'two'],
      ['one', 'free'],
      ['free', 'two'],
      ['free', 'another'],
    ] as const)
      expect(sameFile(folder.in(one), folder.in(two))).toBe(false)
  })

  test('names that differ in the case of letters are one on Windows alone', () => {
    const folder = new Folder()
    expect(sameFile(folder.in('name'), folder.in('NAME'))).toBe(WINDOWS)
    expect(sameFile(folder.in('NAME'), folder.in('name'))).toBe(WINDOWS)
  })
})

describe('identities', () => {
  test('of a path and of its descriptor are one; of what is not there, none', () => {
    const folder = new Folder()
    folder.write('name', 'text')
    const descriptor = openSync(folder.in('name'), 'r')
    const identity = identityOf(descriptor)
    expect(identity).toMatch(/^\d+ \d+$/)
    expect(identityOf(folder.in('name'))).toBe(identity)
    closeSync(descriptor)
    // No system has so many descriptors.
    expect([identityOf(2 ** 31 - 1), identityOf(folder.in('free'))]).toEqual([undefined, undefined])
    expect([isOne(identity, identity), isOne(identity, undefined), isOne(undefined, undefined)]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('differ by device and by the last bit of a number; a file system without numbers has none', () => {
    const numbers = { dev: 1n, ino: 0n }
    const stat = (_: unknown, options?: { bigint?: boolean }) =>
      options?.bigint === true ? numbers : { dev: Number(numbers.dev), ino: Number(numbers.ino) }
    vi.spyOn(fs, 'statSync').mockImplementation(stat as never)
    vi.spyOn(fs, 'fstatSync').mockImplementation(stat as never)
    for (const file of [join('some', 'file'), 7]) {
      const identity = (dev: bigint, ino: bigint) => {
        Object.assign(numbers, { dev, ino })
        return identityOf(file)
      }
      expect(identity(1n, 0n)).toBeUndefined()
      expect(identity(1n, 23n)).not.toBe(identity(2n, 23n))
      expect(identity(1n, 23n)).not.toBe(identity(12n, 3n))
      expect(identity(1n, 2n ** 53n)).not.toBe(identity(1n, 2n ** 53n + 1n))
    }
  })
})
