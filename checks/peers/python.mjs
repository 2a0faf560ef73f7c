// The programs in Python of this folder, as peers.
import { Peer, python } from '../tools/peer.mjs'

export const started = (name, ...args) =>
  new Peer(...python(new URL(name, import.meta.url), 'checks/peers/aioquic.txt', ...args))
