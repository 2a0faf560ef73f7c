// Keysets, values, encrypted keysets and indexes, each way between this package and one peer. Everything follows from the seed.
import { readFileSync } from 'node:fs'
import { BlindIndex, context, Keyring } from 'hardware-aes-gcm/keyring'
import { bytes, number } from '../tools/random.mjs'

const KEYSETS = 100
const VALUES = 10
const INDEXES = 200
const LENGTHS = [0, 1, 15, 16, 17, 64, 255, 256, 1000, 5000]
const TYPES = ['AES-256-GCM', 'AES-128-GCM', 'XAES-256-GCM', 'AES-256-GCM-SIV', 'AES-128-GCM-SIV']
const PREFIXES = ['tink', 'raw', 'crunchy', 'legacy']
/** The templates of both peers, in their spelling. */
const TEMPLATES = ['AES128_GCM', 'AES256_GCM', 'AES256_GCM_RAW', 'XAES_256_GCM_192_BIT_NONCE']
const { cases } = JSON.parse(
  readFileSync(new URL('../../__test__/vectors/tink-reading.json', import.meta.url)),
)

const hex = data => Buffer.from(data).toString('hex')
const pick = (list, name) => list[number(list.length, name)]

/** Runs everything, and gives a line about it. */
export async function exchange(language, peer) {
  const begin = performance.now()
  const read = await reading(language, peer)
  const count = { sent: 0, received: 0, refused: 0 }
  for (let i = 0; i < KEYSETS; i++) {
    try {
      await keyset(language, peer, `keyset ${i}`, count)
    } catch (error) {
      throw new Error(`keyset ${i}: ${error.message}`)
    }
  }
  for (const template of TEMPLATES) await generated(peer, template)
  const indexes = await blindIndexes(peer)
  await peer.end()
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  return (
    `${count.sent} values of ours opened there, ${count.received} of its opened here, of ${KEYSETS} keysets, which went there and came back; ` +
    `planted and refused: ${count.refused}; ${read} keysets read or refused as the tests say; ${indexes} indexes; ${seconds} s`
  )
}

/** Whether the peer reads the keysets of the tests as they say. */
async function reading(language, peer) {
  for (const { name, text, hex, ...wanted } of cases) {
    const { ok, error } = await peer.ask('read', text === undefined ? { hex } : { text })
    if ((ok !== undefined) !== wanted[language])
      throw new Error(
        `the tests say of '${name}' that it is ${wanted[language] ? 'read' : 'refused'}: ${error ?? 'read'}`,
      )
  }
  return cases.length
}

/** A keyring of 1 to 6 keys, of which some are disabled, and the ids of those that are not. */
function randomKeyring(name) {
  const entries = []
  const ids = new Set()
  const size = 1 + number(6, `${name}, size`)
  for (let i = 0; i < size; i++) {
    const type = pick(TYPES, `${name}, type ${i}`)
    const prefix = pick(type === 'XAES-256-GCM' ? PREFIXES.slice(0, 2) : PREFIXES, `${name}, prefix ${i}`)
    const id = [bytes(4, `${name}, id ${i}`).readUInt32BE(), i, 2 ** 32 - 1 - i][
      number(3, `${name}, kind of id ${i}`)
    ]
    if (ids.has(id)) continue
    ids.add(id)
    const status = i > 0 && number(4, `${name}, status ${i}`) === 0 ? 'disabled' : 'enabled'
    entries.push({
      id,
      type,
      prefix,
      status,
      key: bytes(type.includes('128') ? 16 : 32, `${name}, key ${i}`),
    })
  }
  const enabled = entries.filter(({ status }) => status === 'enabled').map(({ id }) => id)
  const disabled = entries.filter(({ status }) => status === 'disabled').map(({ id }) => id)
  return { ring: new Keyring(entries, { primary: pick(enabled, `${name}, primary`) }), enabled, disabled }
}

