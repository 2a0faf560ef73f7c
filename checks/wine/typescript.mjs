// Judges a run of vitest in Wine: typescript.mjs [--ciphers] [--programs] NAMES REPORT..., where NAMES is what `vitest list --json` says
// on Linux. --ciphers, --programs: the run has this half alone (halves.mjs).
//
// Every test of that list must have passed, or be skipped for a reason that stands here; __test__/register.mjs has the reasons of whole
// files. So a test that is compiled out, or a file that does not run, does not count as passed.
import { readFileSync } from 'node:fs'
import { leftOut } from '../../__test__/register.mjs'
import { commandLine } from '../../scripts/command-line.mjs'
import { stop } from '../../scripts/tools.mjs'
import { filesOf } from './halves.mjs'

/** The tests that are skipped on Windows: a file, the beginnings of names, and the reason. */
const SKIPPED = [
  ['aead/arena.test.ts', ['locking > '], "compares with Linux' count of locked memory, under its limit"],
  ['cli/info.test.ts', ['a limit '], 'Linux alone tells it'],
  ['cli/frame.test.ts', ['failures > standard output that is full'], 'Windows has no device that is full'],
  ['cli/shares-wrong.test.ts', ['sealed files > a taken name, and'], 'Windows has no device that is full'],
  ['cli/cleanup.test.ts', ['every file is closed'], 'Windows numbers open files in another way'],
  [
    'cli/encrypt.test.ts',
    ['files that cannot be read or written > standard input by another name'],
    'Windows has no /dev/stdin',
  ],
  [
    'cli/encrypt.test.ts',
    [
      'files that cannot be read or written > standard input is not replaced',
      'files that cannot be read or written > standard output is not the file',
      'files that cannot be read or written > a source that became shorter',
    ],
    'Windows has no POSIX shell that could give a file as a standard stream',
  ],
  ['cli/faults.test.ts', ['new files > --force replaces no symbolic link'], 'Wine 8 makes no symbolic links'],
  ['cli/faults.test.ts', ['new files > of a process that is killed'], 'Windows has no signals'],
  [
    'cli/faults.test.ts',
    [
      'the file of a keyset > a last step that fails',
      'a file is on the disk and closed before it has its name',
    ],
    'on Windows, a file that another program has open is tried again, and folders are not flushed',
  ],
  [
    'cli/faults.test.ts',
    ['files with long numbers, and files without a number > standard input'],
    'Windows has no /dev/stdin',
  ],
  ['cli/inspect.test.ts', ['inspect > a pipe by its name'], 'Windows has no FIFO in a folder'],
  [
    'cli/keyset.test.ts',
    [
      'the life of a key > a file keeps its mode',
      'the life of a key > a file whose uid',
      'the life of a key > a file whose gid',
      'list > a file that every user',
    ],
    'Windows has neither modes nor owners of files that Node could tell',
  ],
  ['cli/keyset.test.ts', ['refused > a symbolic link is not replaced'], 'Wine 8 makes no symbolic links'],
  [
    'cli/key-programs.test.ts',
    ['what a program may do > a program that the system cannot start'],
    'Windows has no E2BIG, and limits command lines by other numbers',
  ],
  ['cli/keyset-processes.test.ts', ['locks > SIG'], 'Windows has no signals'],
  [
    'cli/terminal.test.ts',
    ['at a real terminal > '],
    'Windows has no pseudo-terminals that Python could open',
  ],
  ['cli/recipients.test.ts', ['X-Wing'], 'the Node of these tests has no ML-KEM'],
  [
    'cli/recipients.test.ts',
    ['a private keyset that every user'],
    'Windows has no modes that Node could tell',
  ],
  ['cli/progress.test.ts', ['is erased by a signal'], 'Windows has no signals'],
  [
    'cli/secrets.test.ts',
    ['names that look like secrets > the file 7:key', 'names that look like secrets > the file 1|a'],
    'names of Windows hold no such characters',
  ],
  ['cli/outputs.test.ts', ['a new file > after umask '], 'Windows has no umask'],
  [
    'cli/outputs.test.ts',
    ['a command that is interrupted > by a signal that was not handled'],
    'Windows has no signals',
  ],
  [
    'cli/outputs.test.ts',
    ['a name that is taken > a symbolic link is not followed '],
    'Wine 8 makes no symbolic links',
  ],
  [
    'documents/documents.test.ts',
    [
      'docs/guide/columns.md > block 2 ',
      'docs/guide/cookies.md > block 3 ',
      'docs/guide/files.md > block 5 ',
      'docs/guide/files.md > block 6 ',
      'the server of ranges ',
    ],
    'fetch does not connect in Wine 8',
  ],
  ['keyring/follow-files.test.ts', ['a pipe without'], 'Windows has no FIFO in a folder'],
  ['keyring/follow-files.test.ts', ['a signal of the user'], 'Windows has no signals'],
  ['keyring/follow-files.test.ts', ['a symbolic link', 'symbolic links'], 'Wine 8 makes no symbolic links'],
  [
    'package/environments.test.ts',
    ['the memory of a thread is unmapped', 'each loading once left'],
    "reads Linux' lists of mappings and pages",
  ],
  ['package/first-use.test.ts', ['a first use beside a worker'], 'Windows has no FIFO in a folder'],
  [
    'package/first-use.test.ts',
    ['a temporary failure at first use is not remembered > EMFILE'],
    'Windows has no limit of descriptors that a shell can lower',
  ],
  [
    'package/immutable.test.ts',
    ['immutable memory, which calls once wrote, is refused > where the runtime has it'],
    'the Node of these tests has no such memory',
  ],
  [
    'package/first-use.test.ts',
    ['a temporary failure at first use is not remembered > ENFILE'],
    'plants errors of /proc, where Linux tells its C library',
  ],
  ['package/first-use.test.ts', ['which C library > '], 'reads ELF files, to tell the C library of Linux'],
  [
    'stream/files.test.ts',
    ['encryptFile > a pipe as source has no size', 'decryptFile > a pipe as source has no size'],
    'Windows has no FIFO in a folder',
  ],
  [
    'stream/files.test.ts',
    ['encryptFile > closes the source', 'decryptFile > closes the source'],
    "reads Linux' list of open files",
  ],
  ['traces/command.test.ts', ['what is typed is gone when Ctrl-C'], 'Windows has no signals'],
]

