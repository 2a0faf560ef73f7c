// A consumer in ESM, in which the conformance suite runs.
import * as aesgcm from 'hardware-aes-gcm'
import * as quic from 'hardware-aes-gcm/quic'
import { CLASSES } from './conformance/classes.mjs'
import { conforms } from './conformance/index.mjs'
import everyFunction from './every-function.cjs'
import offThread from './off-thread.cjs'
import packets from './packets.cjs'

const backend = everyFunction(aesgcm)
packets(quic, aesgcm)
await offThread(aesgcm)
conforms(CLASSES, aesgcm.cpu().backends)
console.log(backend)
