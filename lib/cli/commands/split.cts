// `split`: splits a key, or with `--seal` the key to an encrypted file, into shares.
import type { Buffer } from 'node:buffer'
import { fs, buffer as node } from '../../cipher/base/builtins.cjs'
import { freshKey } from '../../cipher/machine/random.cjs'
import { readSplit } from '../../protocols/shamir/options.cjs'
import { splitBy } from '../../protocols/shamir/split.cjs'
import { type Call, type Command, FORCE } from '../frame/command.cjs'
import { unusable } from '../frame/failure.cjs'
import { NO_PROGRESS, type Progress, withProgress } from '../frame/progress.cjs'
import { printJson, printLines, reportDone, STANDARD } from '../frame/streams.cjs'
import { readInput } from '../reading/input.cjs'
import { isReadFrom } from '../reading/same-file.cjs'
import { withSource } from '../reading/source.cjs'
import { KEY_FILE_BYTES, keyIn } from '../secrets/key.cjs'
import type { Form } from '../secrets/shares.cjs'
import { type Outputs, refuseTaken, withOutputs } from '../writing/outputs.cjs'
import { encryptSource } from '../writing/through-cipher.cjs'

const { Buffer: Bytes } = node
const { basename, join } = process.getBuiltinModule('node:path')
const NEWLINE = '\n'

export const split: Command = {
  name: 'split',
  summary: 'Split a key, or the key to an encrypted file, into shares',
  usage: ['split [FILE] -t NUMBER -n NUMBER [OPTIONS]', 'split --seal FILE -t NUMBER -n NUMBER [OPTIONS]'],
  about: [
    'Splits the key in FILE, or on standard input, into shares. Any --threshold of them restore the key (see combine); fewer reveal ' +
      'nothing usable. FILE contains 16 or 32 bytes, raw, in hex or in base64.',
    'With --out, each share has its own file, such as share-3-of-5.txt. Otherwise the shares are printed, one per line.',
    'For any other data, --seal FILE encrypts FILE to FILE.sealed under a new key, as encrypt does, and splits that key. Every ' +
      'holder needs a share and FILE.sealed, which is not secret. FILE is left unchanged.',
  ],
  options: {
    threshold: { short: 't', value: 'NUMBER', help: 'Shares needed to restore the key: 2 to 255' },
    shares: { short: 'n', value: 'NUMBER', help: 'Shares to create: up to 255' },
    out: {
      short: 'o',
      value: 'PLACE',
      help: 'Write one file per share: into the folder PLACE, or named PLACE-3-of-5.txt and so on, with mode 0600 (on Windows, the folder sets permissions); - is standard output',
    },
    seal: { value: 'FILE', help: 'Encrypt FILE to FILE.sealed, and split its key' },
    binary: { help: 'Write shares as 84 raw bytes instead of text' },
    type: {
      value: 'TYPE',
      help: "Write horcrux's text: compact or random. For 32-byte keys only; it has no check, so a wrong share produces a wrong key",
    },
    force: FORCE,
    'no-progress': NO_PROGRESS,
  },
  examples: [
    'split backup.key --threshold 3 --shares 5 --out backup',
    'keygen | hardware-aes-gcm split -t 2 -n 3',
    'split --seal diary.pdf -t 3 -n 5 --out /media/usb/',
  ],
  files: { most: 1 },
  async run(call) {
    const order = orderOf(call)
    const { paths, sealed } = order
    const force = call.has('force')
    const files = [...(paths ?? []), ...(sealed === undefined ? [] : [sealed])]
    const source = order.seal ?? call.files[0] ?? STANDARD
    if (files.some(path => isReadFrom(source, path))) {
      throw call.misuse('--out would overwrite the input file with a share')
    }
    for (const path of files) refuseTaken(path, force)
    await withProgress(call, progress =>
      withOutputs({ force, flushing: () => progress.flushing() }, async outputs => {
        const shares = await sharesOf(call, order, outputs, progress)
        try {
          for (const [i, path] of (paths ?? []).entries())
            await outputs.write(path, fileOf(shares[i] as Share))
          // Printed before the sealed file gets its name: without its shares it would be lost.
          if (paths === undefined) {
            progress.erase()
            if (call.has('json')) await printJson(call.streams, { ...factsOf(order), shares })
            else await printLines(call.streams, shares as string[])
          }
        } finally {
          for (const share of shares) if (typeof share !== 'string') share.fill(0)
        }
      }),
    )
    if (paths === undefined) return
    await reportDone('the --out files were written', async () => {
      if (call.has('json')) await printJson(call.streams, { ...factsOf(order), files: paths })
      else await printLines(call.streams, files)
    })
  },
}

