// Tink as a process, which is asked one question after the other: that for Python, and that for Go.
import { goProgram, hasGo } from '../tools/go.mjs'
import { Peer, python } from '../tools/peer.mjs'

export const pythonPeer = () =>
  new Tink(...python(new URL('peer.py', import.meta.url), 'checks/tink/tink.txt'))

/** Undefined where Go is missing. */
export const goPeer = () =>
  hasGo() ? new Tink(goProgram('tink-go-peer', new URL('go', import.meta.url)), []) : undefined

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
