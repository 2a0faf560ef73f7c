// `combine`: restores a key, the data of a sealed file, or a lost share from shares.
import type { Buffer } from 'node:buffer'
import { buffer as node } from '../../cipher/base/builtins.cjs'
import { combineKey, recoverShare } from '../../protocols/shamir/combine.cjs'
import { type Call, type Command, FORCE, OUT } from '../frame/command.cjs'
import { NO_PROGRESS } from '../frame/progress.cjs'
import { STANDARD } from '../frame/streams.cjs'
import { readInput } from '../reading/input.cjs'
import { isReadFrom } from '../reading/same-file.cjs'
import { withSource } from '../reading/source.cjs'
import { checkKeyDelivery, deliverKey } from '../secrets/key.cjs'
import { type Form, formOf, namingFiles, SHARE_FILE_BYTES, type Share, sharesIn } from '../secrets/shares.cjs'
import { checkDelivery, deliver, deliverPieces, refuseOwnInput } from '../writing/deliver.cjs'
import { decryptSource } from '../writing/through-cipher.cjs'

const { Buffer: Bytes } = node
const MAX_SHARES = 255

export const combine: Command = {
  name: 'combine',
  summary: 'Restore a key, a file or a lost share from shares',
  usage: [
    'combine [FILE]... [OPTIONS]',
    'combine [FILE]... --open FILE.sealed --out FILE',
    'combine [FILE]... --at NUMBER [--out FILE]',
  ],
  about: [
    'Each FILE contains one share, or one share per line; without FILE, shares are read from standard input. Their format is ' +
      'detected. All shares are used and checked: a wrong share is named if it can be identified, and a wrong key is never output.',
    "horcrux's text has no check and does not contain the threshold: pass --threshold. With only that many shares, a wrong share " +
      'produces a wrong key.',
  ],
  options: {
    out: OUT,
    raw: { help: 'Write the key as raw bytes instead of hex digits' },
    open: {
      value: 'FILE',
      help: 'Decrypt FILE, from split --seal, to --out or a pipe',
    },
    at: {
      value: 'NUMBER',
      help: "Restore the share with this number (1 to 255) instead of the key. For horcrux's random text: 64 hex digits",
    },
    threshold: { short: 't', value: 'NUMBER', help: "For horcrux's text: the number of shares needed" },
    force: FORCE,
    'no-progress': NO_PROGRESS,
  },
  examples: [
    'combine share-1-of-5.txt share-3-of-5.txt share-4-of-5.txt',
    'combine share-*.txt --open diary.pdf.sealed --out diary.pdf',
    'combine share-[134]-of-5.txt --at 2 --out share-2-of-5.txt',
  ],
  files: { most: MAX_SHARES },
  async run(call) {
    const at = numberOf(call)
    check(call)
    const shares = await readShares(call)
    try {
      const form = formOf(shares)
      const options = optionsFor(call, form)
      const values = shares.map(({ value }) => value)
      const open = call.text('open')
      const named = <Result,>(work: () => Result) => naming(shares, work)
      if (open !== undefined) {
        await openSealed(
          call,
          open,
          named(() => combineKey(values, options)),
        )
      } else if (at === undefined)
        await deliverKey(
          call,
          named(() => combineKey(values, options)),
        )
      else
        await deliverShare(call, form, at, () => named(() => recoverShare(values as string[], at, options)))
    } finally {
      wipeShares(shares)
    }
  },
}

/** Refuses options that exclude each other, and names of existing files. */
function check(call: Call): void {
  const { out } = call
  const isOut = (path: string) => out !== undefined && isReadFrom(path, out)
  const shares = call.files.length === 0 ? [STANDARD] : call.files
  if (shares.some(isOut)) throw call.misuse('--out names an input file')
  const open = call.text('open')
  if (open !== undefined) {
    if (isOut(open)) throw call.misuse('--out and --open name the same file')
    if (open === STANDARD && shares.includes(STANDARD)) {
      throw call.misuse('--open - reads standard input: pass the shares in files')
    }
    refuseOwnInput(call, open)
    call.refuse(['at', 'raw'], 'cannot be combined with --open')
    checkDelivery(call, 'the decrypted data')
    return
  }
  call.refuse(['no-progress'], 'needs --open')
  if (call.has('at')) {
    call.refuse(['raw'], 'applies to a key, not to a share')
    checkDelivery(call)
  } else checkKeyDelivery(call)
}

/** The number of the share to make: 64 hex digits for horcrux's random text. */
function numberOf(call: Call): number | string | undefined {
  const text = call.text('at')
  if (text === undefined || /^[0-9a-f]{64}$/i.test(text)) return text
  return call.number('at', 1, MAX_SHARES)
}

async function readShares(call: Call): Promise<Share[]> {
  const shares: Share[] = []
  try {
    for (const path of call.files.length === 0 ? [STANDARD] : call.files) {
      const input = await readInput(
        call.streams,
        path,
        SHARE_FILE_BYTES,
        'shares',
        'the shares, one per line',
      )
      let isBinary = false
      try {
        const found = sharesIn(input)
        // A binary share is the bytes of its file.
        isBinary = typeof found[0]?.value !== 'string'
        shares.push(...found)
      } finally {
        if (!isBinary) input.bytes.fill(0)
      }
    }
  } catch (error) {
    wipeShares(shares)
    throw error
  }
  return shares
}

/** Strings cannot be wiped. */
function wipeShares(shares: readonly Share[]): void {
  for (const { value } of shares) if (typeof value !== 'string') value.fill(0)
}

function optionsFor(call: Call, form: Form) {
  const isHorcrux = form === 'horcrux' || form === 'horcrux-random'
  const threshold = call.number('threshold', 1, MAX_SHARES)
  // 64 digits, as `numberOf` has read them, are for horcrux's random text alone.
  if (form !== 'horcrux-random') call.number('at', 1, MAX_SHARES)
  if (!isHorcrux) {
    call.refuse(['threshold'], "is only for horcrux's text: these shares contain the threshold")
    return {}
  }
  if (threshold !== undefined) return { format: 'horcrux', threshold } as const
  throw call.misuse("horcrux's shares do not contain the threshold: pass --threshold NUMBER")
}

/** Decrypts the file of `--open`, and wipes the key. */
async function openSealed(call: Call, path: string, key: Buffer): Promise<void> {
  try {
    await withSource(call.streams, path, source =>
      deliverPieces(call, async (write, progress) => ({
        bytes: await decryptSource(call, source, { key }, write, progress, 'it belongs to other shares'),
      })),
    )
  } finally {
    key.fill(0)
  }
}

function naming<Result>(shares: readonly Share[], work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw namingFiles(error, shares)
  }
}

async function deliverShare(
  call: Call,
  form: Form,
  at: number | string,
  recover: () => Buffer | string,
): Promise<void> {
  if (form === 'binary') checkDelivery(call, 'the bytes of a share')
  const share = recover()
  const bytes = typeof share === 'string' ? Bytes.from(`${share}\n`) : share
  await deliver(call, { bytes, facts: { at, form }, shown: () => ({ share }) })
}
