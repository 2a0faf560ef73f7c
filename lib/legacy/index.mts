// The entry `hardware-aes-gcm/legacy` for `import`. It re-exports the one implementation, as lib/index.mts does, and needs no binary.
import implementation from './index.cjs'

export const {
  boringnodeReader,
  cloakReader,
  cryptrReader,
  layoutReader,
  typeormReader,
  UnknownLayoutError,
} = implementation
