// A plain model of keysets that follow each other: which one is newer, said of whole lists.
import { type KeyEntry, Keyring } from 'hardware-aes-gcm/keyring'
import type { Random } from '../../tools/support.js'

interface ModelKey {
  readonly id: number
  readonly status: 'enabled' | 'disabled'
  /** Which of the keys with this id. */
  readonly form: number
}

export interface ModelKeyset {
  readonly primary: number
  readonly keys: readonly ModelKey[]
}

export class Model {
  today: ModelKeyset
  readonly #random: Random
  #newest = 100

  constructor(random: Random) {
    this.#random = random
    const keys = Array.from({ length: 1 + random.below(4) }, () => ({
      ...this.#fresh(),
      status: 'enabled' as const,
    }))
    this.today = { keys, primary: random.pick(keys).id }
  }

  keyring({ keys, primary }: ModelKeyset): Keyring {
    const entries: KeyEntry[] = keys.map(({ id, status, form }) => ({
      id,
      status,
      key: Buffer.alloc(32, id % 256).fill(form, 0, 1),
    }))
    return new Keyring(entries.reverse(), { primary })
  }

  /** Whether a key has another form than the key of its id today. */
  hasOthers(next: ModelKeyset): boolean {
    return next.keys.some(({ id, form }) => this.today.keys.some(key => key.id === id && key.form !== form))
  }

  /** What must become of a keyset. */
  verdict(next: ModelKeyset): 'newer' | 'older' | 'other' {
    if (this.hasOthers(next)) return 'other'
    const [now, then] = [this.today, next].map(({ keys }) => keys.map(({ id }) => id)) as [number[], number[]]
    const at = now.indexOf(this.today.primary)
    const kept = now.filter((id, i) => i >= at || then.includes(id))
    const isExtended = kept.every((id, i) => then[i] === id)
    const isForward = then.indexOf(next.primary) >= then.indexOf(this.today.primary)
    return isExtended && isForward ? 'newer' : 'older'
  }

  /** A keyset that an operator may make of today's, and sometimes one that nobody should. */
  next(): ModelKeyset {
    const random = this.#random
    const keys = [...this.today.keys]
    let { primary } = this.today
    for (let i = random.below(4); i >= 0; i--) {
      const place = random.below(keys.length)
      const key = keys[place] as ModelKey
      switch (random.below(9)) {
        case 0:
        case 1:
          if (keys.length < 8) keys.push(this.#fresh())
          break
        case 2:
        case 3:
          primary = random.pick(keys.slice(keys.findIndex(({ id }) => id === primary))).id
          break
        case 4:
          keys[place] = { ...key, status: key.status === 'enabled' ? 'disabled' : 'enabled' }
          break
        case 5:
          if (keys.findIndex(({ id }) => id === primary) > 0) keys.shift()
          break
        case 6:
          if (keys.length > 1) keys.splice(place, 1)
          break
        case 7:
          if (random.below(2) === 0) keys.splice(place, 0, this.#fresh())
          else keys.reverse()
          break
        default:
          if (random.below(3) === 0) keys[place] = { ...key, form: key.form + 1 }
          else primary = key.id
      }
      if (!keys.some(({ id }) => id === primary)) primary = random.pick(keys).id
    }
    return { primary, keys: keys.map(key => (key.id === primary ? { ...key, status: 'enabled' } : key)) }
  }

  #fresh(): ModelKey {
    this.#newest += 16
    return { id: this.#newest, status: this.#random.below(4) === 0 ? 'disabled' : 'enabled', form: 0 }
  }
}
