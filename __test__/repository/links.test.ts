// Tests the documents as texts: the README is short, and every link and every name of a file leads somewhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

test('the README has at most 150 lines', () => {
  expect(read('README.md').split('\n').length - 1).toBeLessThanOrEqual(150)
})

/** The anchors that GitHub makes of a document's headings. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  )

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'bench/record/README.md',
].concat(
  (readdirSync(join(ROOT, 'docs'), { recursive: true }) as string[])
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`),
)

/** The links of a document that lead nowhere. */
function broken(file: string, text: string): string[] {
  const links = [...text.replaceAll(/```.*?```/gs, '').matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, link]) => link as string,
  )
  return links.filter(link => {
    if (/^[a-z]+:/.test(link)) return false
    const [path, anchor] = link.split('#') as [string, string | undefined]
    const target = path === '' ? file : join(dirname(file), path)
    if (!existsSync(join(ROOT, target))) return true
    return anchor !== undefined && !anchorsOf(read(target)).includes(anchor)
  })
}

test.each(documents)('the links of %s lead somewhere', file => {
  expect(broken(file, read(file))).toEqual([])
})

/** The files of this repository that a document names, and that are not there. NAME stands for one to come. */
const missing = (text: string) =>
  [...text.matchAll(/(?<![\w./-])(?:src|lib|tests|checks|scripts|__test__)\/[\w./-]+\.\w+/g)].filter(
    ([path]) => !path.includes('NAME') && !existsSync(join(ROOT, path)),
  )

test.each(documents)('the files that %s names are there', file => {
  expect(missing(read(file))).toEqual([])
})

test('planted: links to a missing file and to missing headings, and the name of a missing file', () => {
  expect(missing('`src/lanes.rs`, (src/none.rs)').length).toBe(1)
  expect(
    broken('README.md', '[a](docs/none.md) [b](docs/errors.md#none) [c](#none) [d](docs/errors.md)').length,
  ).toBe(3)
})
