// A consumer in CommonJS, which requires the package.
const everyFunction = require('./every-function.cjs')

console.log(everyFunction({ ...require('hardware-aes-gcm') }))
