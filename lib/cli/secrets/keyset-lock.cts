// How the keyset in a file is protected: not at all, by a passphrase, or by a key service that a
// program calls. A lock opens the content of a file, and makes the content that replaces it.
import type { Buffer } from 'node:buffer'
import { codeOf, buffer as node } from '../../cipher/base/builtins.cjs'
import type { PrivateKeyring } from '../../values/hybrid/private-keyring.cjs'
import type { Keyring } from '../../values/keyring/keyring.cjs'
import { readEncrypted } from '../../values/keyring/keyset/encrypted.cjs'
import { MAX_BYTES } from '../../values/keyring/keyset/model.cjs'
import { passphraseOf as bytesOfPassphrase, forget } from '../../values/passphrase/derive.cjs'
import { type Cost, isProtected } from '../../values/passphrase/header.cjs'
import { MAX_MEMORY, readProtect } from '../../values/passphrase/options.cjs'
import { openContent, sealContent } from '../../values/passphrase/sealed.cjs'
import type { Call, Option } from '../frame/command.cjs'
import { Failure } from '../frame/failure.cjs'
import { type Place, runProgram, TIMEOUT, timeoutOf, UNWRAP, wordsOf } from './key-program.cjs'
import { type Keyrings, type Kind, parseAs, unwrapAs, type Wanted } from './keyset-kinds.cjs'
import { isEncrypted, named, textOfKeyset } from './keyset-text.cjs'
import {
  forgetPassphrase,
  newPassphrase,
  notOpened,
  PASSPHRASE_FILE,
  type Passphrase,
  passphraseOf,
  wantsPassphrase,
} from './passphrase.cjs'

const { Buffer: Bytes } = node

/** The options of commands that read a keyset. */
export const UNLOCKING: Readonly<Record<string, Option>> = {
  'passphrase-file': PASSPHRASE_FILE,
  unwrap: UNWRAP,
  timeout: TIMEOUT,
}

export class KeysetLock {
  readonly #call: Call
  readonly #timeout: number
  readonly #words: Partial<Record<Place, readonly string[]>> = {}
  #kind: 'none' | 'passphrase' | 'program' = 'none'
  #passphrase: Passphrase | undefined
  #cost: Cost = readProtect(undefined)

  /** Refuses options that are malformed. */
  constructor(call: Call) {
    this.#call = call
    this.#timeout = timeoutOf(call)
    for (const place of ['unwrap', 'wrap'] as const)
      if (call.has(place)) this.#words[place] = wordsOf(call, place)
  }

  /** Whether whoever reads the file has the keys. */
  get isOpen(): boolean {
    return this.#kind === 'none'
  }

