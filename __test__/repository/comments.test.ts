// Comments of src/ and lib/ have at most 100 columns.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'

/** The lines of a source that are comments and too long. */
const long = (source: string) =>
  source.split('\n').filter(line => line.length > 100 && /^\s*(\/\/|\/?\*)/.test(line))

test.each(['lib', 'src'])('no comment of %s is longer', folder => {
  const files = (readdirSync(join(ROOT, folder), { recursive: true }) as string[]).filter(name =>
    /\.(rs|[cm]ts)$/.test(name),
  )
  expect(files.length).toBeGreaterThan(50)
  const found = files.flatMap(file =>
    long(readFileSync(join(ROOT, folder, file), 'utf8')).map(line => `${folder}/${file}: ${line}`),
  )
  expect(found).toStrictEqual([])
})

test('a planted one is found', () => {
  const [comment, code] = [` * ${'x'.repeat(98)}`, `const x = '${'x'.repeat(98)}'`]
  expect(long(`${comment.slice(1)}\n${comment}\n${code}`)).toStrictEqual([comment])
})
