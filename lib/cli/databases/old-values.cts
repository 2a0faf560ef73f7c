// The options that describe old values, which other programs encrypted: readers of values/legacy/.
import type { Buffer } from 'node:buffer'
import type { LegacyReader, PartEncoding } from '../../../types/legacy.d.ts'
import { cloakReader } from '../../values/legacy/cloak.cjs'
import { layoutReader } from '../../values/legacy/layout-reader.cjs'
import type { Call, Option } from '../frame/command.cjs'
import { unusable } from '../frame/failure.cjs'
import { readInput } from '../reading/input.cjs'
import { KEY_FILE_BYTES, keyIn } from '../secrets/key.cjs'

export const OLD_OPTIONS: Readonly<Record<string, Option>> = {
  'old-layout': {
    value: 'LAYOUT',
    help: "Also read values that another program encrypted, such as '{iv}:{tag}:{ct}' (see layoutReader of hardware-aes-gcm/legacy)",
  },
  'old-encoding': {
    value: 'NAME',
    help: 'Encoding of the parts of --old-layout: hex, base64, base64url or mime',
  },
  'old-key': { value: 'FILE', help: 'Key of --old-layout: 16 or 32 bytes, hex or base64' },
  'old-cloak': {
    value: 'FILE',
    help: 'Also read values of prisma-field-encryption (@47ng/cloak); FILE contains its keys, one per line',
  },
  'from-clear': {
    help: 'Also encrypt plaintext values; use it once, in a migration, because anyone can forge plaintext',
  },
}

const ENCODINGS: readonly PartEncoding[] = ['hex', 'base64', 'base64url', 'mime']
/** More than the eight keys of a reader. */
const CLOAK_BYTES = 4096

/** Refuses options that need another one. */
export function checkOld(call: Call): void {
  call.choice('old-encoding', ENCODINGS)
  if (!call.has('old-layout')) call.refuse(['old-encoding', 'old-key'], 'needs --old-layout')
  else if (!call.has('old-key'))
    throw call.misuse('--old-layout needs the key of the old values: --old-key FILE')
}

/** Lends `work` the readers, whose keys are wiped afterwards. */
export async function withReaders<Result>(
  call: Call,
  work: (readers: readonly LegacyReader[]) => Promise<Result>,
): Promise<Result> {
  const readers: LegacyReader[] = []
  try {
    if (call.has('old-layout')) readers.push(await layout(call))
    if (call.has('old-cloak')) readers.push(await cloak(call))
    return await work(readers)
  } finally {
    for (const reader of readers) reader.destroy()
  }
}

async function layout(call: Call): Promise<LegacyReader> {
  const text = call.text('old-layout') as string
  const encoding = call.choice('old-encoding', ENCODINGS)
  const key = keyIn(await readInput(call.streams, call.text('old-key') as string, KEY_FILE_BYTES, 'a key'))
  try {
    return layoutReader({ key, layout: text, encoding })
  } catch (error) {
    throw call.misuse(`--old-layout: ${(error as Error).message}`)
  } finally {
    key.fill(0)
  }
}

async function cloak(call: Call): Promise<LegacyReader> {
  const path = call.text('old-cloak') as string
  const { name, bytes } = await readInput(call.streams, path, CLOAK_BYTES, 'cloak keys')
  try {
    return cloakReader(linesOf(bytes))
  } catch {
    throw unusable(name, 'must contain cloak keys (k1.aesgcm256.…), one per line')
  } finally {
    bytes.fill(0)
  }
}

function linesOf(bytes: Buffer): string[] {
  return bytes
    .toString('latin1')
    .split(/\s+/)
    .filter(line => line !== '')
}