  /** Chooses the protection of a new keyset, as the options demand. */
  async choose(): Promise<void> {
    if (this.#words.wrap !== undefined) this.#kind = 'program'
    else if (wantsPassphrase(this.#call)) {
      this.#passphrase = await newPassphrase(this.#call)
      this.#kind = 'passphrase'
    }
  }

  /** The keyring in the content of a file, which the caller destroys. */
  async open<Used extends Kind>(
    name: string,
    bytes: Buffer,
    wanted: Wanted<Used>,
    changes = false,
  ): Promise<Keyrings[Used]> {
    const text = textOfKeyset(name, bytes)
    try {
      if (!isEncrypted(text)) return await this.#parse(name, bytes, text, wanted)
      const { ciphertext } = readEncrypted(text)
      // A ciphertext of a service begins like ours once in 2^24 files.
      if (this.#words.unwrap === undefined && isProtected(ciphertext))
        return await this.#withPassphrase(name, text, ciphertext, wanted)
      return await this.#withProgram(name, text, ciphertext, wanted, changes)
    } catch (error) {
      throw named(name, error)
    }
  }

  /** The content of a file for a keyring, protected as the last one was, or as was chosen. */
  async contentOf(keyring: Keyring | PrivateKeyring): Promise<Buffer> {
    return Bytes.from(`${this.#kind === 'none' ? keyring.export() : await this.#encrypted(keyring)}\n`)
  }

  /** Wipes the passphrase. */
  release(): void {
    forgetPassphrase(this.#passphrase)
    this.#passphrase = undefined
  }

  async #parse<Used extends Kind>(
    name: string,
    bytes: Buffer,
    text: string,
    wanted: Wanted<Used>,
  ): Promise<Keyrings[Used]> {
    const given = ['unwrap', 'wrap', 'passphrase-file'].find(option => this.#call.has(option))
    if (given !== undefined) {
      const what = `is not encrypted: --${given} is for an encrypted keyset`
      throw new Failure('ERR_INPUT', what, { about: name })
    }
    this.#kind = 'none'
    return await parseAs(name, bytes, text, wanted)
  }

  async #withPassphrase<Used extends Kind>(
    name: string,
    text: string,
    ciphertext: Uint8Array,
    wanted: Wanted<Used>,
  ): Promise<Keyrings[Used]> {
    this.#passphrase ??= await passphraseOf(this.#call, name)
    const secret = bytesOfPassphrase(this.#passphrase)
    try {
      const { content, cost } = await openContent('keyset', ciphertext, secret.bytes, MAX_MEMORY)
      this.#kind = 'passphrase'
      this.#cost = cost
      return await unwrapAs(name, text, content, wanted)
    } catch (error) {
      throw notOpened(error, name)
    } finally {
      forget(secret)
    }
  }

  async #withProgram<Used extends Kind>(
    name: string,
    text: string,
    ciphertext: Uint8Array,
    wanted: Wanted<Used>,
    changes: boolean,
  ): Promise<Keyrings[Used]> {
    const { unwrap, wrap } = this.#words
    if (unwrap === undefined || (changes && wrap === undefined)) {
      const missing =
        unwrap === undefined
          ? 'pass --unwrap PROGRAM to decrypt it'
          : 'pass --wrap PROGRAM to encrypt it again'
      throw new Failure('ERR_INPUT', `is encrypted by a key service: ${missing}`, { about: name })
    }
    this.#kind = 'program'
    let keyring: Keyrings[Used]
    const content = await this.#run('unwrap', ciphertext)
    try {
      keyring = await unwrapAs(name, text, content, wanted)
    } catch (error) {
      if (codeOf(error) !== 'ERR_AESGCM_INVALID_KEYSET' || error instanceof Failure) throw error
      throw new Failure('ERR_AESGCM_INVALID_KEYSET', 'the --unwrap program did not print a keyset')
    }
    if (describes(text, keyring)) return keyring
    if ('destroy' in keyring) keyring.destroy()
    const what = 'the --unwrap program did not print the keyset that the file describes'
    throw new Failure('ERR_AESGCM_INVALID_KEYSET', what)
  }

  async #encrypted(keyring: Keyring | PrivateKeyring): Promise<string> {
    if (this.#kind === 'passphrase') return await keyring.wrap(keyset => this.#seal(keyset))
    try {
      return await keyring.wrap(keyset => this.#wrap(keyset))
    } catch (error) {
      // The library's word for a program that passes its input on.
      if (codeOf(error) !== 'ERR_INVALID_ARG_VALUE') throw error
      throw new Failure('ERR_PROGRAM', 'the --wrap program printed the keys unencrypted')
    }
  }

  async #seal(keyset: Uint8Array): Promise<Buffer> {
    const secret = bytesOfPassphrase(this.#passphrase)
    try {
      return await sealContent('keyset', keyset, secret.bytes, this.#cost)
    } finally {
      forget(secret)
    }
  }

  /** What was wrapped must come back, or the keys would be lost. */
  async #wrap(keyset: Uint8Array): Promise<Buffer> {
    const wrapped = await this.#run('wrap', keyset)
    if (this.#words.unwrap === undefined) return wrapped
    const back = await this.#run('unwrap', wrapped)
    try {
      if (back.equals(keyset)) return wrapped
    } finally {
      back.fill(0)
    }
    const what =
      'the --unwrap program does not decrypt the output of the --wrap program: the file is unchanged'
    throw new Failure('ERR_PROGRAM', what)
  }

  async #run(place: Place, input: Uint8Array): Promise<Buffer> {
    const words = this.#words[place] as readonly string[]
    return await runProgram(place, words, input, { limit: MAX_BYTES, timeout: this.#timeout })
  }
}

/** Whether a keyring has the keys that its encrypted keyset lists in the clear, if it lists any. */
function describes(text: string, { keys }: Keyrings[Kind]): boolean {
  const { info } = readEncrypted(text)
  if (info === null) return true
  const lineOf = (id: number, status: string, prefix: string, primary: boolean) =>
    [id, status, prefix, primary].join()
  const listed = info.keys.map(key => lineOf(key.id, key.status, key.prefix, key.id === info.primary))
  const there = keys.map(key => lineOf(key.id, key.status, key.prefix, key.primary))
  return listed.sort().join('\n') === there.sort().join('\n')
}
