// Tests docs/assurance.md as a text: its rows are numbered and whole, and their commands name programs and checks of this repository.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'

const text = readFileSync(join(ROOT, 'docs/assurance.md'), 'utf8')
const rows = [...text.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, number, rest]) => ({
  number: Number(number),
  cells: (rest as string).split(/(?<!\\)\|/).map(cell => cell.trim()),
}))
// checks/ has no types.
const { CHECKS, load } = await import(new URL('../../checks/list.mjs', import.meta.url).href)
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

test('the rows are numbered from 1 on, and no cell is empty', () => {
  expect(rows.length).toBeGreaterThan(15)
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, i) => i + 1))
  for (const { number, cells } of rows) {
    expect(cells, `row ${number}`).toHaveLength(6)
    expect(cells, `row ${number}`).not.toContain('')
  }
})

test.each(rows.map(({ number, cells }) => [number, cells[2] as string]))(
  'the command of row %i names programs that there are',
  (_, cell) => {
    const commands = (cell.match(/^`(.+)`$/)?.[1] ?? '').split(' && ')
    for (const command of commands) {
      const [program, file, name] = command.split(' ')
      if (command.startsWith('npm')) {
        const script = command.match(/^npm (?:run )?(\w+)/)?.[1] as string
        expect(scripts).toHaveProperty(script)
      } else {
        expect(['node', 'bash']).toContain(program)
        expect(existsSync(join(ROOT, file as string)), command).toBe(true)
        if (file === 'checks/run.mjs') expect(Object.keys(CHECKS)).toContain(name)
      }
    }
  },
)

test('a row claims what its check says about itself, and every check has a row, but for examples', async () => {
  const without: string[] = []
  for (const [name, { ci }] of Object.entries<{ ci?: string }>(CHECKS)) {
    const row = rows.find(({ cells }) => new RegExp(`checks/run\\.mjs ${name}[ \`]`).test(cells[2] as string))
    if (row !== undefined) expect(row.cells[0]).toBe((await load(name)).about)
    else if (ci !== 'packages') without.push(name) // `.ci/run dist packages` is the command of a row
  }
  expect(without).toEqual(['cap', 'recipes'])
})
