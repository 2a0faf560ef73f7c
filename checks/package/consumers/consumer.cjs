// A consumer in CommonJS: the package is ESM, and `require` must take it.
const everyFunction = require('./every-function.cjs')

console.log(everyFunction({ ...require('hardware-aes-gcm') }))
