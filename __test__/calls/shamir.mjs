// Random calls of hardware-aes-gcm/shamir: what was split must come back, and wrong shares never give another key.
import { combineAndOpen, combineKey, recoverShare, sealAndSplit, splitKey } from 'hardware-aes-gcm/shamir'
import { equal } from '../conformance/checks.mjs'
import { codes } from './codes.mjs'

const SHARES = codes('ERR_AESGCM_INVALID_SHARE', 'ERR_AESGCM_SHARES_MISMATCH')
const OPEN = new Set([...SHARES, 'ERR_AESGCM_AUTHENTICATION_FAILED'])
const FORMATS = ['binary', 'text', 'horcrux', 'horcrux-random']

export class ShamirCalls {
  constructor(chance, values) {
    this.chance = chance
    this.values = values
  }

  next() {
    const { chance, values } = this
    const format = chance.pick(FORMATS)
    const threshold = 2 + chance.below(3)
    const options = { threshold, shares: threshold + chance.below(3), format }
    const reading = format.startsWith('horcrux') ? { format: 'horcrux', threshold } : undefined
    const secret = Buffer.from(values.bytes(reading === undefined ? chance.pick([16, 32]) : 32))
    const wrong = chance.once(3)
    const spoiled = args => {
      if (wrong) args[chance.below(args.length)] = values.anything()
      return args
    }
    switch (chance.below(5)) {
      case 0: {
        const args = spoiled([values.put(secret), options])
        const check = (shares, [was]) => {
          if (args[1] === options) equal(combineKey(shares, reading), Buffer.from(was), 'splitKey')
        }
        return { name: 'splitKey', run: splitKey, args, codes: codes(), check }
      }
      case 1: {
        const { shares, damaged } = this.#shares(splitKey(secret, options))
        const args = spoiled([shares, reading])
        const check = key => {
          // Unverified: as many texts of horcrux as the threshold give any key.
          if (args[0] === shares && !(damaged && reading !== undefined)) equal(key, secret, 'combineKey')
        }
        return { name: 'combineKey', run: combineKey, args, codes: SHARES, check }
      }
      case 2: {
        const { shares, damaged } = this.#shares(splitKey(secret, options))
        const args = spoiled([shares, chance.once(6) ? values.number() : 1 + chance.below(255), reading])
        const check = share => {
          if (wrong || damaged) return
          equal(typeof share, typeof shares[0], 'recoverShare')
        }
        return { name: 'recoverShare', run: recoverShare, args, codes: SHARES, check }
      }
      case 3: {
        const args = spoiled([
          values.bytes(),
          { ...options, aad: chance.once(2) ? values.bytes() : undefined },
        ])
        const check = ({ sealed, shares }, [data]) => {
          if (args[1]?.format !== format) return
          equal(
            combineAndOpen(shares, sealed, { ...reading, aad: args[1].aad }),
            Buffer.from(data),
            'sealAndSplit',
          )
        }
        return { name: 'sealAndSplit', run: sealAndSplit, args, codes: codes(), check }
      }
      default: {
        const data = Buffer.from(values.bytes())
        const { sealed, shares: all } = sealAndSplit(data, options)
        const { shares } = this.#shares(all)
        if (chance.once(4)) sealed[chance.below(sealed.length)] ^= 1
        const args = spoiled([shares, values.put(sealed), reading])
        const check = opened => equal(opened, data, 'combineAndOpen')
        return { name: 'combineAndOpen', run: combineAndOpen, args, codes: OPEN, check }
      }
    }
  }

  /** Shares in any order, one of them changed at times. */
  #shares(all) {
    const { chance } = this
    const shares = [...all].sort(() => chance.below(3) - 1)
    const damaged = chance.once(3)
    if (damaged) {
      const at = chance.below(shares.length)
      const share = shares[at]
      if (typeof share === 'string')
        shares[at] = share.replace(/.$/, last => (last === 'A' ? 'B' : last === '1' ? '2' : '1'))
      else share[chance.below(share.length)] ^= 1 << chance.below(8)
    }
    return { shares, damaged }
  }
}