const { flags, operands } = commandLine(import.meta.url, {
  flags: ['ciphers', 'programs'],
  operands: [2, Number.POSITIVE_INFINITY],
})
const expected = filesOf(Object.keys(flags).filter(half => flags[half]))
const ofOtherHalf = filesOf([]).filter(name => !expected.includes(name))
const [names, ...reports] = operands.map(path => JSON.parse(readFileSync(path, 'utf8')))

/** The path of a test file below __test__. */
const pathOf = file => file.replaceAll('\\', '/').replace(/^.*\/__test__\//, '')

/** A test under the name that it has on every platform. */
const nameOf = (file, name) =>
  `${pathOf(file)}: ${name}`
    .replace(/linux-x64-gnu|win32-x64/, 'PLATFORM')
    .replace(/(linux|win32)-mips/, 'OS-mips')

const outcomes = new Map()
const files = reports.flatMap(({ testResults }) => testResults)
for (const { name: path, assertionResults } of files) {
  for (const { ancestorTitles, title, status } of assertionResults) {
    const name = nameOf(path, [...ancestorTitles, title].join(' > '))
    outcomes.set(name, [...(outcomes.get(name) ?? []), status])
  }
}
const excuses = SKIPPED.filter(([file]) => !ofOtherHalf.includes(file.replace('.test.ts', ''))).flatMap(
  ([file, beginnings, why]) =>
    beginnings.map(beginning => ({ beginning: `${file}: ${beginning}`, why, tests: 0 })),
)
const wrong = []

if (!reports.every(({ success }) => success === true)) wrong.push('vitest says that the run failed')
const ran = new Set(files.map(({ name }) => pathOf(name)))
for (const name of expected) if (!ran.has(`${name}.test.ts`)) wrong.push(`${name}: did not run`)
for (const [name, all] of outcomes) {
  for (const status of all) {
    if (status === 'passed') continue
    const excuse = excuses.find(({ beginning }) => name.startsWith(beginning))
    if (status !== 'skipped' || excuse === undefined) wrong.push(`${name}: ${status}`)
    else excuse.tests++
  }
}
for (const { beginning, tests } of excuses)
  if (tests === 0) wrong.push(`${beginning}: stands in the list of skipped tests, and was not skipped`)
// A name may belong to several tests.
const left = new Map([...outcomes].map(([name, all]) => [name, all.length]))
for (const { file, name } of names) {
  const here = nameOf(file, name)
  const count = left.get(here) ?? 0
  if (count === 0) wrong.push(`${here}: did not run`)
  left.set(here, count - 1)
}

if (wrong.length > 0) stop(wrong.join('\n'))
const all = [...outcomes.values()].flat()
const passed = all.filter(status => status === 'passed').length
console.log(`${ran.size} files, ${all.length} tests: ${passed} passed, ${all.length - passed} skipped:`)
for (const [name, why] of leftOut('windows')) console.log(`  left out: ${name} (${why})`)
for (const { beginning, why, tests } of excuses) console.log(`  ${tests}: ${beginning}… (${why})`)
