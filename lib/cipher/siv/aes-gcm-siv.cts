// The class AesGcmSiv. types/siv.d.ts documents it.
import type { Buffer } from 'node:buffer'
import type { KeyObject } from 'node:crypto'
import type { AesGcmSivOptions } from '../../../types/siv.d.ts'
import { Aead, showAsKeys } from '../aead/aead.cjs'
import { AES_GCM_SIV, Layouts } from '../aead/ciphers.cjs'
import { isAvailable, newKey } from '../aead/statics.cjs'

const LAYOUTS = new Layouts(AES_GCM_SIV)

export class AesGcmSiv extends Aead {
  static {
    showAsKeys(AesGcmSiv, AES_GCM_SIV.name)
  }

  static isAvailable(): boolean {
    return isAvailable()
  }

  static generateKey(bits: 128 | 256 = 256): Buffer<ArrayBuffer> {
    return newKey(bits)
  }

  constructor(key: Uint8Array | KeyObject, options?: AesGcmSivOptions) {
    super(LAYOUTS, key, options)
  }
}
