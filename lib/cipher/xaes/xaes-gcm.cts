// The class XAesGcm. types/xaes.d.ts documents it.
import type { Buffer } from 'node:buffer'
import type { KeyObject } from 'node:crypto'
import type { XAesGcmOptions } from '../../../types/xaes.d.ts'
import { Aead, showAsKeys } from '../aead/aead.cjs'
import { Layouts, XAES_256_GCM } from '../aead/ciphers.cjs'
import { isAvailable, wrongBits } from '../aead/statics.cjs'
import { freshKey } from '../machine/random.cjs'

const LAYOUTS = new Layouts(XAES_256_GCM)

export class XAesGcm extends Aead {
  static {
    showAsKeys(XAesGcm, XAES_256_GCM.name)
  }

  static isAvailable(): boolean {
    return isAvailable()
  }

  static generateKey(bits: 256 = 256): Buffer<ArrayBuffer> {
    if (bits !== 256) throw wrongBits('256', bits)
    return freshKey(32)
  }

  constructor(key: Uint8Array | KeyObject, options?: XAesGcmOptions) {
    super(LAYOUTS, key, options)
  }
}