async function keyset(language, peer, name, count) {
  const { ring, enabled, disabled } = randomKeyring(name)
  await roundTrips(language, peer, ring, name)
  for (let i = 0; i < VALUES; i++) {
    const value = {
      plaintext: bytes(LENGTHS[i] ?? number(3000, `${name}, length ${i}`), `${name}, plaintext ${i}`),
      aad: bytes(i % 3 === 0 ? 0 : number(100, `${name}, aad ${i}`), `${name}, aad ${i}`),
    }
    // Sealed by a key that may not be the primary one of the keyset that opens it.
    ring.promote(pick(enabled, `${name}, sealer ${i}`))
    const sealer = ring.export()
    ring.promote(pick(enabled, `${name}, opener ${i}`))
    const opener = ring.export()
    const isPlanted = i === number(VALUES, `${name}, planted`)
    await sends(
      peer,
      { sealer, opener, ...value, isText: i % 2 === 0, isPlanted },
      `${name}, value ${i}`,
      count,
    )
    await receives(
      peer,
      { sealer, opener, ...value, isText: i % 2 === 0, isPlanted },
      `${name}, value ${i}`,
      count,
    )
  }
  if (disabled.length > 0) await disabledKey(peer, ring, disabled[0], name, count)
}

/** As JSON, as the peer writes it, and encrypted by each under a key of the other. */
async function roundTrips(language, peer, ring, name) {
  const text = ring.export()
  // Tink for Go writes LEGACY as CRUNCHY, which has the same bytes.
  const wanted = language === 'go' ? text.replaceAll('"LEGACY"', '"CRUNCHY"') : text
  const same = (back, how) => {
    if (back.export() !== wanted) throw new Error(`${how}: another keyset comes back`)
  }
  same(Keyring.parse(await peer.must('export', { keyset: text })), 'as JSON')
  const kek = Keyring.generate('AES-256-GCM')
  const aad = bytes(number(40, `${name}, aad`), `${name}, aad`)
  const request = { kek: kek.export(), aad: hex(aad) }
  const open = wrapped => kek.open(wrapped, aad)
  same(await Keyring.unwrap(await peer.must('wrap', { ...request, keyset: text }), open), 'encrypted there')
  const wrapped = await ring.wrap(keyset => kek.seal(keyset, aad))
  same(Keyring.parse(await peer.must('unwrap', { ...request, text: wrapped })), 'encrypted here')
  const { error } = await peer.ask('unwrap', { ...request, text: wrapped, aad: hex(Buffer.from('other')) })
  if (error === undefined) throw new Error('planted: another aad, and the peer opens the encrypted keyset')
}

/** A value of ours, as bytes or as text, to the peer. */
async function sends(peer, { sealer, opener, plaintext, aad, isText, isPlanted }, name, count) {
  const ring = Keyring.parse(sealer)
  const text = hex(plaintext)
  const sealed = isText
    ? Buffer.from(ring.sealText(text, aad), 'base64url')
    : ring.seal(Buffer.from(text), aad)
  const opened = Buffer.from(
    await peer.must('open', { keyset: opener, sealed: hex(sealed), aad: hex(aad) }),
    'hex',
  )
  if (opened.toString() !== text) throw new Error('the peer opens ours to other bytes')
  count.sent++
  if (!isPlanted) return
  // A check that cannot fail proves nothing.
  for (const wrong of [
    { sealed: hex(flipped(sealed, name)), aad: hex(aad) },
    { sealed: hex(sealed), aad: `${hex(aad)}00` },
  ]) {
    const { error } = await peer.ask('open', { keyset: opener, ...wrong })
    if (error === undefined) throw new Error('planted: a bit or another aad, and the peer opens it')
    count.refused++
  }
}

