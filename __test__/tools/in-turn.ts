// Code that runs in one process, one after the other, because the start of a process takes longer than most code of a test.
import { run } from './support.js'

/**
 * Gives what a body returned, all of which one process runs when the first result is asked for. A body may `require`, and each
 * loads the package anew: its first use of the package is the first one. What a body changes in the process stays for the next, as does
 * the addon's own state. A body prints nothing.
 */
export function inTurn(bodies: readonly string[], options: Parameters<typeof run>[1] = {}) {
  const functions = bodies.map(body => `(require => {${body}})`)
  const script = `
    import { createRequire } from 'node:module'
    const require = createRequire(process.cwd() + '/')
    for (const body of [${functions.join()}]) {
      for (const file of Object.keys(require.cache)) delete require.cache[file]
      let line
      try { line = { gives: body(require) } } catch (error) { line = { throws: String(error?.stack) } }
      console.log(JSON.stringify(line))
    }`
  let done: ReturnType<typeof run> | undefined
  return (body: string): unknown => {
    done ??= run(script, options)
    const { status, stdout, stderr } = done
    const lines = stdout.split('\n')
    if (status !== 0 || stderr !== '' || lines.length !== bodies.length + 1)
      throw new Error(`the process ended with ${status}\n${stdout}${stderr}`)
    const at = bodies.indexOf(body)
    if (at < 0) throw new Error('this body is not among those that ran')
    const { gives, throws } = JSON.parse(lines[at] as string)
    if (throws !== undefined) throw new Error(throws)
    return gives
  }
}
