// A test in Jest's default mode, which has no `require` of ES modules.
const { AesGcm: first } = require('hardware-aes-gcm')
const columns = require('../columns.cjs')
const cookies = require('../cookies.cjs')
const drizzle = require('../drizzle.cjs')
const entities = require('../entities.cjs')
const everyFunction = require('../every-function.cjs')
const keyrings = require('../keyrings.cjs')
const longNonces = require('../long-nonces.cjs')
const models = require('../models.cjs')
const offThread = require('../off-thread.cjs')
const oldTexts = require('../old-texts.cjs')
const packets = require('../packets.cjs')
const prisma = require('../prisma.cjs')
const publicKeys = require('../public-keys.cjs')
const repeatedNonces = require('../repeated-nonces.cjs')
const keyServices = require('../key-services.cjs')
const passphrases = require('../passphrases.cjs')
const rotations = require('../rotations.cjs')
const sessions = require('../sessions.cjs')
const shares = require('../shares.cjs')
const streams = require('../streams.cjs')

const columnsAndKeyring = { ...require('hardware-aes-gcm/columns'), ...require('hardware-aes-gcm/keyring') }

test('every function, of the package as it is required', () => {
  everyFunction(require('hardware-aes-gcm'))
})

test('long nonces', () => {
  longNonces(require('hardware-aes-gcm/xaes'), require('hardware-aes-gcm'))
})

test('repeated nonces', () => {
  repeatedNonces(require('hardware-aes-gcm/siv'), require('hardware-aes-gcm'))
})

test('keyrings', async () => {
  await keyrings(require('hardware-aes-gcm/keyring'), require('hardware-aes-gcm'))
})

test('public keys', () => {
  publicKeys(require('hardware-aes-gcm/hybrid'), require('hardware-aes-gcm'))
})

test('columns', () => {
  columns(require('hardware-aes-gcm/columns'), require('hardware-aes-gcm/keyring'))
})

test('cookies', () => {
  cookies(require('hardware-aes-gcm/cookie'), columnsAndKeyring)
})

test('drizzle', () => {
  drizzle(require('hardware-aes-gcm/drizzle'), columnsAndKeyring)
})

test('entities', () => {
  entities(require('hardware-aes-gcm/typeorm'), columnsAndKeyring)
})

test('models', () => {
  models(require('hardware-aes-gcm/sequelize'), columnsAndKeyring)
})

test('old texts', () => {
  oldTexts(require('hardware-aes-gcm/legacy'), require('hardware-aes-gcm'))
})

test('packets', () => {
  packets(require('hardware-aes-gcm/quic'), require('hardware-aes-gcm'))
})

test('prisma', () => prisma(require('hardware-aes-gcm/prisma'), columnsAndKeyring))

test('key services', () => keyServices(require('hardware-aes-gcm/kms'), require('hardware-aes-gcm/keyring')))

test('passphrases', () =>
  passphrases(require('hardware-aes-gcm/passphrase'), require('hardware-aes-gcm/keyring')))

test('rotations', () => rotations(require('hardware-aes-gcm/rotation'), columnsAndKeyring))

test('sessions', () => sessions(require('hardware-aes-gcm/session'), require('hardware-aes-gcm')))

test('shares', () => {
  shares(require('hardware-aes-gcm/shamir'), require('hardware-aes-gcm'))
})

test('streams', () => streams(require('hardware-aes-gcm/stream'), require('hardware-aes-gcm')))

test('the functions off the thread', () => offThread(require('hardware-aes-gcm')))

test('a second copy in one process', () => {
  jest.isolateModules(() => {
    const { AesGcm } = require('hardware-aes-gcm')
    expect(AesGcm).not.toBe(first)
    expect(new AesGcm(AesGcm.generateKey()).encrypt(Buffer.alloc(3))).toHaveLength(31)
  })
})
