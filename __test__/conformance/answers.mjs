// Known answers: the class makes the published ciphertexts and tags, and decrypts them.
import { must, same } from './checks.mjs'

export function* answers(aead) {
  const hex = text => Buffer.from(text.replace(/\s/g, ''), 'hex')
  const mine = aead.subject.answers
    .map(fields => fields.map(hex))
    .filter(([key]) => key.length === aead.keyBytes)
  must(mine.length > 0, `${aead.Class.name} has no known answers for keys of ${aead.keyBytes} bytes`)
  for (const [n, [key, nonce, plaintext, aad, ciphertext, tag]] of mine.entries()) {
    yield {
      name: `known answer ${n + 1}`,
      run: () => {
        const [data, made] = [Buffer.from(plaintext), Buffer.alloc(tag.length)]
        const aes = aead.make({}, key)
        aes.encryptDetached(data, nonce, made, aad)
        same(data, ciphertext, () => 'ciphertext')
        same(made, tag, () => 'tag')
        aes.decryptDetached(data, nonce, made, aad)
        same(data, plaintext, () => 'plaintext')
        const parts = { nonce, text: ciphertext, tag }
        for (const { aes, nonceAt, name } of aead.variants(key))
          same(aes.decrypt(aead.frameOf(nonceAt, parts), aad), plaintext, () => `a frame, ${name}`)
        if (!aead.subject.seal) return
        const theirs = aead.seal(key, nonce, plaintext, aad)
        same(theirs.text, ciphertext, () => 'the oracle: ciphertext')
        same(theirs.tag, tag, () => 'the oracle: tag')
      },
    }
  }
}
