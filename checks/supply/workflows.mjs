// The hosted workflows: read by zizmor for attacks and by actionlint for mistakes, and every action pinned to a commit.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pypi } from '../../scripts/pypi.mjs'
import { cache, root, stop } from '../../scripts/tools.mjs'
import { judge, planted } from './lines.mjs'

const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'

/** A workflow with faults: an action by a name that can move, and the title of an issue in a shell's line. */
const FAULTY = `on: issues
jobs:
  a:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v6
      - run: echo \${{ github.event.issue.title }} \${{ matrix.x }}
`

/** The output of a reader, as faults, if it found any. */
function read(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  if (error) stop(`${command} could not be started: ${error.message}`)
  return status === 0 ? [] : [`${command.split('/').at(-1)}:\n${stdout}${stderr}`]
}

function zizmor(files) {
  const program = join(pypi('checks/supply/zizmor.txt'), 'bin', 'zizmor')
  return read(program, ['--offline', '--no-progress', '--no-config', ...files])
}

/** Go builds actionlint from source, into the cache folder; Go's own checksum database vouches for the source. */
function actionlint(files) {
  const folder = join(cache(), 'actionlint-1.7.12')
  mkdirSync(folder, { recursive: true })
  const { error, status } = spawnSync('go', ['install', ACTIONLINT], {
    env: { ...process.env, GOBIN: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (error) stop('actionlint is built with Go: install Go 1.24 or later.')
  if (status !== 0) stop('actionlint could not be built, for the reason above.')
  // Without shellcheck and pyflakes, which may be there or not.
  return read(join(folder, 'actionlint'), ['-shellcheck=', '-pyflakes=', '-no-color', ...files])
}

function unpinned(files) {
  return files.flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(/^\s*(?:- )?uses: (\S+)(.*)$/gm)]
      .filter(([, action, rest]) => !/@[0-9a-f]{40}$/.test(action) || !/^ # v\d+\.\d+\.\d+$/.test(rest))
      .map(([, action]) => `${file}: ${action} is not pinned to a commit with its version beside it`),
  )
}

const readers = { zizmor, actionlint, unpinned }

export function checkWorkflows() {
  const folder = mkdtempSync(join(tmpdir(), 'workflows-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const faulty = join(folder, 'faulty.yml')
  writeFileSync(faulty, FAULTY)
  const wanted = {
    zizmor: 'template-injection',
    actionlint: 'potentially untrusted',
    unpinned: 'checkout@v6',
  }
  for (const [name, reader] of Object.entries(readers)) planted(wanted[name], reader([faulty]))
  const workflows = join(root, '.github', 'workflows')
  const files = readdirSync(workflows).map(name => join(workflows, name))
  return judge(
    `workflows: ${files.length} read by zizmor and actionlint, every action pinned to a commit`,
    Object.values(readers).flatMap(reader => reader(files)),
  )
}
