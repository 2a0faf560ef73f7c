// `keyset`: the keys of a keyring in a file, in Tink's JSON form.
import { buffer as node } from '../../cipher/base/builtins.cjs'
import { KEY_TYPE_NAMES } from '../../values/keyring/keyset/key-types.cjs'
import { type Call, type Command, FORCE, OUT } from '../frame/command.cjs'
import { PROGRAM } from '../frame/help.cjs'
import { printJson, printLines, reportDone, STANDARD, STDIN_NAME } from '../frame/streams.cjs'
import { shownSafely } from '../frame/text.cjs'
import { shownWord } from '../frame/words.cjs'
import { WRAP } from '../secrets/key-program.cjs'
import { readKeyset, warningOf } from '../secrets/keyset-file.cjs'
import { ANY, WITH_PUBLIC_HALF } from '../secrets/keyset-kinds.cjs'
import { factsOf, tableOf } from '../secrets/keyset-list.cjs'
import { KeysetLock, UNLOCKING } from '../secrets/keyset-lock.cjs'
import { checkPassphrase, PASSPHRASE } from '../secrets/passphrase.cjs'
import { checkDelivery, deliver, refuseOwnInput } from '../writing/deliver.cjs'
import { change, create, ON_KEYS, PAIRS } from './keyset-changes.cjs'

const ACTIONS = ['new', 'add', ...ON_KEYS, 'list', 'public'] as const
type Action = (typeof ACTIONS)[number]
/** What an action has done when its report fails. */
const CHANGES = {
  new: 'the file was created',
  add: 'the key was added',
  promote: 'the key was promoted',
  enable: 'the key was enabled',
  disable: 'the key was disabled',
  delete: 'the key was deleted',
} as const

export const keyset: Command = {
  name: 'keyset',
  summary: 'Create a keyset for a keyring, change its keys, or list them',
  usage: [
    'keyset new FILE [--type TYPE] [--passphrase] [--force]',
    'keyset new FILE --hybrid NAME [--passphrase] [--force]',
    'keyset add FILE [--type TYPE | --hybrid NAME]',
    'keyset promote|enable|disable|delete FILE --id ID',
    'keyset list FILE',
    'keyset public FILE [--out FILE]',
  ],
  about: [
    "A keyset is a file of keys for hardware-aes-gcm/keyring, in Google Tink's JSON format. Its primary key encrypts; every enabled " +
      'key decrypts. Anyone who can read the file has the keys, unless a passphrase or a key service protects it. Keys are never ' +
      'printed.',
    'new creates a file with one key. add adds a key that only decrypts; promote makes it the primary key. disable turns a key ' +
      'off; enable turns it on again. delete removes it for good: data encrypted with it is lost. new and add print the id of their key.',
    'To rotate keys: add, deploy the file everywhere, promote, deploy again, re-encrypt old data, then disable and delete the old key.',
    'new --hybrid creates a private keyset: its public keys encrypt, its private keys decrypt. public prints the public keyset, for ' +
      'encrypt --to and hardware-aes-gcm/hybrid. x-wing resists quantum computers and needs Node 24.7; x25519 runs everywhere. After ' +
      'promote, distribute the public keyset again; --out writes it with mode 0600.',
    'A protected file stays protected: type its passphrase at the terminal. For a keyset encrypted by a key service, --unwrap and ' +
      '--wrap name programs that call the service. They run without a shell: blanks separate words, and quotation marks keep blanks.',
    'Several processes can change one file at once: no change is lost.',
  ],
  options: {
    type: {
      value: 'TYPE',
      help: `Type of the new key: ${KEY_TYPE_NAMES.join(', ')} (default: AES-256-GCM; for add, the type of the primary key)`,
    },
    hybrid: {
      value: 'NAME',
      help: 'Use key pairs of this type: x25519 or x-wing (default for add: the type of the primary key)',
    },
    id: { value: 'ID', help: 'Id of the key, from keyset list' },
    passphrase: PASSPHRASE,
    ...UNLOCKING,
    wrap: WRAP,
    out: OUT,
    force: FORCE,
  },
  examples: [
    'keyset new keys.json',
    'keyset add keys.json',
    'keyset promote keys.json --id 2882400001',
    'keyset list keys.json --json',
    'keyset new private.json --hybrid x25519',
    'keyset public private.json --out public.json',
  ],
  files: { most: 2, name: 'an action and one file' },
  async run(call) {
    const [action, file] = actionOf(call)
    if (action === 'list') return await list(call, file)
    if (action === 'public') return await printPublic(call, file)
    const id = call.number('id', 0, 2 ** 32 - 1)
    const lock = new KeysetLock(call)
    checkPassphrase(call, [], file)
    try {
      const done =
        action === 'new' ? await create(call, file, lock) : await change(call, file, action, id, lock)
      await reportDone(`${CHANGES[action]} (key ${done.id})`, async () => {
        const warning = warned(call, file, lock)
        if (call.has('json')) await printJson(call.streams, { file, ...done, ...warning })
        else if (action === 'new' || action === 'add') await printLines(call.streams, [String(done.id)])
      })
    } finally {
      lock.release()
    }
  },
}

