// A consumer in ESM, in which the conformance suite runs; with `brief`, only its known answers.
import { argv } from 'node:process'
import * as aesgcm from 'hardware-aes-gcm'
import * as encrypted from 'hardware-aes-gcm/columns'
import * as cookie from 'hardware-aes-gcm/cookie'
import * as tables from 'hardware-aes-gcm/drizzle'
import * as hybrid from 'hardware-aes-gcm/hybrid'
import * as keyring from 'hardware-aes-gcm/keyring'
import * as kms from 'hardware-aes-gcm/kms'
import * as legacy from 'hardware-aes-gcm/legacy'
import * as passphrase from 'hardware-aes-gcm/passphrase'
import * as prisma from 'hardware-aes-gcm/prisma'
import * as quic from 'hardware-aes-gcm/quic'
import * as rotation from 'hardware-aes-gcm/rotation'
import * as sequelize from 'hardware-aes-gcm/sequelize'
import * as session from 'hardware-aes-gcm/session'
import * as shamir from 'hardware-aes-gcm/shamir'
import * as siv from 'hardware-aes-gcm/siv'
import * as stream from 'hardware-aes-gcm/stream'
import * as typeorm from 'hardware-aes-gcm/typeorm'
import * as xaes from 'hardware-aes-gcm/xaes'
import columns from './columns.cjs'
import { CLASSES } from './conformance/classes.mjs'
import { conforms } from './conformance/index.mjs'
import cookies from './cookies.cjs'
import drizzle from './drizzle.cjs'
import entities from './entities.cjs'
import everyFunction from './every-function.cjs'
import keyServices from './key-services.cjs'
import keyrings from './keyrings.cjs'
import longNonces from './long-nonces.cjs'
import models from './models.cjs'
import offThread from './off-thread.cjs'
import oldTexts from './old-texts.cjs'
import packets from './packets.cjs'
import passphrases from './passphrases.cjs'
import extension from './prisma.cjs'
import publicKeys from './public-keys.cjs'
import repeatedNonces from './repeated-nonces.cjs'
import rotations from './rotations.cjs'
import sessions from './sessions.cjs'
import shares from './shares.cjs'
import streams from './streams.cjs'

const backend = everyFunction(aesgcm)
longNonces(xaes, aesgcm)
repeatedNonces(siv, aesgcm)
packets(quic, aesgcm)
shares(shamir, aesgcm)
await keyrings(keyring, aesgcm)
publicKeys(hybrid, aesgcm)
columns(encrypted, keyring)
drizzle(tables, { ...encrypted, ...keyring })
cookies(cookie, keyring)
entities(typeorm, { ...encrypted, ...keyring })
models(sequelize, { ...encrypted, ...keyring })
oldTexts(legacy, aesgcm)
await extension(prisma, { ...encrypted, ...keyring })
await keyServices(kms, keyring)
await offThread(aesgcm)
await passphrases(passphrase, keyring)
await rotations(rotation, { ...encrypted, ...keyring })
await sessions(session, aesgcm)
await streams(stream, aesgcm)
conforms(CLASSES, aesgcm.cpu().backends, argv[2] === 'brief')
console.log(backend)
