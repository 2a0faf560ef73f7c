// Tink as a process, which is asked one question after the other: that for Python, and that for Go.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { env } from 'node:process'
import { cache, run } from '../../scripts/tools.mjs'
import { Peer, python } from '../tools/peer.mjs'

export const pythonPeer = () =>
  new Tink(...python(new URL('peer.py', import.meta.url), 'checks/tink/tink.txt'))

/** Undefined where Go is missing. The versions and hashes stand in go.mod and go.sum, from which the build does not depart. */
export function goPeer() {
  if (spawnSync('go', ['version']).status !== 0) return undefined
  const program = join(cache(), 'tink-go-peer')
  const options = { ...env, GOFLAGS: '-mod=readonly -buildvcs=false', GOTOOLCHAIN: 'local' }
  run('go', ['build', '-o', program, '.'], { cwd: new URL('go', import.meta.url), env: options })
  return new Tink(program, [])
}

class Tink extends Peer {
  /** The answer: `ok`, or the peer's `error`. */
  ask(operation, request) {
    return super.ask({ operation, ...request })
  }

  /** The answer of a peer that must do it. */
  async must(operation, request) {
    const { ok, error } = await this.ask(operation, request)
    if (ok === undefined) throw new Error(`${operation}: the peer refuses: ${error}`)
    return ok
  }
}
