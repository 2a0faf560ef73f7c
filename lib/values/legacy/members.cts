// Finds the parts of a value: in a text, or in the possibly nested members of an object, which is
// JSON or a caller's object, such as a table row.
import type { Buffer } from 'node:buffer'
import { define, hasOwn, keys, toSpliced, types } from '../../cipher/base/builtins.cjs'
import { copied, lengthOf } from '../../cipher/base/bytes.cjs'
import { mustBe } from '../../cipher/base/errors.cjs'
import { objectOf } from '../../cipher/base/json.cjs'
import { codedIfRevoked, optionsOf } from '../../cipher/base/parse.cjs'
import { textOfBytes } from '../../cipher/base/utf8.cjs'
import type { Parts } from './cipher.cjs'
import { bytesOfJson } from './json-bytes.cjs'
import {
  bytesIn,
  complete,
  type Found,
  isBare,
  type Layout,
  type Lengths,
  layoutOf,
  type PartEncoding,
  read,
  readBytes,
  wrong,
} from './layout.cjs'

const { isProxy, isUint8Array } = types
/** Most objects inside one another: an object that contains itself would have no end. */
const DEEPEST = 8

/** A layout, and the names of the members that lead to its value; none for the whole value. */
export interface Member {
  readonly path: readonly string[]
  readonly layout: Layout
}

/** Reads the layout of a caller: a text, or an object of layouts. */
export function membersOf(layout: unknown, encoding: PartEncoding | undefined): readonly Member[] {
  const members: Member[] = []
  addMembers(members, [], 'options.layout', layout, encoding)
  return members
}

function addMembers(
  members: Member[],
  path: readonly string[],
  argument: string,
  layout: unknown,
  encoding: PartEncoding | undefined,
): void {
  if (typeof layout === 'string') {
    define(members, `${members.length}`, { path, layout: layoutOf(argument, layout, encoding) })
    return
  }
  if (typeof layout !== 'object' || layout === null)
    throw mustBe(argument, 'a string, or an object for JSON or columns', layout)
  if (path.length === DEEPEST) throw wrong('options.layout', `must not nest more than ${DEEPEST} objects`)
  const names = namesOf(argument, layout)
  const own = optionsOf(layout, names, argument)
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    const inside = toSpliced(path, 0, 0)
    define(inside, `${path.length}`, name)
    addMembers(members, inside, `${argument}.${name}`, own(name), encoding)
  }
}

function namesOf(argument: string, layout: object): readonly string[] {
  try {
    return keys(layout)
  } catch (error) {
    throw codedIfRevoked(argument, layout, error)
  }
}

/** The parts of a value; undefined for another layout. `outer`: the encoding of the whole text. */
export function partsOf(
  members: readonly Member[],
  sealed: string | object,
  lengths: Lengths,
  outer: PartEncoding | undefined,
): Parts | undefined {
  const isText = typeof sealed === 'string'
  let root: unknown = isText && outer !== undefined ? textInside(sealed, outer) : sealed
  // All members have names, or the only one has none.
  if (typeof root === 'string' && members[0]?.path.length !== 0) root = objectOf(root)
  const found = { __proto__: null } as Found
  for (let i = 0; i < members.length; i++) {
    const { path, layout } = members[i] as Member
    let value = root
    // Rows of an ORM have getters of their class; JSON has own members alone.
    for (let n = 0; n < path.length; n++) value = memberOf(value, path[n] as string, isText)
    if (!readValue(layout, value, lengths, found)) return undefined
  }
  return complete(found)
}

function textInside(text: string, encoding: PartEncoding): string | undefined {
  const bytes = bytesIn(text, encoding)
  return bytes === undefined ? undefined : textOfBytes(bytes)
}

function memberOf(object: unknown, name: string, own: boolean): unknown {
  if (typeof object !== 'object' || object === null) return undefined
  try {
    return own && !hasOwn(object, name) ? undefined : object[name as never]
  } catch (error) {
    throw codedIfRevoked('sealed', object, error)
  }
}

function readValue(layout: Layout, value: unknown, lengths: Lengths, found: Found): boolean {
  if (typeof value === 'string') return read(layout, value, lengths, found)
  if (typeof value !== 'object' || value === null || !isBare(layout)) return false
  const bytes = bytesOfValue(value)
  return bytes !== undefined && readBytes(layout, bytes, lengths, found)
}

/** Bytes, or what JSON makes of them. */
function bytesOfValue(value: object): Buffer | undefined {
  if (isUint8Array(value)) return copied(value, lengthOf('sealed', value))
  return isProxy(value) ? undefined : bytesOfJson(value)
}
