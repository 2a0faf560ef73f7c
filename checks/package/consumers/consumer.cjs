// A consumer in CommonJS, which requires the package.
const columns = require('./columns.cjs')
const entities = require('./entities.cjs')
const models = require('./models.cjs')
const everyFunction = require('./every-function.cjs')
const keyrings = require('./keyrings.cjs')
const longNonces = require('./long-nonces.cjs')
const offThread = require('./off-thread.cjs')
const oldTexts = require('./old-texts.cjs')
const packets = require('./packets.cjs')
const repeatedNonces = require('./repeated-nonces.cjs')
const sessions = require('./sessions.cjs')
const shares = require('./shares.cjs')
const streams = require('./streams.cjs')

const backend = everyFunction({ ...require('hardware-aes-gcm') })
longNonces({ ...require('hardware-aes-gcm/xaes') }, require('hardware-aes-gcm'))
repeatedNonces({ ...require('hardware-aes-gcm/siv') }, require('hardware-aes-gcm'))
packets({ ...require('hardware-aes-gcm/quic') }, require('hardware-aes-gcm'))
shares({ ...require('hardware-aes-gcm/shamir') }, require('hardware-aes-gcm'))
keyrings({ ...require('hardware-aes-gcm/keyring') }, require('hardware-aes-gcm'))
models(
  { ...require('hardware-aes-gcm/sequelize') },
  require('hardware-aes-gcm/keyring'),
  require('hardware-aes-gcm/columns'),
)
entities(
  { ...require('hardware-aes-gcm/typeorm') },
  require('hardware-aes-gcm/keyring'),
  require('hardware-aes-gcm/columns'),
)
columns({ ...require('hardware-aes-gcm/columns') }, require('hardware-aes-gcm/keyring'))
oldTexts({ ...require('hardware-aes-gcm/legacy') }, require('hardware-aes-gcm'))
offThread(require('hardware-aes-gcm'))
  .then(() => sessions({ ...require('hardware-aes-gcm/session') }, require('hardware-aes-gcm')))
  .then(() => streams({ ...require('hardware-aes-gcm/stream') }, require('hardware-aes-gcm')))
  .then(() => console.log(backend))
