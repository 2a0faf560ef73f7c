// The packages of this check, at their versions.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { env } from 'node:process'
import { root } from '../../scripts/tools.mjs'
import { cached } from '../tools/cache.mjs'

/** Parsers, servers, and other sessions. */
export const modules = () =>
  cached(
    'cookie@1.1.1',
    'set-cookie-parser@2.7.2',
    'tough-cookie@6.0.0',
    'iron-session@8.0.4',
    'express@5.2.1',
    'fastify@5.6.2',
    'hono@4.10.6',
    'koa@3.3.0',
    '@hono/node-server@1.19.6',
    'cookie-session@2.1.1',
    '@fastify/secure-session@8.3.0',
  )

/** next-auth, without Next.js and React, which its tokens do not need. */
export function nextAuth() {
  env.npm_config_legacy_peer_deps = 'true'
  try {
    return cached('next-auth@4.24.13')
  } finally {
    delete env.npm_config_legacy_peer_deps
  }
}

/** `require` as for a file next to these modules. */
export const from = folder => createRequire(join(folder, 'file.js'))
/** This package, as built. */
export const ours = createRequire(join(root, 'package.json'))
