// `split`: a key, or with `--seal` a file of any size, among several people.
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
  summary: 'Split a key, or the key of a sealed file, among several people',
  usage: ['split [FILE] -t NUMBER -n NUMBER [OPTIONS]', 'split --seal FILE -t NUMBER -n NUMBER [OPTIONS]'],
  about: [
    'Makes shares of the key in FILE, or of the key on standard input. Any threshold of them together give the key back ' +
      '(see combine); fewer tell nothing usable. FILE holds 16 or 32 bytes, or these in hex or base64.',
    'With --out, every share has a file of its own, such as share-3-of-5.txt. Without it, the shares are printed, one per line.',
    'Data of any other kind and size: --seal FILE encrypts FILE into FILE.sealed under a new key, as encrypt does, and splits ' +
      'that key. Every holder needs a share and FILE.sealed, which is no secret. FILE itself stays.',
  ],
  options: {
    threshold: { short: 't', value: 'NUMBER', help: 'How many shares give the key back: 2 to 255' },
    shares: { short: 'n', value: 'NUMBER', help: 'How many shares to make: up to 255' },
    out: {
      short: 'o',
      value: 'PLACE',
      help: 'Write one file per share: into the folder PLACE, or beginning with PLACE, as in PLACE-3-of-5.txt. Their mode is 0600 (on Windows, the folder decides). - is standard output',
    },
    seal: { value: 'FILE', help: 'Encrypt FILE into FILE.sealed, and split its key' },
    binary: { help: 'Write shares as 84 bytes instead of text' },
    type: {
      value: 'TYPE',
      help: "Write horcrux's text: compact or random. For keys of 32 bytes; it has no check, so a wrong share gives a wrong key",
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
      throw call.misuse('--out would put a share in place of the file that is split')
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
    await reportDone('the files of --out are written', async () => {
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
    const what = 'tell how many shares give the key back, and how many to make: --threshold 3 --shares 5, say'
    throw call.misuse(what)
  }
  if (threshold > shares) {
    throw call.misuse(`--threshold ${threshold} is above --shares ${shares}: nobody could combine them`)
  }
  const type = call.choice('type', ['compact', 'random'])
  if (type !== undefined) call.refuse(['binary'], "and --type name different forms: horcrux's has text alone")
  const form =
    type === 'compact'
      ? 'horcrux'
      : type === 'random'
        ? 'horcrux-random'
        : call.has('binary')
          ? 'binary'
          : 'text'
  const seal = call.text('seal')
  if (seal === undefined) call.refuse(['no-progress'], 'belongs to --seal')
  if (seal !== undefined && call.files.length > 0) {
    throw call.misuse(`--seal makes a key of its own, so ${call.command} takes no further file`)
  }
  if (seal === STANDARD) throw call.misuse('--seal needs the name of a file, not standard input')
  const { out } = call
  if (out === undefined) {
    call.refuse(['binary'], 'needs --out: bytes of several shares would run together')
    if (seal === undefined) call.refuse(['force'], 'belongs to --out or --seal')
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
        throw unusable(input.name, `--type takes a key of 32 bytes, got ${key.length}`)
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
