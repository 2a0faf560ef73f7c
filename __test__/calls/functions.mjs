// Random calls of the main entry that are no methods of a key: constructors, getters and functions.
import { isUint8Array } from 'node:util/types'
import { AesGcm, cpu, KeyArena, randomBytes, randomFillSync, randomInfo, reseed } from 'hardware-aes-gcm'
import { AesGcmSiv } from 'hardware-aes-gcm/siv'
import { XAesGcm } from 'hardware-aes-gcm/xaes'
import { membersOf } from '../conformance/aead.mjs'
import { must } from '../conformance/checks.mjs'
import { codes } from './codes.mjs'
import { plain } from './judge.mjs'

const CLASSES = [AesGcm, XAesGcm, AesGcmSiv]
const MAKE = codes(
  ...[
    'ERR_AESGCM_INVALID_KEY_LENGTH',
    'ERR_AESGCM_UNSUPPORTED_CPU',
    'ERR_AESGCM_ARENA_FULL',
    'ERR_AESGCM_DESTROYED',
  ],
)
const THIS = new Set(['ERR_INVALID_THIS'])

export function functionCall({ chance, values }, key) {
  const any = () => values.anything()
  switch (chance.below(9)) {
    case 0: {
      const args = [
        chance.once(2) ? values.bytes(chance.pick([16, 32])) : any(),
        chance.once(2) ? any() : undefined,
      ]
      const Class = chance.pick(CLASSES)
      return {
        name: `new ${Class.name}`,
        run: (...given) => new Class(...given).destroy(),
        args,
        codes: MAKE,
      }
    }
    case 1: {
      const options = { keys: chance.once(2) ? 1 + chance.below(3) : values.number() }
      if (options.keys > 1000) options.keys = 0
      const args = [chance.once(2) ? options : any()]
      return { name: 'new KeyArena', run: (...given) => new KeyArena(...given).destroy(), args, codes: MAKE }
    }
    case 2: {
      const args = [chance.once(2) ? chance.below(300) : any()]
      if (typeof args[0] === 'number' && args[0] > 2 ** 20) args[0] = -1
      const check = bytes => must(bytes.length === args[0], 'randomBytes')
      return { name: 'randomBytes', run: randomBytes, args, codes: codes(), check }
    }
    case 3: {
      const args = [
        chance.once(3) ? any() : values.room(),
        ...(chance.once(2) ? [values.number(), values.number()] : []),
      ]
      const writes = view => {
        if (!isUint8Array(view)) return []
        const [, offset = 0, size = Infinity] = args
        return [plain(view).subarray(offset, offset + size)]
      }
      return { name: 'randomFillSync', run: randomFillSync, args, codes: codes(), writes }
    }
    case 4: {
      const names = 'messagesEncrypted bytesEncrypted failedDecryptions destroyed backend keyBits'.split(' ')
      const name = chance.pick(names)
      const self = chance.once(3) ? any() : key.aes
      const { get } = membersOf(AesGcm)[name]
      return { name, run: () => get.call(self), args: [], codes: THIS }
    }
    case 5: {
      const name = chance.pick(['capacity', 'used', 'locked', 'excludedFromDumps', 'destroyed'])
      const self = chance.once(3) ? any() : KeyArena.default
      const { get } = Object.getOwnPropertyDescriptor(KeyArena.prototype, name)
      return { name, run: () => get.call(self), args: [], codes: THIS }
    }
    case 6:
      return {
        name: 'generateKey',
        run: chance.pick(CLASSES).generateKey,
        args: chance.once(2) ? [any()] : [chance.pick([128, 256])],
        codes: codes(),
      }
    case 7: {
      const self = chance.once(2) ? any() : KeyArena.default
      return { name: 'destroy', run: () => KeyArena.prototype.destroy.call(self), args: [], codes: THIS }
    }
    default: {
      const run = chance.pick([
        randomInfo,
        cpu,
        () => AesGcm.isAvailable(),
        () => chance.once(500) && reseed(),
      ])
      return { name: 'a function without arguments', run, args: [any()], codes: new Set() }
    }
  }
}
