// Reads what a macOS binary asks of the Mac that loads it, and says what of that is wrong. No Mac is needed.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const COMMAND = {
  segment: 0x19,
  symbols: 0x2,
  id: 0xd,
  libraries: [0xc, 0x80000018, 0x8000001f],
  rpath: 0x8000001c,
  signature: 0x1d,
  build: 0x32,
  dyldInfo: [0x22, 0x80000022],
  exports: 0x80000033,
}
const ARM64 = 0x0100000c
const DYLIB = 6
const TWO_LEVEL = 0x80
/** In place of the number of a library. */
const DYNAMIC_LOOKUP = 0xfe
const AD_HOC = 2

/** The C functions that macOS 11 is known to have. */
const STUB = readFileSync(new URL('../../scripts/dist/libSystem.tbd', import.meta.url), 'utf8')
const KNOWN = new Set(
  [...STUB.matchAll(/symbols: \[([^\]]*)\]/g)].flatMap(([, names]) => names.trim().split(/,\s*/)),
)

/** The facts of a 64-bit little-endian Mach-O file; `at`: where in the file each was read, for planting faults. */
export function readMacho(file) {
  const named = at => ({ name: file.toString('latin1', at, file.indexOf(0, at)), nameAt: at })
  const names = list => list.map(({ name }) => name)
  const commands = []
  for (let at = 32, left = file.readUInt32LE(16); left > 0; left--) {
    commands.push({ at, kind: file.readUInt32LE(at) })
    at += file.readUInt32LE(at + 4)
  }
  const all = kinds => commands.filter(({ kind }) => [kinds].flat().includes(kind)).map(({ at }) => at)
  /** The strings that commands of some kinds have at their ends. */
  const strings = kinds => all(kinds).map(at => named(at + file.readUInt32LE(at + 8)))

  const [symbolTable] = all(COMMAND.symbols)
  const symbols = Array.from({ length: file.readUInt32LE(symbolTable + 12) }, (_, i) => {
    const at = file.readUInt32LE(symbolTable + 8) + 16 * i
    return {
      at,
      ...named(file.readUInt32LE(symbolTable + 16) + file.readUInt32LE(at)),
      defined: (file[at + 4] & 0x0e) !== 0,
      library: file[at + 7],
    }
  })
  const imports = symbols.filter(({ defined }) => !defined)
  const libraries = strings(COMMAND.libraries)
  const [id] = strings(COMMAND.id)
  const [dyldInfo] = all(COMMAND.dyldInfo)
  const [exports] = all(COMMAND.exports)
  const trie = file.readUInt32LE(dyldInfo === undefined ? exports + 8 : dyldInfo + 40)
  const [build] = all(COMMAND.build)
  const [signature] = all(COMMAND.signature)

  return {
    cpu: file.readUInt32LE(4),
    type: file.readUInt32LE(12),
    twoLevel: (file.readUInt32LE(24) & TWO_LEVEL) !== 0,
    minimumOs: build && `${file.readUInt16LE(build + 14)}.${file[build + 13]}`,
    id: id?.name,
    paths: names(strings(COMMAND.rpath)),
    needs: names(libraries),
    exports: [...exported(file, trie)].map(name => name.replace(/^_/, '')),
    imports: names(imports),
    flat: names(imports.filter(({ library }) => library === DYNAMIC_LOOKUP)),
    signature:
      signature && readSignature(file, file.readUInt32LE(signature + 8), file.readUInt32LE(signature + 12)),
    code: [codeOf(file, all(COMMAND.segment))],
    at: { build, id, libraries, trie, imports, signature },
  }
}

/** The names in the tree that the loader looks exports up in: an edge is a piece of a name and where it leads. */
function* exported(file, start, node = start, prefix = '') {
  const number = at => {
    let [value, shift] = [0, 0]
    for (; ; at++, shift += 7) {
      value += (file[at] & 0x7f) * 2 ** shift
      if (file[at] < 0x80) return [value, at + 1]
    }
  }
  const [size, payload] = number(node)
  if (size > 0) yield prefix
  let at = payload + size
  for (let edges = file[at++]; edges > 0; edges--) {
    const end = file.indexOf(0, at)
    const [offset, next] = number(end + 1)
    yield* exported(file, start, start + offset, prefix + file.toString('latin1', at, end))
    at = next
  }
}

/** The section __text. */
function codeOf(file, segments) {
  for (const at of segments) {
    for (let section = at + 72, left = file.readUInt32LE(at + 64); left > 0; left--, section += 80) {
      if (file.toString('latin1', section, section + 7) !== '__text\0') continue
      const start = file.readUInt32LE(section + 48)
      return file.subarray(start, start + Number(file.readBigUInt64LE(section + 40)))
    }
  }
}

/** The signature at `start`, its numbers big-endian: how it is signed, how much, and which pages do not match. */
function readSignature(file, start, size) {
  const directory = start + file.readUInt32BE(start + 16)
  const word = at => file.readUInt32BE(directory + at)
  const [hashes, slots, limit, pageSize] = [word(16), word(28), word(32), 2 ** file[directory + 39]]
  const wrong = []
  for (let page = 0; page * pageSize < start; page++) {
    const bytes = file.subarray(page * pageSize, Math.min((page + 1) * pageSize, start))
    const hash = directory + hashes + 32 * page
    if (
      page >= slots ||
      createHash('sha256')
        .update(bytes)
        .digest()
        .compare(file, hash, hash + 32) !== 0
    )
      wrong.push(page)
  }
  return {
    adHoc: (word(12) & AD_HOC) !== 0,
    whole: limit === start && start + size === file.length,
    pages: slots,
    wrong,
  }
}

/** What is wrong with these facts for this platform: one sentence each. */
export function* machoFaults(facts, platform, binary) {
  if (facts.cpu !== ARM64 || facts.type !== DYLIB) yield 'it is no arm64 dylib'
  if (!facts.twoLevel || facts.flat.length > 0)
    yield `it would look for functions in every library: ${facts.flat.join(', ') || 'all of them'}`
  if (facts.minimumOs !== platform.minimumOs)
    yield `it needs macOS ${facts.minimumOs}, not ${platform.minimumOs}`
  if (facts.id !== `@rpath/${binary}`) yield `its install name is ${facts.id}, not @rpath/${binary}`
  for (const path of facts.paths) yield `it has a search path for libraries: ${path}`
  for (const name of facts.imports)
    if (!KNOWN.has(name))
      yield `it imports ${name}, which scripts/dist/libSystem.tbd does not list: see there`
  if (facts.signature === undefined) yield 'it has no signature: no Mac with Apple silicon would load it'
  else {
    if (!facts.signature.adHoc) yield 'its signature is not ad hoc'
    if (!facts.signature.whole) yield 'its signature does not cover the whole file'
    if (facts.signature.wrong.length > 0)
      yield `it was changed after signing: pages ${facts.signature.wrong.join(', ')} of ${facts.signature.pages}`
  }
}
