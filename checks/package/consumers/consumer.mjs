// A consumer in ESM.
import * as aesgcm from 'hardware-aes-gcm'
import everyFunction from './every-function.cjs'

console.log(everyFunction(aesgcm))
