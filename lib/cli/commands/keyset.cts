// `keyset`: the keys of a keyring in a file, in Tink's JSON form.
import type { KeyInfo, KeyType } from '../../../types/keyring.d.ts'
import { Keyring } from '../../keyring/keyring.cjs'
import { KEY_TYPE_NAMES, keyTypeOf } from '../../keyring/keyset/key-types.cjs'
import { freshKey } from '../../machine/random.cjs'
import { type Call, type Command, FORCE } from '../frame/command.cjs'
import { unusable } from '../frame/failure.cjs'
import { PROGRAM } from '../frame/help.cjs'
import { printJson, printLines, STANDARD, STDIN_NAME } from '../frame/streams.cjs'
import { shownSafely } from '../frame/text.cjs'
import { shownWord } from '../frame/words.cjs'
import { WRAP } from '../secrets/key-program.cjs'
import { KEYSET_BYTES, readKeyset, warningOf } from '../secrets/keyset-file.cjs'
import { factsOf, tableOf } from '../secrets/keyset-list.cjs'
import { KeysetLock, UNLOCKING } from '../secrets/keyset-lock.cjs'
import { checkPassphrase, PASSPHRASE } from '../secrets/passphrase.cjs'
import { changeFile } from '../writing/change.cjs'
import { refuseTaken, withOutputs } from '../writing/outputs.cjs'

/** The actions that work on the key of `--id`. */
const ON_KEYS = ['promote', 'enable', 'disable', 'delete'] as const
const ACTIONS = ['new', 'add', ...ON_KEYS, 'list'] as const
type Action = (typeof ACTIONS)[number]

