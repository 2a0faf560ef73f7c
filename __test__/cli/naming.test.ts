// How messages name the file that a failure is about, which may be a secret in the place of a name.
import { mkdirSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { Folder, WINDOWS } from './program.js'

const require = createRequire(import.meta.url)
const { NOT_REPEATED, naming } = require('../../dist/cli/frame/naming.cjs') as {
  NOT_REPEATED: string
  naming(thrown: unknown, call: { placeOf(path: string): string | undefined }): unknown
}
const { Failure } =
  require('../../dist/cli/frame/failure.cjs') as typeof import('../../lib/cli/frame/failure.cjs')

const CALL = { placeOf: (path: string) => (path.includes('placed') ? '--out' : undefined) }
const about = (path: string, code = 'ERR_INPUT') => new Failure(code, 'fails', { about: path, exitCode: 2 })
const named = (thrown: unknown) => {
  const failure = naming(thrown, CALL) as InstanceType<typeof Failure>
  expect(failure).toBeInstanceOf(Failure)
  return failure
}
const hidden = (place: string, path: string, where: string, message = 'fails') =>
  `${place} (a name of ${path.length} characters${where}): ${message}; ${NOT_REPEATED}`

test('errors that name no file stay as they are', () => {
  const system = [{}, { path: 7 }, { code: 'EMFILE' }, { code: 'EMFILE', path: 7 }]
  const others = [...system.map(facts => Object.assign(new Error('x'), facts)), new Failure('ERR_INPUT', 'x')]
  for (const thrown of [undefined, null, 'text', 7, {}, ...others]) expect(naming(thrown, CALL)).toBe(thrown)
  const foreign = Object.assign(new Error('x'), { about: 'name', code: 'ERR_INPUT' })
  expect(naming(foreign, CALL)).toBe(foreign)
})

test('a name that exists is repeated, and so are the standard streams', () => {
  const folder = new Folder()
  folder.write('file', '')
  mkdirSync(folder.in('inside'))
  const paths = [folder.in('file'), folder.in('inside'), 'standard input', 'standard output']
  if (!WINDOWS) {
    symlinkSync('nowhere', folder.in('dangling'))
    paths.push(folder.in('dangling'))
  }
  for (const path of paths)
    expect(named(about(path))).toMatchObject({
      code: 'ERR_INPUT',
      message: `${path}: fails`,
      files: [path],
      exitCode: 2,
    })
  const path = folder.in('file')
  const ofSystem = Object.assign(new Error('x'), { code: 'EACCES', path })
  expect(named(ofSystem)).toMatchObject({
    code: 'EACCES',
    message: `${path}: permission denied`,
    exitCode: 1,
  })
})

test('a name that is nearly one is repeated, with advice if there is no such file', () => {
  const folder = new Folder()
  folder.write('document', '')
  const path = folder.in('documents')
  expect(named(about(path))).toMatchObject({ message: `${path}: fails`, files: [path], exitCode: 2 })
  expect(named(about(path, 'ENOENT'))).toMatchObject({
    code: 'ENOENT',
    message: `${path}: fails; did you mean document?`,
    files: [path],
    exitCode: 2,
  })
  const missing = Object.assign(new Error('x'), { code: 'ENOENT', path })
  expect(named(missing).message).toBe(`${path}: does not exist; did you mean document?`)
})

test('any other name is not repeated, only its place, its length and the folder that exists', () => {
  const folder = new Folder()
  folder.write('document', '')
  const far = folder.in('placed')
  const inside = ` in ${folder.in('.').replace(/[\\/]\.?$/, '')}`
  expect(named(about(far))).toMatchObject({
    code: 'ERR_INPUT',
    message: hidden('--out', far, inside),
    files: [],
    exitCode: 2,
  })
  const missing = Object.assign(new Error('x'), { code: 'ENOENT', path: far })
  expect(named(missing)).toMatchObject({
    code: 'ENOENT',
    message: hidden('--out', far, inside, 'does not exist'),
    exitCode: 1,
  })
  // The name of a missing folder is not repeated, even if a file outside has nearly the last name.
  const nested = folder.in('none/none/documents')
  expect(named(about(nested, 'ENOENT')).message).toBe(hidden('a file', nested, inside))
  // A file in the place of a folder has no names.
  const under = folder.in('document/documents')
  expect(named(about(under)).message).toBe(hidden('a file', under, ` in ${folder.in('document')}`))
  const here = 'placed, with a name unlike all others'
  expect(named(about(here)).message).toBe(hidden('--out', here, ''))
})
