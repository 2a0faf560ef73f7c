// Mutated tokens: each is refused by the one error, unless it is the token itself.
import { AuthenticationError } from 'hardware-aes-gcm'
import { expect, test } from 'vitest'
import { Random } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import { mutated } from '../legacy/mutations.js'
import { keyOf, openJwe, sealJwe } from './jwe.js'

test('mutations', () => {
  const random = new Random('mutated tokens')
  const key = keyOf(random.bytes(32))
  let opened = 0
  for (let n = 0; n < count(5000, 20_000); n++) {
    const payload = random.bytes(random.below(60)).toString('hex')
    const token = sealJwe(key, payload)
    const wrong = mutated(token, random)
    if (wrong === token) continue
    try {
      openJwe(wrong, () => key)
      opened++
    } catch (error) {
      expect(error).toBeInstanceOf(AuthenticationError)
      expect(Object.keys(error as object)).toEqual(['code'])
    }
  }
  expect(opened).toBe(0)
})
