// The address of a database: an argument, or a variable of the environment.
//
// A URL may contain a password. No message repeats a URL: it shows the host alone, or the file of
// SQLite.
import type { Call, Option } from '../frame/command.cjs'
import { Failure } from '../frame/failure.cjs'
import { valueOfVariable } from '../secrets/variable.cjs'

export const URL_ENV: Option = {
  value: 'NAME',
  help: 'Read the database URL from the environment variable NAME; a URL with a password must be passed this way',
}

export type Kind = 'postgresql' | 'mysql' | 'sqlite'

export interface Address {
  readonly kind: Kind
  /** The URL of a server, or the path of a file. */
  readonly target: string
  /** How messages name it. */
  readonly shown: string
  /** Texts that no message may contain. */
  readonly secrets: readonly string[]
  /** Parameters of a URL. */
  readonly parameters: URLSearchParams
}

const SCHEMES: Readonly<Record<string, Kind>> = {
  postgres: 'postgresql',
  postgresql: 'postgresql',
  mysql: 'mysql',
  mariadb: 'mysql',
  sqlite: 'sqlite',
  file: 'sqlite',
}

/** A scheme has two letters at least: one letter and a colon are a drive of Windows. */
const SCHEME = /^([a-z][a-z\d+.-]+):/i
/**
 * User and password, host, path and query. The password ends at the last `@`, so one in front of
 * which a password has `/`, `?` or `#` would make a part of the password the host or the path.
 */
const SERVER = /^[a-z]+:\/\/(?:([^/?#]*)@)?([^@/?#]*)(?:\/[^@?#]*)?(?:\?([^@#]*))?$/i
const ENCODE = 'is not a valid URL: in a user name or password, write @ as %40, / as %2F, ? as %3F, # as %23'
/** Parameters that carry a secret. */
const SECRET = /pass|pwd|secret|token/i

/** The database that the command line names. */
export function addressOf(call: Call): Address {
  const [given] = call.files
  const variable = call.text('url-env')
  if (given === undefined && variable === undefined)
    throw call.misuse(`${call.command} needs a database: a URL, an SQLite file, or --url-env NAME`)
  if (given === undefined) {
    const name = variable as string
    const refuse = (what: string) => new Failure('ERR_INPUT', `environment variable ${name}: ${what}`)
    return parsed(valueOfVariable(name, 'url-env'), refuse)
  }
  call.refuse(['url-env'], 'cannot be combined with a URL argument')
  const address = parsed(given, what => call.misuse(`the database ${what}`))
  if (address.secrets.length === 0) return address
  const [name = 'NAME'] = Object.keys(process.env).filter(name => process.env[name] === given)
  const why = 'the URL contains a password, and other users can see arguments'
  throw call.misuse(`${why}: use --url-env ${name}, and change the password if others may have seen it`)
}

function parsed(text: string, refuse: (what: string) => Error): Address {
  const [start = '', scheme = ''] = SCHEME.exec(text) ?? []
  const name = scheme.toLowerCase()
  const kind = kindOf(text, name)
  if (kind === undefined)
    throw refuse('must be a postgres:, mysql:, mariadb: or sqlite: URL, or an SQLite file')
  if (kind === 'sqlite') return fileAt(text.slice(start.length), start !== '', refuse)
  const [whole, account = '', host = '', query = ''] = SERVER.exec(text) ?? []
  if (whole === undefined) throw refuse(ENCODE)
  const parameters = new URLSearchParams(query)
  const secrets = new Set<string>()
  const colon = account.indexOf(':')
  if (colon >= 0) for (const form of formsOf(account.slice(colon + 1))) secrets.add(form)
  for (const [parameter, value] of parameters)
    if (SECRET.test(parameter)) for (const form of formsOf(value)) secrets.add(form)
  secrets.delete('')
  const server = kind === 'postgresql' ? 'PostgreSQL' : name === 'mariadb' ? 'MariaDB' : 'MySQL'
  const shown = `${server}${host === '' ? '' : ` at ${decoded(host)}`}`
  return { kind, target: text, shown, secrets: [...secrets], parameters }
}

/** The kind of database by the scheme of its URL; a text without a scheme is a file. */
function kindOf(text: string, scheme: string): Kind | undefined {
  if (text === '') return undefined
  if (scheme === '') return 'sqlite'
  return Object.hasOwn(SCHEMES, scheme) ? SCHEMES[scheme] : undefined
}

/** `sqlite:FILE`, `sqlite:///FILE`, and Prisma's `file:./FILE?…`. */
function fileAt(rest: string, isUrl: boolean, refuse: (what: string) => Error): Address {
  const [path = '', query = ''] = isUrl ? rest.replace(/^\/\//, '').split('?', 2) : [rest]
  if (path === '') throw refuse('must name an SQLite file')
  const target = isUrl ? decoded(path) : path
  return { kind: 'sqlite', target, shown: target, secrets: [], parameters: new URLSearchParams(query) }
}

/** A secret as it is in the URL, and as the driver decodes it. */
function formsOf(secret: string): string[] {
  return [secret, decoded(secret), encodeURIComponent(decoded(secret))]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