/** The action and its file, after the options were checked. */
function actionOf(call: Call): [Action, string] {
  const [word, file] = call.files
  const action = ACTIONS.find(one => one === word)
  if (action === undefined) {
    const what =
      word === undefined ? 'needs an action' : `${shownWord(word, ACTIONS)} is not an action of keyset`
    throw call.misuse(`${word === undefined ? 'keyset ' : ''}${what}: ${ACTIONS.join(', ')}`)
  }
  if (file === undefined) throw call.misuse(`keyset ${action} needs a file`)
  if (file === STANDARD && action !== 'list' && action !== 'public') {
    throw call.misuse(`keyset ${action} needs a file, not standard input`)
  }
  const onKey = (ON_KEYS as readonly string[]).includes(action)
  if (onKey && !call.has('id')) throw call.misuse(`keyset ${action} needs the id of a key: --id ID`)
  if (!onKey) call.refuse(['id'], `applies to ${ON_KEYS.join(', ')} only`)
  if (action !== 'public') call.refuse(['out'], 'applies to public only')
  if (action !== 'new' && action !== 'public') call.refuse(['force'], 'applies to new and public only')
  if (action !== 'new' && action !== 'add') call.refuse(['type', 'hybrid'], 'applies to new and add only')
  if (call.has('hybrid')) call.refuse(['type'], 'cannot be combined with --hybrid')
  if (action === 'list' || action === 'public')
    call.refuse(['wrap'], 'applies only to actions that write the file')
  if (action !== 'new')
    call.refuse(['passphrase'], 'applies to new only: other actions ask for the passphrase of the file')
  if (call.has('wrap')) call.refuse(['passphrase', 'passphrase-file'], 'cannot be combined with --wrap')
  else if (action === 'new') call.refuse(['unwrap'], 'needs --wrap PROGRAM')
  call.choice('type', KEY_TYPE_NAMES)
  call.choice('hybrid', PAIRS)
  return [action, file]
}

async function list(call: Call, path: string): Promise<void> {
  const lock = new KeysetLock(call)
  const keyring = await readKeyset(call, path, ANY, lock)
  try {
    const { keys } = keyring
    const warning = 'destroy' in keyring ? warned(call, path, lock) : {}
    if (!call.has('json')) return await printLines(call.streams, tableOf(keys))
    const file = path === STANDARD ? STDIN_NAME : path
    await printJson(call.streams, { file, keys: keys.map(factsOf), ...warning })
  } finally {
    if ('destroy' in keyring) keyring.destroy()
  }
}

/** The public keyset of a private one. */
async function printPublic(call: Call, path: string): Promise<void> {
  checkDelivery(call)
  refuseOwnInput(call, path)
  const lock = new KeysetLock(call)
  const keyring = await readKeyset(call, path, WITH_PUBLIC_HALF, lock)
  try {
    const keyset = keyring.publicKeyset()
    const shown = () => ({ keyset: JSON.parse(keyset) as object })
    await deliver(call, { bytes: node.Buffer.from(`${keyset}\n`), facts: warned(call, path, lock), shown })
  } finally {
    keyring.destroy()
  }
}

/** Warns of keys that all users can read: on standard error, or by a field for --json. */
function warned(call: Call, path: string, lock: KeysetLock): { warning?: string } {
  const warning = lock.isOpen ? warningOf(path) : undefined
  if (warning === undefined) return {}
  if (call.has('json')) return { warning }
  call.streams.stderr.write(`${PROGRAM}: warning: ${shownSafely(warning)}\n`)
  return {}
}
