// The original packages, each with the reader for what it seals.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { boringnodeReader, cloakReader, cryptrReader, typeormReader } from 'hardware-aes-gcm/legacy'
import { cached } from '../tools/cache.mjs'
import { bytes } from '../tools/random.mjs'

const CLOAK = '@47ng/cloak@1.2.0'
const CRYPTR = ['cryptr@6.4.0', 'cryptr@6.0.0']
const TYPEORM = ['typeorm-encrypted@0.8.0', 'typeorm@0.3.27']
const BORINGNODE = '@boringnode/encryption@1.0.1'

/** Each with its number of texts, and a function that seals. */
export async function peers() {
  return [...cloak(), ...cryptr(), ...typeorm(), ...(await boringnode())]
}

/** `require` as from a folder in which these packages are installed. */
const requireFrom = (...packages) => createRequire(join(cached(...packages), 'none.js'))

function cloak() {
  const { encryptStringSync, generateKey } = requireFrom(CLOAK)('@47ng/cloak')
  const keys = [generateKey(), generateKey()]
  const reader = cloakReader(keys)
  let count = 0
  return [{ name: CLOAK, texts: 1000, seal: text => encryptStringSync(text, keys[count++ % 2]), reader }]
}

function cryptr() {
  return CRYPTR.flatMap(version => {
    const Cryptr = requireFrom(version)('cryptr')
    const secret = 'ä secret of the user'
    const peer = (name, texts, options) => {
      const original = new Cryptr(secret, options)
      return {
        name: `${version}${name}`,
        texts,
        seal: text => original.encrypt(text),
        reader: cryptrReader(secret, options),
      }
    }
    const usual = peer('', 5)
    if (version === CRYPTR[1]) return [usual]
    const options = { encoding: 'base64', saltLength: 10, pbkdf2Iterations: 3 }
    return [usual, peer(', other options', 1000, options)]
  })
}

function typeorm() {
  const { EncryptionTransformer } = requireFrom(...TYPEORM)('typeorm-encrypted')
  return [
    [128, 12],
    [192, 16],
    [256, 12],
    [256, 16],
  ].map(([bits, ivLength]) => {
    const options = {
      key: bytes(bits / 8, `typeorm ${bits}`).toString('hex'),
      algorithm: `aes-${bits}-gcm`,
      ivLength,
    }
    const transformer = new EncryptionTransformer(options)
    const name = `${TYPEORM[0]}, ${options.algorithm}, IV of ${ivLength} bytes`
    return { name, texts: 500, seal: text => transformer.to(text), reader: typeormReader(options) }
  })
}

async function boringnode() {
  const folder = join(cached(BORINGNODE), '@boringnode', 'encryption', 'build')
  const load = file => import(pathToFileURL(join(folder, file)).href)
  const { Encryption } = await load('index.js')
  const { aes256gcm } = await load(join('src', 'drivers', 'aes_256_gcm.js'))
  const [id, keys] = ['app', ['averylongrandom32charslongkey!!!', 'an older secret of the program']]
  const peer = (name, purpose, key) => {
    const original = new Encryption(aes256gcm({ id, keys: [key] }))
    const reader = boringnodeReader({ id, keys, ...(purpose === undefined ? {} : { purpose }) })
    return {
      name: `${BORINGNODE}${name}`,
      texts: 500,
      seal: text => original.encrypt(text, '1h', purpose),
      reader,
    }
  }
  return [peer('', undefined, keys[0]), peer(', with a purpose', 'login', keys[1])]
}
