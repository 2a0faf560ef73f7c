// A consumer in CommonJS that a bundle of ES modules takes in: no built-in of Node's, which a bundler would not let it have.
const { AesGcm } = require('hardware-aes-gcm')

const aes = new AesGcm(AesGcm.generateKey())
if (aes.decrypt(aes.encrypt(Buffer.from('bundled'))).toString() !== 'bundled')
  throw new Error('the frame does not open')
console.log(aes.backend)
