// What the examples of docs/guide/cookies.md print, and what holds after them. checks/cookies runs those of other packages.
import type { Run } from './examples.js'

/** The declaration alone. */
export const SESSION: Run = { prints: '' }

/** A visit, and one that returns its cookie. */
export const ROUTE: Run = {
  after: `
    const first = GET(new Request('https://example.org'))
    const cookie = first.headers.getSetCookie()[0].split(';')[0]
    const second = GET(new Request('https://example.org', { headers: { cookie } }))
    console.log(await first.text(), await second.text(), cookie.split('=')[0])`,
  prints: '{"visits":1} {"visits":2} __Host-session\n',
}

/** The same over HTTP. */
export const HTTP: Run = {
  after: `
    const { port } = server.address()
    const first = await fetch('http://localhost:' + port)
    const cookie = first.headers.getSetCookie()[0].split(';')[0]
    const second = await fetch('http://localhost:' + port, { headers: { cookie } })
    console.log(await first.text(), await second.text())
    server.closeAllConnections()
    server.close()`,
  prints: '{"visits":1} {"visits":2}\n',
}

/** Two events of a gateway, version 2. */
export const LAMBDA: Run = {
  after: `
    const first = await handler({ headers: {} })
    const second = await handler({ headers: {}, cookies: ['a=b', first.cookies[0].split(';')[0]] })
    console.log(first.body, second.body)`,
  prints: '{"visits":1} {"visits":2}\n',
}

/** A cookie under another secret. */
export const OLD_COOKIES: Run = { prints: 'null\n' }
