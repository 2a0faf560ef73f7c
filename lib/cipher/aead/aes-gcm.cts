// The class AesGcm. index.d.ts documents it.
import type { Buffer } from 'node:buffer'
import type { KeyObject } from 'node:crypto'
import type { AesGcmOptions } from '../../../index.d.ts'
import { Aead, showAsKeys } from './aead.cjs'
import { AES_GCM, Layouts } from './ciphers.cjs'
import { isAvailable, newKey } from './statics.cjs'

const LAYOUTS = new Layouts(AES_GCM)

export class AesGcm extends Aead {
  static {
    showAsKeys(AesGcm, AES_GCM.name)
  }

  static isAvailable(): boolean {
    return isAvailable()
  }

  static generateKey(bits: 128 | 256 = 256): Buffer<ArrayBuffer> {
    return newKey(bits)
  }

  constructor(key: Uint8Array | KeyObject, options?: AesGcmOptions) {
    super(LAYOUTS, key, options)
  }
}
