#!/usr/bin/env node
// The command `hardware-aes-gcm` as a process: its arguments, streams and exit code.
import { main } from './program.cjs'

// Without a listener, a closed pipe would end the process with a stack trace. `print` sees the
// error.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

main(process.argv.slice(2), process).then(exitCode => {
  process.exitCode = exitCode
})
