// Starts a standalone server, and prints its answer to a request: request.mjs SERVER
import { createServer } from 'node:net'
import { argv, env, exit } from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const free = createServer()
await new Promise(resolve => free.listen(0, '127.0.0.1', resolve))
const { port } = free.address()
await new Promise(resolve => free.close(resolve))
Object.assign(env, { PORT: `${port}`, HOSTNAME: '127.0.0.1' })
await import(pathToFileURL(argv[2]).href)

let answer
while (answer === undefined) {
  answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => setTimeout(50))
}
const text = await answer.text()
if (!answer.ok) throw new Error(`status ${answer.status}: ${text}`)
console.log(text)
exit()
