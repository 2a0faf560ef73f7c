// The entry `hardware-aes-gcm/keyring` for `import`. It re-exports the one implementation, as lib/index.mts does.

import { lookFrom } from '../native/binary.cjs'
import implementation from './index.cjs'

lookFrom(import.meta.url)

export const { BlindIndex, context, Keyring, UnknownKeyError } = implementation
