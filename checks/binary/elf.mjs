// Reads what a Linux binary asks of the machine that loads it, and says what of that is wrong.

const SECTION = { program: 1, dynamic: 6, symbols: 11, versions: 0x6ffffffe, versionOf: 0x6fffffff }
/** A section's flag. */
const CODE = 4
const SEGMENT = { stack: 0x6474e551, relro: 0x6474e552 }
const TAG = { needed: 1, rpath: 15, runpath: 29, flags: 30, flags1: 0x6ffffffb }
const BINDINGS = ['local', 'global', 'weak']
/** A segment's flag. */
const EXECUTABLE = 1
const BIND_NOW = 8
const NODELETE = 8

/** The facts of a 64-bit little-endian ELF file; `at`: where in the file each was read, for planting faults. */
export function readElf(file) {
  const word = at => Number(file.readBigUInt64LE(at))
  const named = at => ({ name: file.toString('latin1', at, file.indexOf(0, at)), nameAt: at })
  const table = (start, size, count) => Array.from({ length: count }, (_, i) => start + i * size)

  const segments = table(word(32), 56, file.readUInt16LE(56)).map(at => ({
    at,
    type: file.readUInt32LE(at),
    flags: file.readUInt32LE(at + 4),
  }))
  const headers = table(word(40), 64, file.readUInt16LE(60)).map(at => ({
    type: file.readUInt32LE(at + 4),
    flags: word(at + 8),
    start: word(at + 24),
    size: word(at + 32),
    link: file.readUInt32LE(at + 40),
  }))
  const string = (section, offset) => headers[section.link].start + offset

  const dynamicSection = headers.find(({ type }) => type === SECTION.dynamic)
  const dynamic = table(dynamicSection.start, 16, dynamicSection.size / 16).map(at => ({
    at,
    tag: word(at),
    value: word(at + 8),
    ...named(string(dynamicSection, word(at + 8))), // where the value is a name
  }))
  const symbolSection = headers.find(({ type }) => type === SECTION.symbols)
  const versionOf = headers.find(({ type }) => type === SECTION.versionOf)
  const symbols = table(symbolSection.start, 24, symbolSection.size / 24)
    .map((at, i) => ({
      at,
      ...named(string(symbolSection, file.readUInt32LE(at))),
      binding: BINDINGS[file[at + 4] >> 4],
      defined: file.readUInt16LE(at + 6) !== 0,
      versionAt: versionOf && versionOf.start + 2 * i,
    }))
    .slice(1) // the first entry of a symbol table stands for no symbol
  const value = tag => dynamic.find(entry => entry.tag === tag)?.value ?? 0
  const versionSection = headers.find(({ type }) => type === SECTION.versions)
  const versions = versionSection
    ? [...versionNames(file, versionSection.start)].map(offset => named(string(versionSection, offset)))
    : []
  const names = list => list.map(({ name }) => name)

  return {
    machine: file.readUInt16LE(18),
    needs: names(dynamic.filter(({ tag }) => tag === TAG.needed)),
    paths: names(dynamic.filter(({ tag }) => tag === TAG.rpath || tag === TAG.runpath)),
    versions: names(versions),
    exports: names(symbols.filter(({ defined, binding }) => defined && binding !== 'local')),
    imports: names(symbols.filter(({ defined }) => !defined)),
    unversioned: names(
      symbols.filter(
        ({ defined, binding, versionAt }) =>
          !defined && binding === 'global' && !(versionAt && file.readUInt16LE(versionAt) > 1),
      ),
    ),
    stays: (value(TAG.flags1) & NODELETE) !== 0,
    bindsNow: (value(TAG.flags) & BIND_NOW) !== 0,
    relro: segments.some(({ type }) => type === SEGMENT.relro),
    stack: segments.find(({ type }) => type === SEGMENT.stack)?.flags,
    code: headers
      .filter(({ type, flags }) => type === SECTION.program && (flags & CODE) !== 0)
      .map(({ start, size }) => file.subarray(start, start + size)),
    at: { dynamic, segments, symbols, versions },
  }
}

/** Where, in the table of strings, the names of the versions needed of each library are. */
function* versionNames(file, start) {
  for (let library = start; ; library += file.readUInt32LE(library + 12)) {
    let version = library + file.readUInt32LE(library + 8)
    for (let left = file.readUInt16LE(library + 2); left > 0; left--) {
      yield file.readUInt32LE(version + 8)
      version += file.readUInt32LE(version + 12)
    }
    if (file.readUInt32LE(library + 12) === 0) return
  }
}

/** What is wrong with these facts for this platform: one sentence each. */
export function* elfFaults(facts, platform) {
  if (facts.machine !== platform.machine)
    yield `it is for ELF machine ${facts.machine}, not ${platform.machine}`
  for (const path of facts.paths) yield `it has a search path for libraries: ${path}`
  for (const version of facts.versions) {
    if (
      !version.startsWith('GLIBC_') ||
      platform.glibc === undefined ||
      newer(version.slice(6), platform.glibc)
    )
      yield `it needs ${version}, and ${platform.glibc === undefined ? 'musl has no versions' : `glibc ${platform.glibc} must do`}`
  }
  // A weak import may be missing. Any other is in the C library that was linked against, and so has its version.
  if (platform.glibc !== undefined)
    for (const name of facts.unversioned)
      yield `it imports ${name}, which glibc ${platform.glibc} does not have`
  if (!facts.stays) yield 'it lacks NODELETE: Node would unload it under its threads'
  if (!facts.bindsNow)
    yield 'it lacks BIND_NOW: a missing function would show at its first call, not at loading'
  if (!facts.relro) yield 'it lacks RELRO: its tables of functions stay writable'
  if (facts.stack === undefined || (facts.stack & EXECUTABLE) !== 0) yield 'its stack is executable'
}

/** Whether dotted version `a` is newer than `b`. */
function newer(a, b) {
  const [x, y] = [a, b].map(version => version.split('.').map(Number))
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    if ((x[i] ?? 0) !== (y[i] ?? 0)) return !((x[i] ?? 0) < (y[i] ?? 0))
  }
  return false
}

/** The highest version of glibc it needs, for reading. */
export const highestGlibc = facts =>
  facts.versions.reduce(
    (highest, version) => (newer(version.slice(6), highest) ? version.slice(6) : highest),
    '0',
  )
