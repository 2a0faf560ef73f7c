// protectKey, openProtectedKey and passphraseWrapping, documented in types/passphrase.d.ts.
import type { Buffer } from 'node:buffer'
import type { KeyObject } from 'node:crypto'
import type { KeysetWrapping } from '../../../types/keyring.d.ts'
import type { OpenOptions, ProtectOptions, WrappingOptions } from '../../../types/passphrase.d.ts'
import { copiedKey, lengthOfAesKey } from '../../cipher/aead/copied-key.cjs'
import { freeze, types } from '../../cipher/base/builtins.cjs'
import { copied, lengthOf } from '../../cipher/base/bytes.cjs'
import { mustBe, notBytes } from '../../cipher/base/errors.cjs'
import { wipe } from '../../cipher/base/views.cjs'
import { wipeWith } from '../../cipher/base/wipe-with.cjs'
import { forget, type Passphrase, passphraseOf } from './derive.cjs'
import { malformed } from './header.cjs'
import { readOpen, readProtect, readWrapping } from './options.cjs'
import { openContent, sealContent } from './sealed.cjs'
import { bytesOf, textOf } from './text.cjs'

const { isUint8Array } = types

export async function protectKey(
  key: Uint8Array | KeyObject,
  passphrase: string | Uint8Array,
  options?: ProtectOptions,
): Promise<string> {
  const cost = readProtect(options)
  const own = copiedKey('key', key, lengthOfAesKey)
  try {
    return await withPassphrase(passphraseOf(passphrase), async ({ bytes }) =>
      textOf(await sealContent('key', own, bytes, cost)),
    )
  } finally {
    wipe(own, 0)
  }
}

export async function openProtectedKey(
  text: string,
  passphrase: string | Uint8Array,
  options?: OpenOptions,
): Promise<Buffer<ArrayBuffer>> {
  const maxMemory = readOpen(options)
  if (typeof text !== 'string') throw mustBe('text', 'a string', text)
  const file = bytesOf(text)
  return await withPassphrase(passphraseOf(passphrase), async ({ bytes }) => {
    const { content } = await openContent('key', file, bytes, maxMemory)
    if (content.length === 16 || content.length === 32) return content
    wipe(content, 0)
    throw malformed('holds no key')
  })
}

export function passphraseWrapping(
  passphrase: string | Uint8Array,
  options?: WrappingOptions,
): KeysetWrapping {
  const { cost, maxMemory } = readWrapping(options)
  const first = passphraseOf(passphrase)
  // The caller may wipe or change its bytes at once. A text stays the caller's in any case.
  const holder = { kept: typeof passphrase === 'string' ? passphrase : first.memory }
  if (typeof passphrase === 'string') forget(first)
  else wipeWith(holder, first.memory)
  return freeze({
    __proto__: null,
    wrap: async (keyset: Uint8Array) => {
      const content = copyOf('keyset', keyset)
      try {
        return await withPassphrase(passphraseOf(holder.kept), ({ bytes }) =>
          sealContent('keyset', content, bytes, cost),
        )
      } finally {
        wipe(content, 0)
      }
    },
    unwrap: async (wrapped: Uint8Array) => {
      const file = copyOf('wrapped', wrapped)
      return await withPassphrase(passphraseOf(holder.kept), async ({ bytes }) => {
        const { content } = await openContent('keyset', file, bytes, maxMemory)
        return content
      })
    },
  } as KeysetWrapping)
}

async function withPassphrase<Result>(
  passphrase: Passphrase,
  work: (passphrase: Passphrase) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(passphrase)
  } finally {
    forget(passphrase)
  }
}

function copyOf(name: string, value: unknown): Buffer<ArrayBuffer> {
  if (!isUint8Array(value)) throw notBytes(name, value)
  return copied(value, lengthOf(name, value))
}
