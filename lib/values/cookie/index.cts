// The entry `hardware-aes-gcm/cookie`, documented by types/cookie.d.ts; contract/ compares both.
import { ironSessionCookie } from './iron-session.cjs'
import { nextAuthCookie } from './next-auth.cjs'
import { sealedCookie } from './sealed-cookie.cjs'

// A plain object, as in lib/index.cts.
export = { ironSessionCookie, nextAuthCookie, sealedCookie } as const
