// Starts PostgreSQL and MariaDB, each as an unprivileged user, in a separate folder and on a free port; and SQLite, which has no server.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getuid } from 'node:process'
import { setTimeout } from 'node:timers/promises'

const PATIENCE = 60_000
/** PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 'nobody'
/** A folder in memory, where SQLite need not wait for a disk. */
const MEMORY = '/dev/shm'

/** The packages of Debian that this machine lacks. */
export function missing() {
  const lacks = { postgresql: postgresqlPrograms() === undefined, 'mariadb-server': !hasMariadb() }
  return Object.keys(lacks).filter(name => lacks[name])
}

/**
 * A server: the `url` of an empty database `app`, `dump`, which returns the text of its tables or of those of another database, and
 * `stop`, which ends the server and deletes its folder. A server also ends with this process, however that ends. The account may create
 * databases whose names begin with `app`.
 */
export async function startPostgresql() {
  const bin = postgresqlPrograms()
  const { folder, port } = await place('postgresql')
  const data = join(folder, 'data')
  const initial = ['-D', data, '-U', 'app', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  unprivileged('TERM', [join(bin, 'initdb'), ...initial])
  const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`]
  const options = settings.flatMap(setting => ['-c', setting])
  const server = serve('QUIT', [join(bin, 'postgres'), '-D', data, '-p', `${port}`, ...options])
  const at = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'app']
  await ready('PostgreSQL', server, [join(bin, 'createdb'), ...at, 'app'])
  return {
    database: 'postgresql',
    url: `postgres://app@127.0.0.1:${port}/app`,
    dump: (name = 'app') => output([join(bin, 'pg_dump'), ...at, '--data-only', '--inserts', name]),
    stop: () => end(server, folder),
  }
}

/** As `startPostgresql`. */
export async function startMariadb() {
  const { folder, port } = await place('mariadb')
  const at = ['--no-defaults', `--datadir=${join(folder, 'data')}`]
  unprivileged('TERM', [
    'mariadb-install-db',
    ...at,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ])
  const socket = join(folder, 'socket')
  const settings = [
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    `--socket=${socket}`,
    `--pid-file=${folder}/pid`,
  ]
  const server = serve('KILL', ['mariadbd', ...at, ...settings, '--innodb-flush-log-at-trx-commit=0'])
  const client = ['--no-defaults', `--socket=${socket}`, '--user=root']
  const sql =
    "CREATE DATABASE app; CREATE USER app@localhost IDENTIFIED BY 'app'; GRANT ALL ON `app%`.* TO app@localhost"
  await ready('MariaDB', server, ['mariadb', ...client, '-e', sql])
  return {
    database: 'mariadb',
    url: `mysql://app:app@127.0.0.1:${port}/app`,
    dump: (name = 'app') => output(['mariadb-dump', ...client, '--skip-extended-insert', '--hex-blob', name]),
    stop: () => end(server, folder),
  }
}

/** As `startPostgresql`. Each database is a file, which the first connection makes. */
export function startSqlite() {
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'hardware-aes-gcm-sqlite-'))
  const stop = () => rmSync(folder, { recursive: true, force: true })
  process.on('exit', stop)
  return {
    database: 'sqlite',
    url: `file:${join(folder, 'app')}`,
    dump: (name = 'app') => readFileSync(join(folder, name), 'utf8'),
    stop,
  }
}

/** The folder of PostgreSQL's programs, which Debian keeps outside the PATH. */
function postgresqlPrograms() {
  const folder = '/usr/lib/postgresql'
  const versions = existsSync(folder) ? readdirSync(folder).sort((a, b) => b - a) : []
  return versions.map(version => join(folder, version, 'bin')).find(bin => existsSync(join(bin, 'initdb')))
}

function hasMariadb() {
  return spawnSync('mariadbd', ['--version'], { stdio: 'ignore' }).error === undefined
}

/** A folder of the server's account, and a port that was free. */
async function place(name) {
  const folder = mkdtempSync(join(tmpdir(), `hardware-aes-gcm-${name}-`))
  if (getuid() === 0) output(['chown', UNPRIVILEGED, folder])
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return { folder, port }
}

/** The command as an unprivileged user, which gets `signal` when this process ends. */
function demoted(signal, command) {
  const user = getuid() === 0 ? [`--reuid=${UNPRIVILEGED}`, '--clear-groups'] : []
  return [...user, `--pdeathsig=${signal}`, ...command]
}

function unprivileged(signal, command) {
  return output(['setpriv', ...demoted(signal, command)])
}

function serve(signal, command) {
  const server = spawn('setpriv', demoted(signal, command), { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  server.said = ''
  server.stderr.setEncoding('utf8').on('data', text => {
    server.said = (server.said + text).slice(-2000)
  })
  server.stderr.unref()
  server.unref()
  return server
}

/** Waits until a command succeeds, which needs the server. */
async function ready(name, server, command) {
  for (const began = performance.now(); ; await setTimeout(100)) {
    const { status, stderr } = spawnSync(command[0], command.slice(1), { cwd: '/', encoding: 'utf8' })
    if (status === 0) return
    if (server.exitCode === null && performance.now() - began < PATIENCE) continue
    throw new Error(`${name} did not start: ${stderr}${server.said}`)
  }
}

function output([program, ...args]) {
  const options = { cwd: '/', encoding: 'utf8', maxBuffer: 2 ** 30 }
  const { status, stdout, stderr, error } = spawnSync(program, args, options)
  if (status === 0) return stdout
  throw new Error(`${program} failed: ${error?.message ?? stderr}`)
}

async function end(server, folder) {
  if (server.exitCode === null && server.signalCode === null) {
    server.ref()
    server.kill('SIGQUIT')
    await once(server, 'exit')
  }
  rmSync(folder, { recursive: true, force: true })
}
