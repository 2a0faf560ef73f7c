// Messages each way with Tink for Python and with pyca's HPKE: node exchange.mjs NUMBER, on a Node with ML-KEM. HYBRID_PYTHON names the
// folders of both packages. If HYBRID_GO names the program of checks/tink/go/hybrid, messages go to Tink for Go
// instead.
import { argv, env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import { Peer } from '../tools/peer.mjs'
import { bytes, number } from '../tools/random.mjs'

const MESSAGES = Number(argv[2])
if (!(MESSAGES > 0)) throw new Error('give the number of messages')
const TYPES = ['X25519-AES-256-GCM', 'X25519-AES-128-GCM', 'X-WING-AES-256-GCM', 'X-WING-AES-128-GCM']
// Tink for Go has no HPKE with the prefix of old keys.
const PREFIXES = ['tink', 'raw', 'crunchy', ...(env.HYBRID_GO ? [] : ['legacy'])]
const TEMPLATES = [
  'DHKEM_X25519_HKDF_SHA256_HKDF_SHA256_AES_128_GCM',
  'DHKEM_X25519_HKDF_SHA256_HKDF_SHA256_AES_128_GCM_RAW',
  'DHKEM_X25519_HKDF_SHA256_HKDF_SHA256_AES_256_GCM',
  'DHKEM_X25519_HKDF_SHA256_HKDF_SHA256_AES_256_GCM_RAW',
  'X_WING_HKDF_SHA256_HKDF_SHA256_AES_256_GCM',
  'X_WING_HKDF_SHA256_HKDF_SHA256_AES_256_GCM_RAW',
]
const hex = data => Buffer.from(data).toString('hex')

const peer = env.HYBRID_GO
  ? new Peer(env.HYBRID_GO, [])
  : new Peer('python3', [fileURLToPath(new URL('peer.py', import.meta.url))], {
      PYTHONPATH: env.HYBRID_PYTHON,
      PYTHONDONTWRITEBYTECODE: '1',
    })
const ask = (operation, request) => peer.ask({ operation, ...request })
async function must(operation, request) {
  const { ok, error } = await ask(operation, request)
  if (ok === undefined) throw new Error(`${operation}: the peer refuses: ${error}`)
  return ok
}

let refused = 0
async function mustRefuse(operation, request, sealed, context) {
  const copy = Buffer.from(sealed)
  const bit = number(8 * copy.length, `${hex(sealed.subarray(0, 40))}, bit`)
  copy[bit >> 3] ^= 1 << (bit & 7)
  for (const wrong of [
    { sealed: hex(copy), context: hex(context) },
    { sealed: hex(sealed), context: `${hex(context)}00` },
  ]) {
    if ((await ask(operation, { ...request, ...wrong })).error === undefined)
      throw new Error('planted: a bit or another context, and the peer opens it')
    refused++
  }
}

function weRefuse(keyring, sealed, context) {
  const copy = Buffer.from(sealed)
  copy[number(copy.length, `${hex(sealed.subarray(0, 40))}, byte`)] ^= 1
  if (
    keyring.tryOpen(copy, context) !== null ||
    keyring.tryOpen(sealed, Buffer.concat([context, Buffer.of(0)])) !== null
  )
    throw new Error('planted: a bit or another context, and we open it')
  refused += 2
}

/** A plaintext and its context info. */
function message(name) {
  const length =
    number(8, `${name}, kind`) === 0 ? number(5000, `${name}, long`) : number(100, `${name}, length`)
  return { plaintext: bytes(length, name), context: bytes(number(40, `${name}, size`), `${name}, context`) }
}

/** A keyring of one to three keys, whose primary key is any of them. */
function randomKeyring(name) {
  const pick = (list, what) => list[number(list.length, `${name}, ${what}`)]
  const keyring = PrivateKeyring.generate(pick(TYPES, 'type'), { prefix: pick(PREFIXES, 'prefix') })
  for (let i = number(3, `${name}, more`); i > 0; i--) {
    const id = keyring.add(pick(TYPES, `type ${i}`), { prefix: pick(PREFIXES, `prefix ${i}`) })
    if (number(2, `${name}, promote ${i}`) === 0) keyring.promote(id)
  }
  return keyring
}

let [sent, received] = [0, 0]
for (let i = 0; i < MESSAGES; i++) {
  const name = `tink ${i}`
  const isOurs = i % 2 === 0
  const text = isOurs ? '' : await must('generate', { template: TEMPLATES[(i >> 1) % TEMPLATES.length] })
  const keyring = isOurs ? randomKeyring(name) : PrivateKeyring.parse(text)
  const [ours, theirs] = [keyring.export(), keyring.publicKeyset()]
  if (!isOurs && PublicKeyring.parse(await must('public', { keyset: text })).export() !== theirs)
    throw new Error('another public keyset')
  const { plaintext, context } = message(name)
  const sealed = PublicKeyring.parse(theirs).seal(plaintext, context)
  if ((await must('open', { keyset: ours, sealed: hex(sealed), context: hex(context) })) !== hex(plaintext))
    throw new Error('other bytes')
  sent++
  const back = Buffer.from(
    await must('seal', { keyset: theirs, plaintext: hex(plaintext), context: hex(context) }),
    'hex',
  )
  if (!keyring.open(back, context).equals(plaintext)) throw new Error('other bytes')
  received++
  if (i % 10 > 1) continue
  await mustRefuse('open', { keyset: ours }, sealed, context)
  weRefuse(keyring, back, context)
}

let [pycaSent, pycaReceived] = [0, 0]
for (let i = 0; i < MESSAGES && !env.HYBRID_GO; i++) {
  const name = `pyca ${i}`
  const type = TYPES[i % TYPES.length]
  const keyring = PrivateKeyring.generate(type, { prefix: 'raw' })
  const bytesIn = keyset => Buffer.from(JSON.parse(keyset).key[0].keyData.value, 'base64')
  // The values end with the keys.
  const [secret, publicValue] = [bytesIn(keyring.export()), bytesIn(keyring.publicKeyset())]
  const size = type.startsWith('X-WING') ? 1216 : 32
  const keys = { type, secret: hex(secret.subarray(-32)), public: hex(publicValue.subarray(-size)) }
  const { plaintext, context } = message(name)
  const sealed = PublicKeyring.parse(keyring.publicKeyset()).seal(plaintext, context)
  const open = { ...keys, sealed: hex(sealed), context: hex(context) }
  if ((await must('pyca_open', open)) !== hex(plaintext)) throw new Error('other bytes')
  pycaSent++
  const back = Buffer.from(
    await must('pyca_seal', { ...keys, plaintext: hex(plaintext), context: hex(context) }),
    'hex',
  )
  if (!keyring.open(back, context).equals(plaintext)) throw new Error('other bytes')
  pycaReceived++
  if (i % 10 > 3) continue
  await mustRefuse('pyca_open', keys, sealed, context)
  weRefuse(keyring, back, context)
}
await peer.end()
const [title, others] = env.HYBRID_GO
  ? ['Tink for Go', '']
  : ['Tink for Python', `pyca: ${pycaSent} there, ${pycaReceived} here; `]
console.log(
  `${title}: ${sent} messages of ours opened there, ${received} of its here; ${others}planted and refused: ${refused}`,
)