export const keyset: Command = {
  name: 'keyset',
  summary: 'Make a keyset for a keyring, change its keys, or list them',
  usage: [
    'keyset new FILE [--type TYPE] [--passphrase] [--force]',
    'keyset add FILE [--type TYPE]',
    'keyset promote|enable|disable|delete FILE --id ID',
    'keyset list FILE',
  ],
  about: [
    "The keys of hardware-aes-gcm/keyring, in the JSON form of Google Tink's keysets. The primary key seals; all enabled keys open. " +
      'The file holds the keys in clear text, and whoever reads it has them, unless a passphrase or a key service protects it. Keys ' +
      'are never shown.',
    'new makes a file with one key. add adds a key, which opens; promote makes it the key that seals. disable ends the use of a key ' +
      'until enable, and delete removes it for ever: what it sealed is then lost. new and add print the id of their key.',
    'To rotate: add, deploy the file everywhere, promote, deploy again, seal anew what the old key sealed, then disable and delete it.',
    'A protected file stays protected: the passphrase is asked at the terminal. For a keyset of a key service, --unwrap and --wrap name ' +
      'programs that call it. Blanks separate their words, quotation marks keep blanks, and no shell is asked.',
    'Several processes may change one file at once: each change is made to the result of the one before.',
  ],
  options: {
    type: {
      value: 'TYPE',
      help: `The type of a new key: ${KEY_TYPE_NAMES.join(', ')} (default: AES-256-GCM; for add, that of the primary key)`,
    },
    id: { value: 'ID', help: 'The id of a key, as list shows it' },
    passphrase: PASSPHRASE,
    ...UNLOCKING,
    wrap: WRAP,
    force: FORCE,
  },
  examples: [
    'keyset new keys.json',
    'keyset add keys.json',
    'keyset promote keys.json --id 2882400001',
    'keyset list keys.json --json',
  ],
  files: { most: 2, name: 'an action and one file' },
  async run(call) {
    const [action, file] = actionOf(call)
    if (action === 'list') return await list(call, file)
    const id = call.number('id', 0, 2 ** 32 - 1)
    const lock = new KeysetLock(call)
    checkPassphrase(call, [], file)
    try {
      const done =
        action === 'new' ? await create(call, file, lock) : await change(call, file, action, id, lock)
      if (call.has('json'))
        return await printJson(call.streams, { file, ...done, ...warned(call, file, lock) })
      warned(call, file, lock)
      if (action === 'new' || action === 'add') await printLines(call.streams, [String(done.id)])
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
  if (file === undefined) throw call.misuse(`keyset ${action} needs the name of a file`)
  if (file === STANDARD && action !== 'list') {
    throw call.misuse(`keyset ${action} needs the name of a file, not standard input`)
  }
  const onKey = (ON_KEYS as readonly string[]).includes(action)
  if (onKey && !call.has('id')) throw call.misuse(`keyset ${action} needs the id of a key: --id ID`)
  if (!onKey) call.refuse(['id'], `belongs to ${ON_KEYS.join(', ')}`)
  if (action !== 'new') call.refuse(['force'], 'belongs to new')
  if (action !== 'new' && action !== 'add') call.refuse(['type'], 'belongs to new and add')
  if (action === 'list') call.refuse(['wrap'], 'belongs to the actions that write the file')
  if (action !== 'new') call.refuse(['passphrase'], 'belongs to new: the others ask for that of the file')
  if (call.has('wrap')) call.refuse(['passphrase', 'passphrase-file'], 'and --wrap both protect the file')
  else if (action === 'new') call.refuse(['unwrap'], 'belongs to --wrap PROGRAM')
  call.choice('type', KEY_TYPE_NAMES)
  return [action, file]
}

/** A new file with one key. */
async function create(call: Call, path: string, lock: KeysetLock): Promise<object & { id: number }> {
  const force = call.has('force')
  refuseTaken(path, force)
  await lock.choose()
  const keyring = Keyring.generate(call.choice('type', KEY_TYPE_NAMES))
  try {
    const bytes = await lock.contentOf(keyring)
    try {
      await withOutputs({ force }, outputs => outputs.write(path, bytes))
    } finally {
      bytes.fill(0)
    }
    return factsOf(keyring.keys[0] as KeyInfo)
  } finally {
    keyring.destroy()
  }
}

/** Changes a file, and reports the added, changed or deleted key. */
async function change(
  call: Call,
  path: string,
  action: Exclude<Action, 'new' | 'list'>,
  id: number | undefined,
  lock: KeysetLock,
): Promise<object & { id: number }> {
  let done: (object & { id: number }) | undefined
  await changeFile(call.streams, path, KEYSET_BYTES, 'a keyset', async before => {
    const keyring = await lock.open(path, before, true)
    try {
      if (action === 'add') done = add(keyring, call.choice('type', KEY_TYPE_NAMES))
      else done = changeKey(keyring, path, action, id as number)
      return await lock.contentOf(keyring)
    } finally {
      keyring.destroy()
    }
  })
  return done as object & { id: number }
}

function add(keyring: Keyring, given: KeyType | undefined) {
  const type = given ?? (keyring.keys.find(({ primary }) => primary)?.type as KeyType)
  const key = freshKey(keyTypeOf('type', type).keyBytes)
  try {
    const id = keyring.add({ key, type })
    return factsOf(keyOf(keyring, id) as KeyInfo)
  } finally {
    key.fill(0)
  }
}

function changeKey(keyring: Keyring, path: string, action: (typeof ON_KEYS)[number], id: number) {
  const key = keyOf(keyring, id)
  const refuse = (what: string): never => {
    throw unusable(path, what)
  }
  if (key === undefined) return refuse(`has no key with the id ${id}: ${PROGRAM} keyset list shows its keys`)
  if (key.primary && (action === 'disable' || action === 'delete')) {
    refuse(`key ${id} is the primary key, which seals: promote another key first`)
  }
  if (action !== 'delete' && key.type === null)
    refuse(`key ${id} is destroyed, or of a type that ${PROGRAM} does not know`)
  if (action === 'promote' && key.status !== 'enabled') refuse(`key ${id} is ${key.status}: enable it first`)
  keyring[action](id)
  return action === 'delete' ? { id } : factsOf(keyOf(keyring, id) as KeyInfo)
}

function keyOf(keyring: Keyring, id: number): KeyInfo | undefined {
  return keyring.keys.find(key => key.id === id)
}

async function list(call: Call, path: string): Promise<void> {
  const lock = new KeysetLock(call)
  const keyring = await readKeyset(call, path, lock)
  try {
    const { keys } = keyring
    if (call.has('json'))
      await printJson(call.streams, {
        file: path === STANDARD ? STDIN_NAME : path,
        keys: keys.map(factsOf),
        ...warned(call, path, lock),
      })
    else {
      warned(call, path, lock)
      await printLines(call.streams, tableOf(keys))
    }
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
