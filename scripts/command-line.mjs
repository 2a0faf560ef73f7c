// Reads the arguments of the scripts, checks and benchmarks of this repository; refuses what a program does not take.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { argv, env, exit } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/**
 * The arguments `args` of the program `script`, which is the URL of its file: `flags`, an object that has a boolean for each flag,
 * `numbers`, an object that has a whole number above 0 for each such option that was given, and `operands`, a list of the others.
 * `flags` lists the names of the flags, `numbers` those of the options that take a number, `operands` gives the least and the
 * largest number of operands, and `among` the operands that there are, if they are known. Errors call the program `title`.
 *
 * `--help` prints the comment at the top of the file and ends the process. A wrong argument ends the process with one sentence
 * and exit code 2, and a missing one with the comment too. So call this before a program installs, builds or writes anything.
 */
export function commandLine(
  script,
  { flags = [], numbers = [], operands: [least, most] = [0, 0], among, title } = {},
  args = argv.slice(2),
) {
  const file = fileURLToPath(script)
  const refuse = reason => {
    console.error(`${reason}: --help tells what ${title ?? basename(file)} takes.`)
    exit(2)
  }
  const options = Object.fromEntries([
    ...flags.map(flag => [flag, { type: 'boolean' }]),
    ...numbers.map(name => [name, { type: 'string' }]),
  ])
  let parsed
  try {
    parsed = parseArgs({
      args,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
  } catch (error) {
    refuse(error.message.split('. ')[0])
  }
  const { values, positionals } = parsed
  if (values.help) {
    console.log(comment(file))
    exit()
  }
  // `npm run bench --quick` gives the flag to npm, and npm gives it to the script as a variable only.
  const taken = [...flags, ...numbers].find(
    flag => env[`npm_config_${flag.replaceAll('-', '_')}`] !== undefined,
  )
  if (taken !== undefined) refuse(`npm took --${taken} for itself, write -- before it`)
  const wrong = numbers.find(name => values[name] !== undefined && !/^[1-9]\d{0,14}$/.test(values[name]))
  if (wrong !== undefined) refuse(`--${wrong} must be a whole number above 0, got '${values[wrong]}'`)
  if (positionals.length < least) {
    console.error(`An argument is missing.\n\n${comment(file)}`)
    exit(2)
  }
  if (positionals.length > most) refuse(`One argument too many, '${positionals[most]}'`)
  const unknown = among && positionals.find(operand => !among.includes(operand))
  if (unknown !== undefined) refuse(`'${unknown}' is not one of ${among.join(', ')}`)
  return {
    flags: Object.fromEntries(flags.map(flag => [flag, values[flag] ?? false])),
    numbers: Object.fromEntries(
      numbers.filter(name => values[name] !== undefined).map(name => [name, Number(values[name])]),
    ),
    operands: positionals,
  }
}

/** The comment at the top of a program or of a shell script, without its marks. */
function comment(file) {
  const lines = readFileSync(file, 'utf8')
    .replace(/^#!.*\n/, '')
    .split('\n')
  const end = lines.findIndex(line => !/^(\/\/|#(?! shellcheck))/.test(line))
  return lines
    .slice(0, end)
    .map(line => line.replace(/^(\/\/|#) ?/, ''))
    .join('\n')
}
