// The bytes of an expanded key on each backend that this CPU offers, by the backend's name, from the built addon.
import { createRequire } from 'node:module'
import { addon } from '../../scripts/compile.mjs'

export function stateBytes() {
  const { backends, stateBytes } = createRequire(import.meta.url)(addon())
  return Object.fromEntries(backends.map((name, i) => [name, stateBytes[i]]))
}
