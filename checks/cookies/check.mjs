// Proves that cookies of hardware-aes-gcm/cookie work with the parsers and servers of others: checks/run.mjs cookies
//
// Random cookies are parsed by three packages; the recipes of docs/guide/cookies.md run as pasted, in their servers, on three lines of
// Node; cookies that iron-session and next-auth make now are renewed. Installs the packages into the user's cache, at versions that
// stand here.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export default {
  about: 'Sessions in cookies work with the parsers and servers of others',
  needs: ['build'],
  random: true,
  plants: {
    'a cookie without HttpOnly': async () =>
      failed(async () => (await import('./parsers.mjs')).parse(line => line.replace('; HttpOnly', ''))),
    'a cookie whose Max-Age is not that of the seal': async () =>
      failed(async () =>
        (await import('./parsers.mjs')).parse(line => line.replace('Max-Age=', 'Max-Age=1')),
      ),
    'a changed cookie of iron-session': async () =>
      failed(async () => (await import('./old.mjs')).renew(text => text.replace('Fe26.2*1*', 'Fe26.2*1*0'))),
    'a recipe that does not write': async () =>
      inFolder(folder =>
        failed(async () =>
          (await import('./recipes.mjs')).serve(folder, 'node24', code =>
            code.replace(/^ *session\.write.*\n/m, ''),
          ),
        ),
      ),
  },
  async *prove() {
    yield (await import('./parsers.mjs')).parse()
    yield await (await import('./old.mjs')).renew()
    for (const node of ['node22', 'node24', 'node26'])
      yield await inFolder(async folder => (await import('./recipes.mjs')).serve(folder, node))
  },
}

async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'cookies-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The message of the error that a planted fault causes; undefined without one. */
async function failed(work) {
  try {
    await work()
  } catch (error) {
    return error.message.split('\n')[0]
  }
}
