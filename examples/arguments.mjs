// The arguments of the examples in the folders next to this file.
import { parseArgs } from 'node:util'

/**
 * Returns the operands of an example, from `least` to `most` of them. For `--help`, and with exit
 * code 2 for wrong arguments, prints `usage` and ends the process.
 */
export function operands(usage, least = 0, most = least) {
  try {
    const options = { help: { type: 'boolean', short: 'h' } }
    const { values, positionals } = parseArgs({ allowPositionals: true, options })
    if (values.help) {
      console.log(`usage: ${usage}`)
      process.exit()
    }
    if (positionals.length < least) throw new Error('An argument is missing')
    if (positionals.length > most) throw new Error(`One argument too many, '${positionals[most]}'`)
    return positionals
  } catch (error) {
    console.error(`${error.message.split('. ')[0]}\nusage: ${usage}`)
    process.exit(2)
  }
}
