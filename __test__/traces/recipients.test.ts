// No key of a message to recipients is left in the memory of the library, even if any step of a call fails.
import './memories.js'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import {
  createDecryptStream,
  createEncryptStream,
  DecryptionReader,
  decryptBuffer,
  decryptFile,
  encryptBuffer,
  encryptFile,
} from 'hardware-aes-gcm/stream'
import { expect, test } from 'vitest'
import type { Teller } from './memories.js'
import { type Run, refused, suite } from './suite.js'

const require = createRequire(import.meta.url)
const {
  load,
}: typeof import('../../lib/cipher/native/binary.cjs') = require('../../dist/cipher/native/binary.cjs')

const KEY_BYTES = 32
/** Who hears of the keys that the library draws. */
let teller: Teller | undefined
let drawn = 0
const binding = load()
const { random } = binding
binding.random = view => {
  const status = random(view)
  const bytes = view as Uint8Array
  if (teller !== undefined && bytes.byteLength === KEY_BYTES) {
    drawn++
    teller.hide(new Uint8Array(bytes))
  }
  return status
}

/** A run whose keys are secret, whether or not it fails. */
const keyed =
  (run: Run): Run =>
  async tell => {
    teller = tell
    try {
      return await run(tell)
    } finally {
      teller = undefined
    }
  }

const [ours, theirs, other] = Array.from({ length: 3 }, () =>
  PrivateKeyring.generate('X25519-AES-256-GCM'),
) as [PrivateKeyring, PrivateKeyring, PrivateKeyring]
const recipients = [ours, theirs].map(keyring => PublicKeyring.parse(keyring.publicKeyset()))
const TEXT = Buffer.alloc(20_000, 5)
/** The first byte of the only sealed key's ciphertext, of the salt, and of the first chunk. */
const CHANGED = [8 + 5 + 32, 6 + 87, 6 + 87 + 56]

const runs: Record<string, Run> = {
  encryptBuffer: tell => tell.keep(encryptBuffer(TEXT, recipients)),
  'decryptBuffer, by the last recipient': tell =>
    tell.keep(decryptBuffer(tell.keep(encryptBuffer(TEXT, recipients)), theirs)),
  'decryptBuffer, by another': tell => {
    const message = tell.keep(encryptBuffer(TEXT, recipients))
    refused(() => decryptBuffer(message, other))
  },
  'decryptBuffer, of a changed message': tell => {
    for (const at of CHANGED) {
      const message = tell.keep(encryptBuffer(TEXT, recipients[0] as PublicKeyring))
      message[at] = (message[at] as number) ^ 1
      refused(() => decryptBuffer(message, ours))
    }
  },
  'a reader': async tell => {
    const message = tell.keep(encryptBuffer(TEXT, recipients))
    const reader = tell.live(await DecryptionReader.open(message, theirs))
    tell.keep(await reader.read(16_000, 17_000))
  },
  'encryptFile, and decryptFile': async () => {
    const folder = mkdtempSync(join(tmpdir(), 'traces-'))
    const path = (name: string) => join(folder, name)
    try {
      writeFileSync(path('text'), TEXT)
      await encryptFile(path('text'), path('message'), recipients)
      await decryptFile(path('message'), path('again'), ours)
    } finally {
      rmSync(folder, { recursive: true, maxRetries: 10 })
    }
  },
  'streams that are destroyed': tell => {
    const sealing = createEncryptStream(recipients)
    sealing.write(tell.keep(Buffer.from(TEXT)))
    const message = tell.keep(sealing.read() as Buffer)
    const opening = createDecryptStream(ours)
    opening.write(message)
    tell.keep(opening.read())
    for (const stream of [sealing, opening]) stream.on('error', () => {}).destroy()
  },
}

// What is derived from such a key, the tests of messages and of public keys look for.
suite(Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, keyed(run)])), { to: 0 })

test('the keys were seen', () => expect(drawn).toBeGreaterThan(Object.keys(runs).length))
