// A consumer in ESM, in which the conformance suite runs.
import * as aesgcm from 'hardware-aes-gcm'
import * as quic from 'hardware-aes-gcm/quic'
import * as session from 'hardware-aes-gcm/session'
import * as shamir from 'hardware-aes-gcm/shamir'
import { CLASSES } from './conformance/classes.mjs'
import { conforms } from './conformance/index.mjs'
import everyFunction from './every-function.cjs'
import offThread from './off-thread.cjs'
import packets from './packets.cjs'
import sessions from './sessions.cjs'
import shares from './shares.cjs'

const backend = everyFunction(aesgcm)
packets(quic, aesgcm)
shares(shamir, aesgcm)
await offThread(aesgcm)
await sessions(session, aesgcm)
conforms(CLASSES, aesgcm.cpu().backends)
console.log(backend)