/** A value of the peer to us. */
async function receives(peer, { sealer, opener, plaintext, aad, isText, isPlanted }, name, count) {
  const request = { keyset: sealer, plaintext: hex(Buffer.from(hex(plaintext))), aad: hex(aad) }
  const sealed = Buffer.from(await peer.must('seal', request), 'hex')
  const ring = Keyring.parse(opener)
  const open = (value, data) =>
    isText ? ring.tryOpenText(value.toString('base64url'), data) : ring.tryOpen(value, data)?.toString()
  if (open(sealed, aad) !== hex(plaintext)) throw new Error("we do not open the peer's")
  count.received++
  if (!isPlanted) return
  for (const [value, data] of [
    [flipped(sealed, name), aad],
    [sealed, Buffer.concat([aad, Buffer.alloc(1)])],
  ]) {
    if (open(value, data) != null) throw new Error('planted: a bit or another aad, and we open it')
    count.refused++
  }
}

/** A value under a key that is disabled in the keyset: neither opens it, until the key is enabled. */
async function disabledKey(peer, ring, id, name, count) {
  const now = ring.export()
  ring.enable(id)
  ring.promote(id)
  const before = ring.export()
  const [plaintext, aad] = [hex(bytes(30, name)), '']
  const sealed = await peer.must('seal', { keyset: before, plaintext, aad })
  const ours = hex(ring.seal(Buffer.from(plaintext, 'hex')))
  if ((await peer.must('open', { keyset: before, sealed: ours, aad })) !== plaintext)
    throw new Error('other bytes')
  if ((await peer.ask('open', { keyset: now, sealed: ours, aad })).error === undefined)
    throw new Error('the peer opens a value under a disabled key')
  if (Keyring.parse(now).tryOpen(Buffer.from(sealed, 'hex')) !== null)
    throw new Error('we open a value under a disabled key')
  if (hex(Keyring.parse(before).open(Buffer.from(sealed, 'hex'))) !== plaintext)
    throw new Error('other bytes')
  count.refused += 2
}

/** A keyset that the peer makes. */
async function generated(peer, template) {
  const text = await peer.must('generate', { template })
  const ring = Keyring.parse(text)
  const sealed = await peer.must('seal', { keyset: text, plaintext: 'c0ffee', aad: 'aa' })
  if (hex(ring.open(Buffer.from(sealed, 'hex'), Buffer.from([0xaa]))) !== 'c0ffee') throw new Error(template)
  ring.add({ key: bytes(32, template) })
  await peer.must('read', { text: ring.export() })
}

async function blindIndexes(peer) {
  for (let i = 0; i < INDEXES; i++) {
    const name = `index ${i}`
    const key = bytes(32 + number(40, `${name}, size`), `${name}, key`)
    const value = bytes(number(100, `${name}, length`), `${name}, value`)
    const [purpose, length] = [hex(bytes(1 + (i % 9), `${name}, purpose`)), 4 + number(29, `${name}, bits`)]
    const index = new BlindIndex(key, { purpose, bits: 8 * length })
    const keyset = prfKeyset(key)
    const answer = await peer.must('prf', { keyset, input: hex(context(purpose, value)), length })
    if (Buffer.from(answer, 'hex').toString('base64url') !== index.of(value))
      throw new Error(`${name}: other bytes`)
    if (i > 0) continue
    const other = await peer.must('prf', { keyset, input: hex(context(`${purpose}x`, value)), length })
    if (other === answer) throw new Error('planted: another purpose, and the peer gives the same index')
  }
  return INDEXES
}

/** A keyset of HmacPrfKey { params { hash = SHA256 }, key_value }. */
function prfKeyset(key) {
  const value = Buffer.concat([Buffer.from([0x12, 0x02, 0x08, 0x03, 0x1a, key.length]), key]).toString(
    'base64',
  )
  const keyData = {
    typeUrl: 'type.googleapis.com/google.crypto.tink.HmacPrfKey',
    value,
    keyMaterialType: 'SYMMETRIC',
  }
  return JSON.stringify({
    primaryKeyId: 1,
    key: [{ keyData, status: 'ENABLED', keyId: 1, outputPrefixType: 'RAW' }],
  })
}

function flipped(value, name) {
  const copy = Buffer.from(value)
  const bit = number(8 * copy.length, `${name}, bit`)
  copy[bit >> 3] ^= 1 << (bit & 7)
  return copy
}
