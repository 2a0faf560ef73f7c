// Wipes secrets after the object that owns them is garbage-collected.
import { uncurried } from './builtins.cjs'
import { wipe } from './views.cjs'

const Registry = FinalizationRegistry
const registry = new Registry<Uint8Array>(memory => wipe(memory, 0))
const register: (registry: object, owner: object, memory: Uint8Array) => void = uncurried(
  Registry.prototype.register as never,
)

/** Wipes `memory` after `owner` was garbage-collected. */
export function wipeWith(owner: object, memory: Uint8Array): void {
  register(registry, owner, memory)
}
