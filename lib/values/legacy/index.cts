// The entry `hardware-aes-gcm/legacy`, documented by types/legacy.d.ts; contract/ compares both.
import { UnknownLayoutError } from '../../cipher/base/errors.cjs'
import { boringnodeReader } from './boringnode.cjs'
import { cloakReader } from './cloak.cjs'
import { cryptrReader } from './cryptr.cjs'
import { layoutReader } from './layout-reader.cjs'
import { typeormReader } from './typeorm.cjs'

// A plain object, as in lib/index.cts.
export = {
  boringnodeReader,
  cloakReader,
  cryptrReader,
  layoutReader,
  typeormReader,
  UnknownLayoutError,
} as const
