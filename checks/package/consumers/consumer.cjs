// A consumer in CommonJS, which requires the package.
const everyFunction = require('./every-function.cjs')
const offThread = require('./off-thread.cjs')
const packets = require('./packets.cjs')
const sessions = require('./sessions.cjs')
const shares = require('./shares.cjs')

const backend = everyFunction({ ...require('hardware-aes-gcm') })
packets({ ...require('hardware-aes-gcm/quic') }, require('hardware-aes-gcm'))
shares({ ...require('hardware-aes-gcm/shamir') }, require('hardware-aes-gcm'))
offThread(require('hardware-aes-gcm'))
  .then(() => sessions({ ...require('hardware-aes-gcm/session') }, require('hardware-aes-gcm')))
  .then(() => console.log(backend))
