// How many bytes an expanded key has on each backend that this CPU offers, by the backend's name, as the built addon says.
import { createRequire } from 'node:module'
import { addon } from '../scripts/compile.mjs'

export function stateBytes() {
  const { backends, stateBytes } = createRequire(import.meta.url)(addon())
  return Object.fromEntries(backends.map((name, i) => [name, stateBytes[i]]))
}
