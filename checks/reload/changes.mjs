// Five changes of a keyset's file, three of them faulty, and a sixth that adds and promotes in one step, while four processes answer.
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AesGcm } from 'hardware-aes-gcm'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { root } from '../../scripts/tools.mjs'
import { Load } from './load.mjs'
import { Processes } from './processes.mjs'

const INTERVAL = 200
/** That of a spoiled server, whose processes then differ for longer. */
const LONG_INTERVAL = 600

/** The texts of the file, in order, and what every process must then say. */
function changes() {
  const keyring = Keyring.generate()
  const first = keyring.export()
  const add = () => keyring.add({ key: AesGcm.generateKey() })
  const a = keyring.keys[0].id
  const b = add()
  const added = keyring.export()
  keyring.promote(b)
  const promoted = keyring.export()
  const c = add()
  const more = keyring.export()
  keyring.promote(c)
  const atOnce = keyring.export()
  return {
    first,
    steps: [
      ['a key is added', added, [new RegExp(`has 2 keys, and ${a} seals`)]],
      ['a bad file', 'no keyset at all', [/keeps its keys: ERR_AESGCM_INVALID_KEYSET/]],
      ['the key is promoted', promoted, [new RegExp(`has 2 keys, and ${b} seals`)]],
      ['a truncated file', more.slice(0, more.length / 2), [/keeps its keys: ERR_AESGCM_INVALID_KEYSET/]],
      ['the first file again', first, [/keeps its keys: ERR_AESGCM_OLDER_KEYSET/]],
      [
        'a key is added and promoted at once',
        atOnce,
        [new RegExp(`has 3 keys, and ${b} seals`), new RegExp(`has 3 keys, and ${c} seals`)],
      ],
    ],
  }
}

/** Puts a text in place as Kubernetes does: a new folder, and a link that is renamed to the old one. */
function publish(folder, text, version) {
  mkdirSync(join(folder, `v${version}`))
  writeFileSync(join(folder, `v${version}/keys.json`), text)
  symlinkSync(`v${version}`, join(folder, 'next'))
  renameSync(join(folder, 'next'), join(folder, 'current'))
}

/**
 * Runs the changes over these seconds. `script` is the server. With `patient` false, a process need not say what it should: changes
 * then follow at equal times.
 */
export async function run(seconds, script = join(root, 'examples/keyring/reload.mjs'), patient = true) {
  const folder = mkdtempSync(join(tmpdir(), 'reload-'))
  const { first, steps } = changes()
  publish(folder, first, 0)
  const processes = new Processes(
    script,
    join(folder, 'current/keys.json'),
    patient ? INTERVAL : LONG_INTERVAL,
    root,
  )
  let load
  try {
    const [, port] = await processes.all(/\d+ listens on (\d+)$/)
    load = new Load(Number(port))
    const share = (seconds * 1000) / (steps.length + 1)
    const seen = []
    for (const [i, [what, text, answers]] of steps.entries()) {
      await pause(share)
      const [began, since] = [performance.now(), processes.said]
      publish(folder, text, i + 1)
      if (patient)
        for (const answer of answers) await processes.all(new RegExp(`\\d+ ${answer.source}`), since)
      seen.push({ what, milliseconds: Math.round(performance.now() - began) })
    }
    await pause(share)
    await load.end()
    return { requests: load.requests, failed: load.failed, why: load.why, seen }
  } finally {
    await load?.end()
    await processes.end()
    rmSync(folder, { recursive: true, force: true })
  }
}
