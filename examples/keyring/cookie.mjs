// A web server with sessions in an encrypted cookie: `node cookie.mjs KEYSET [PORT]`, where KEYSET
// is a file from `hardware-aes-gcm keyset new`. GET /login?user=ada sets the cookie, GET / reads it.
// A cookie sealed with an older key is set anew, so no cookie needs that key after one lifetime.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { context, Keyring } from 'hardware-aes-gcm/keyring'
import { operands } from '../arguments.mjs'

const [file, port = '0'] = operands('node cookie.mjs KEYSET [PORT]', 1, 2)
const keyring = Keyring.parse(readFileSync(file, 'utf8'))

const LIFETIME = 3600 // seconds
const ORIGIN = 'http://localhost'
/** A value sealed for another purpose, such as a column, does not open as a cookie. */
const PURPOSE = context('cookie', 'session')

function setSession(response, user) {
  const session = { user, expires: Date.now() + LIFETIME * 1000 } // a browser may keep a cookie for ever, so its content expires
  const value = keyring.sealText(JSON.stringify(session), PURPOSE)
  const attributes = `Max-Age=${LIFETIME}; Path=/; HttpOnly; Secure; SameSite=Lax`
  response.setHeader('Set-Cookie', `__Host-session=${value}; ${attributes}`)
}

/** The session of a request and its cookie's value; null if there is none, or it is forged or expired. */
function sessionOf(request) {
  const [, value] = /(?:^|; )__Host-session=([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
  const text = value === undefined ? null : keyring.tryOpenText(value, PURPOSE)
  const session = text === null ? null : JSON.parse(text)
  return session !== null && session.expires > Date.now() ? { ...session, value } : null
}

const server = createServer((request, response) => {
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  if (!URL.canParse(request.url, ORIGIN)) {
    response.writeHead(400).end()
    return
  }
  const { pathname, searchParams } = new URL(request.url, ORIGIN)
  if (pathname === '/login') {
    setSession(response, searchParams.get('user') ?? 'nobody') // in a real server, after a password check
    response.end('welcome\n')
    return
  }
  const session = sessionOf(request)
  if (session === null) {
    response.writeHead(401).end('log in first\n')
    return
  }
  if (keyring.needsRotation(session.value)) setSession(response, session.user)
  response.end(`hello ${session.user}\n`)
})
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
