// Messages to recipients each way with Python: node recipients.mjs NUMBER, on a Node with ML-KEM. The reader is the one that
// docs/formats.md prints, over Tink for Python and pyca's Cobblestone; the writer is in peer.py. HYBRID_PYTHON names the folders of both.
import { argv, env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import { decryptBuffer, encryptBuffer } from 'hardware-aes-gcm/stream'
import { root } from '../../scripts/tools.mjs'
import { Peer } from '../tools/peer.mjs'
import { bytes, number } from '../tools/random.mjs'

const MESSAGES = Number(argv[2])
if (!(MESSAGES > 0)) throw new Error('give the number of messages')
const TYPES = ['X25519-AES-256-GCM', 'X25519-AES-128-GCM', 'X-WING-AES-256-GCM', 'X-WING-AES-128-GCM']
const PREFIXES = ['tink', 'raw', 'crunchy', 'legacy']
const LENGTHS = [0, 1, 16_383, 16_384, 16_385, 40_000]
const hex = data => Buffer.from(data).toString('hex')

const peer = new Peer(
  'python3',
  [fileURLToPath(new URL('peer.py', import.meta.url)), `${root}/docs/formats.md`],
  { PYTHONPATH: env.HYBRID_PYTHON, PYTHONDONTWRITEBYTECODE: '1' },
)
const ask = (operation, request) => peer.ask({ operation, ...request })

let refused = 0
for (let i = 0; i < MESSAGES; i++) {
  const name = `file ${i}`
  const pick = (list, what) => list[number(list.length, `${name}, ${what}`)]
  const keyrings = Array.from({ length: 1 + number(3, `${name}, recipients`) }, (_, j) =>
    PrivateKeyring.generate(pick(TYPES, `type ${j}`), { prefix: pick(PREFIXES, `prefix ${j}`) }),
  )
  const keysets = keyrings.map(keyring => keyring.publicKeyset())
  const reader = pick(keyrings, 'reader')
  const keyset = reader.export()
  const plaintext = bytes(pick(LENGTHS, 'length'), name)
  const context = bytes(number(40, `${name}, size`), `${name}, context`)

  const recipients = keysets.map(keyset => PublicKeyring.parse(keyset))
  const ours = encryptBuffer(plaintext, recipients, { context })
  const open = (message, request = {}) =>
    ask('decrypt_file', { keyset, message: hex(message), context: hex(context), ...request })
  const { ok, error } = await open(ours)
  if (ok !== hex(plaintext)) throw new Error(`the peer does not open file ${i}: ${error}`)

  const made = await ask('encrypt_file', { keysets, plaintext: hex(plaintext), context: hex(context) })
  if (made.ok === undefined) throw new Error(`the peer does not make file ${i}: ${made.error}`)
  const theirs = Buffer.from(made.ok, 'hex')
  if (!decryptBuffer(theirs, reader, { context }).equals(plaintext)) throw new Error('other bytes')

  // A bit, a shorter message, another context, and a recipient who is not one of them.
  const changed = message => {
    const copy = Buffer.from(message)
    const bit = number(8 * copy.length, `${name}, bit ${refused}`)
    copy[bit >> 3] ^= 1 << (bit & 7)
    return copy
  }
  const stranger = PrivateKeyring.generate('X25519-AES-256-GCM')
  for (const [message, request] of [
    [changed(ours)],
    [ours.subarray(0, number(ours.length, `${name}, cut`))],
    [ours, { context: `${hex(context)}00` }],
    [ours, { keyset: stranger.export() }],
  ]) {
    if ((await open(message, request)).error === undefined) throw new Error('planted, and the peer opens it')
    refused++
  }
  for (const [message, key, wanted] of [
    [changed(theirs), reader, context],
    [theirs.subarray(0, number(theirs.length, `${name}, cut`)), reader, context],
    [theirs, reader, Buffer.concat([context, Buffer.of(0)])],
    [theirs, stranger, context],
  ]) {
    try {
      decryptBuffer(message, key, { context: wanted })
    } catch (error) {
      if (!/^ERR_AESGCM_(?:WRONG_KEY|STREAM_TRUNCATED|AUTHENTICATION_FAILED)$/.test(error.code)) throw error
      refused++
      continue
    }
    throw new Error('planted, and we open it')
  }
}
await peer.end()
console.log(
  `files to recipients: ${MESSAGES} of ours opened by the reader in docs/formats.md, ${MESSAGES} of Python's here; planted and refused: ${refused}`,
)
