// Starts a standalone server, asks it as a browser does, and prints its answer: request.mjs SERVER
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { argv, env, exit } from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { sealedCookie } from 'hardware-aes-gcm/cookie'
import { Keyring } from 'hardware-aes-gcm/keyring'

const keyring = Keyring.generate()
const ofOldKey = cookieOf(keyring)
keyring.promote(keyring.add({ key: Buffer.alloc(32, 7) }))

const free = createServer()
await new Promise(resolve => free.listen(0, '127.0.0.1', resolve))
const { port } = free.address()
await new Promise(resolve => free.close(resolve))
// Of the running server, not of its build.
Object.assign(env, { PORT: `${port}`, HOSTNAME: '127.0.0.1', SESSION_KEYSET: keyring.export() })
await import(pathToFileURL(argv[2]).href)

let answer
while (answer === undefined) {
  answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => setTimeout(50))
}
const text = await answer.text()
if (!answer.ok) throw new Error(`status ${answer.status}: ${text}`)

// A route handler counts visits.
let cookie = ''
for (let visits = 1; visits <= 3; visits++) {
  const { status, body, set } = await ask('visits', cookie)
  assert.deepEqual([status, body], [200, { visits }])
  cookie = set
}

// A proxy lets sessions through, and renews them.
const away = [307, '/visits', undefined]
assert.deepEqual(await outcome(''), away)
assert.deepEqual(await outcome(cookie), [200, { visits: 3 }, undefined])
assert.deepEqual(await outcome(cookie.replace(/.$/, last => (last === 'A' ? 'Q' : 'A'))), away)
assert.deepEqual(await outcome(cookieOf(Keyring.generate())), away)
const { status, body, set } = await ask('members', ofOldKey)
assert.deepEqual([status, body], [200, { visits: 9 }])
assert.notEqual(set, ofOldKey)
assert.deepEqual(await outcome(set), [200, { visits: 9 }, undefined])

console.log(text)
exit()

async function ask(path, cookie) {
  const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
    headers: { cookie },
    redirect: 'manual',
  })
  const location = response.headers.get('location')
  const body = location === null ? await response.json() : new URL(location, 'http://localhost').pathname
  return { status: response.status, body, set: response.headers.getSetCookie()[0]?.split(';')[0] }
}

async function outcome(cookie) {
  return Object.values(await ask('members', cookie))
}

/** A cookie as the server writes it. */
function cookieOf(keyring) {
  const headers = new Headers()
  sealedCookie('session', { keyring, maxAge: 60 }).write(headers, { visits: 9 })
  return headers.getSetCookie()[0].split(';')[0]
}
