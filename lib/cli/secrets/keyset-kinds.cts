// The kinds of keysets: which class reads one, and what a command says about one that it cannot
// use.
import type { Buffer } from 'node:buffer'
import { codeOf, buffer as node } from '../../cipher/base/builtins.cjs'
import { PrivateKeyring } from '../../values/hybrid/private-keyring.cjs'
import { PublicKeyring } from '../../values/hybrid/public-keyring.cjs'
import { Keyring } from '../../values/keyring/keyring.cjs'
import { Failure } from '../frame/failure.cjs'

const { Buffer: Bytes } = node
const INVALID = 'ERR_AESGCM_INVALID_KEYSET'

/** The keyrings of each kind. */
export interface Keyrings {
  symmetric: Keyring
  private: PrivateKeyring
  public: PublicKeyring
}

export type Kind = keyof Keyrings

/** The kinds that a command uses, and what it says about the others. */
export interface Wanted<Used extends Kind> {
  readonly kinds: readonly Used[]
  readonly refusals: Readonly<Partial<Record<Kind, string>>>
}

const MAKE = 'keyset new --hybrid creates a private keyset'

/** For seal, open, rotate and inspect. */
export const SYMMETRIC: Wanted<'symmetric'> = {
  kinds: ['symmetric'],
  refusals: {
    private: 'is a private keyset: use it with decrypt --key',
    public: 'is a public keyset: use it with encrypt --to',
  },
}
/** For `encrypt --to`. */
export const RECIPIENT: Wanted<'public'> = {
  kinds: ['public'],
  refusals: {
    private: 'is a private keyset, which must stay private: --to needs the public one, from keyset public',
    symmetric: `is a symmetric keyset, without public keys: ${MAKE}, and keyset public writes the public one for --to`,
  },
}
/** For `decrypt --key`. */
export const READER: Wanted<'private'> = {
  kinds: ['private'],
  refusals: {
    public: 'is a public keyset, which cannot decrypt: --key needs the private one',
    symmetric: 'is a keyset for seal and open: --key needs a key, or a private keyset',
  },
}
/** For `keyset list`. */
export const ANY: Wanted<Kind> = { kinds: ['symmetric', 'private', 'public'], refusals: {} }
/** For the actions of `keyset` that change a file. */
export const CHANGEABLE: Wanted<'symmetric' | 'private'> = {
  kinds: ['symmetric', 'private'],
  refusals: {
    public: 'is a public keyset: change the private one, then write this one again with keyset public',
  },
}
/** For `keyset public`. */
export const WITH_PUBLIC_HALF: Wanted<'private'> = {
  kinds: ['private'],
  refusals: {
    public: 'is already a public keyset',
    symmetric: `is a symmetric keyset, without public keys: ${MAKE}`,
  },
}

const CLASSES = { symmetric: Keyring, private: PrivateKeyring, public: PublicKeyring }

/** The kind of a keyset in JSON or Protocol Buffers, by the names of the types of its keys. */
export function kindIn(bytes: Buffer): Kind | undefined {
  if (bytes.includes('google.crypto.tink.HpkePrivateKey')) return 'private'
  if (bytes.includes('google.crypto.tink.HpkePublicKey')) return 'public'
  return bytes.includes('google.crypto.tink.') ? 'symmetric' : undefined
}

/**
 * The first keyring that `read` makes of a keyset, as one of `kinds`. A keyring's keyset may have a
 * disabled key of another kind. So the types of the keys decide only which class is tried first,
 * and what a refusal says.
 */
async function readAs<Used extends Kind, Keyring>(
  name: string,
  kind: Kind | undefined,
  { kinds, refusals }: Wanted<Used>,
  read: (kind: Used) => Keyring | Promise<Keyring>,
): Promise<Keyring> {
  const [first, ...others] = [...kinds].sort((one, other) => Number(other === kind) - Number(one === kind))
  try {
    return await read(first as Used)
  } catch (error) {
    if (codeOf(error) !== INVALID) throw error
    for (const other of others) {
      try {
        return await read(other)
      } catch {}
    }
    const refusal = kind === undefined ? undefined : refusals[kind]
    throw refusal === undefined ? error : new Failure(INVALID, refusal, { about: name })
  }
}

/** The keyring of a keyset in the clear. */
export function parseAs<Used extends Kind>(
  name: string,
  bytes: Buffer,
  text: string,
  wanted: Wanted<Used>,
): Promise<Keyrings[Used]> {
  return readAs(name, kindIn(bytes), wanted, kind => CLASSES[kind].parse(text) as Keyrings[Used])
}

/** The keyring of an encrypted keyset, whose decrypted `content` is wiped. */
export async function unwrapAs<Used extends Kind>(
  name: string,
  text: string,
  content: Buffer,
  wanted: Wanted<Used>,
): Promise<Keyrings[Used]> {
  try {
    return await readAs(name, kindIn(content), wanted, async kind => {
      if (kind === 'public') throw encryptedPublic(name)
      const Class: typeof Keyring | typeof PrivateKeyring = kind === 'private' ? PrivateKeyring : Keyring
      // What `unwrap` gets, it wipes.
      return (await Class.unwrap(text, () => Bytes.from(content))) as Keyrings[Used]
    })
  } finally {
    content.fill(0)
  }
}

/** Refuses a public keyset that is encrypted: it has no secret, and a sender has no key. */
export function encryptedPublic(name: string): Failure {
  const what = 'is an encrypted keyset, but public keysets are never encrypted'
  return new Failure(INVALID, what, { about: name })
}