type Share = Buffer | string

interface Order {
  readonly threshold: number
  readonly shares: number
  readonly form: Form
  /** The file to encrypt, and the file that it becomes. */
  readonly seal: string | undefined
  readonly sealed: string | undefined
  /** The files of the shares; undefined for standard output. */
  readonly paths: readonly string[] | undefined
}

function orderOf(call: Call): Order {
  const threshold = call.number('threshold', 2, 255)
  const shares = call.number('shares', 2, 255)
  if (threshold === undefined || shares === undefined) {
    const what = 'split needs --threshold and --shares, such as --threshold 3 --shares 5'
    throw call.misuse(what)
  }
  if (threshold > shares) {
    throw call.misuse(`--threshold ${threshold} is above --shares ${shares}: the key could never be restored`)
  }
  const type = call.choice('type', ['compact', 'random'])
  if (type !== undefined) call.refuse(['binary'], "cannot be combined with --type: horcrux's shares are text")
  const form =
    type === 'compact'
      ? 'horcrux'
      : type === 'random'
        ? 'horcrux-random'
        : call.has('binary')
          ? 'binary'
          : 'text'
  const seal = call.text('seal')
  if (seal === undefined) call.refuse(['no-progress'], 'needs --seal')
  if (seal !== undefined && call.files.length > 0) {
    throw call.misuse(`--seal generates the key, so ${call.command} accepts no other FILE`)
  }
  if (seal === STANDARD) throw call.misuse('--seal needs a file, not standard input')
  const { out } = call
  if (out === undefined) {
    call.refuse(['binary'], 'needs --out: binary shares need separate files')
    if (seal === undefined) call.refuse(['force'], 'needs --out or --seal')
  }
  const sealed = seal === undefined ? undefined : `${seal}.sealed`
  const paths = out === undefined ? undefined : pathsOf(out, shares, form)
  return { threshold, shares, form, seal, sealed, paths }
}

/** Names of equal length, which sort by number. */
function pathsOf(out: string, shares: number, form: Form): readonly string[] {
  const inFolder =
    basename(out) === '' || /[\\/]$/.test(out) || fs.statSync(out, { throwIfNoEntry: false })?.isDirectory()
  const beginning = inFolder ? join(out, 'share') : out
  const digits = String(shares).length
  const ending = form === 'binary' ? 'bin' : 'txt'
  return Array.from({ length: shares }, (_, i) => {
    return `${beginning}-${String(i + 1).padStart(digits, '0')}-of-${shares}.${ending}`
  })
}

async function sharesOf(
  call: Call,
  order: Order,
  outputs: Outputs,
  progress: Progress,
): Promise<readonly Share[]> {
  const { threshold, shares, form, seal, sealed } = order
  // Without the warning of splitKey: `keyIn` has judged text already.
  const split = (key: Uint8Array) => splitBy(readSplit({ threshold, shares, format: form }), key)
  if (seal === undefined || sealed === undefined) {
    const input = await readInput(
      call.streams,
      call.files[0] ?? STANDARD,
      KEY_FILE_BYTES,
      'a key',
      'the key as hex digits',
    )
    const key = keyIn(input)
    try {
      if (form.startsWith('horcrux') && key.length !== 32) {
        throw unusable(input.name, `--type needs a 32-byte key, got ${key.length}`)
      }
      return split(key)
    } finally {
      key.fill(0)
    }
  }
  const key = freshKey(32)
  try {
    await withSource(call.streams, seal, async source => {
      const file = outputs.create(sealed)
      await encryptSource(source, { key }, bytes => file.write(bytes), progress)
    })
    return split(key)
  } finally {
    key.fill(0)
  }
}

function fileOf(share: Share): Buffer {
  return typeof share === 'string' ? Bytes.from(`${share}${NEWLINE}`) : share
}

function factsOf({ threshold, shares, form, sealed }: Order) {
  return { threshold, count: shares, form, ...(sealed !== undefined && { sealed }) }
}
