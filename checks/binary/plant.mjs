// The faults that check.mjs must find: each spoils a copy of a good binary in one place, as a bad build would.

/** Puts a name where a name is that is not shorter. */
const rename = (file, { nameAt }, name) => file.write(`${name}\0`, nameAt, 'latin1')
/** Any of a list of named things with a name of this length at least. */
const long = (list, length) => list.find(({ name }) => name.length >= length)

/** For any binary: what is planted, what must be said of it, and how it is done to a copy and the copy's facts. */
const ANY = [
  ['a path of a building machine', /names a folder/, (_, { code }) => code[0].write('/root/lib.rs')],
]

const ELF = [
  ['another machine', /for ELF machine 8,/, file => file.writeUInt16LE(8, 18)],
  ['another library', /needs libx\.so,/, (file, { at }) => rename(file, tagged(at, 1), 'libx.so')],
  ['a search path', /a search path/, (file, { at }) => file.writeUInt32LE(29, tagged(at, 1).at)],
  ['no NODELETE', /lacks NODELETE/, (file, { at }) => file.writeUInt32LE(1, tagged(at, 0x6ffffffb).at + 8)],
  ['no BIND_NOW', /lacks BIND_NOW/, (file, { at }) => file.writeUInt32LE(0, tagged(at, 30).at + 8)],
  ['no RELRO', /lacks RELRO/, (file, { at }) => file.writeUInt32LE(0, segment(at, 0x6474e552).at)],
  ['an executable stack', /stack/, (file, { at }) => file.writeUInt32LE(7, segment(at, 0x6474e551).at + 4)],
  ['another export', /exports/, (file, { at }) => file.writeUInt16LE(1, imported(at).at + 6)],
  ['a Node-API import', /imports napi_x/, (file, { at }) => rename(file, long(at.symbols, 6), 'napi_x')],
]
const tagged = (at, tag) => at.dynamic.find(entry => entry.tag === tag)
const segment = (at, type) => at.segments.find(entry => entry.type === type)
const imported = at => at.symbols.find(({ defined, binding }) => !defined && binding === 'global')

/** Faults of what is linked with glibc. */
const GLIBC = [
  ['a newer glibc', /needs GLIBC_2\.34/, (file, { at }) => rename(file, long(at.versions, 10), 'GLIBC_2.34')],
  ['a function of none', /does not have/, (file, { at }) => file.writeUInt16LE(1, imported(at).versionAt)],
]

const MACHO = [
  ['another CPU', /no arm64 dylib/, file => file.writeUInt32LE(0x01000007, 4)],
  ['flat names', /in every library/, file => file.writeUInt32LE(0x5, 24)],
  ['one flat name', /in every library/, (file, { at }) => file.writeUInt8(0xfe, at.imports[0].at + 7)],
  ['a newer macOS', /needs macOS 15\.0/, (file, { at }) => file.writeUInt32LE(15 << 16, at.build + 12)],
  ['an absolute install name', /its install name/, (file, { at }) => rename(file, at.id, '/usr/lib/x.node')],
  ['another library', /needs libx\.dylib/, (file, { at }) => rename(file, at.libraries[0], 'libx.dylib')],
  ['an unknown function', /imports _x,/, (file, { at }) => rename(file, at.imports[0], '_x')],
  ['a Node-API import', /_napi_x, which a/, (file, { at }) => rename(file, long(at.imports, 7), '_napi_x')],
  ['another export', /exports mapi/, (file, { at }) => file.write('m', file.indexOf('napi_', at.trie))],
  ['no signature', /no signature/, (file, { at }) => file.writeUInt32LE(0, at.signature)],
  ['a signature cut short', /the whole file/, (file, { at }) => file.writeUInt32LE(16, at.signature + 12)],
  [
    'a signature by somebody',
    /not ad hoc/,
    (file, { at }) => file.fill(0, directory(file, at) + 12, directory(file, at) + 16),
  ],
  ['a change after signing', /after signing/, (_, { code }) => code[0].fill(0, 0, 4)],
]
/** The part of the signature that says how it was made. */
const directory = (file, at) => {
  const start = file.readUInt32LE(at.signature + 8)
  return start + file.readUInt32BE(start + 16)
}

/** Faults of what must hold arm64's instructions. */
const ARM64 = [['no instructions', /no aese/, (_, { code }) => code[0].fill(0)]]

/** A spoiled copy of a file for every fault it can have. */
export function planted(read, file, platform, limit) {
  const { minimumOs, glibc, target } = platform
  const lists = [ANY, minimumOs ? MACHO : ELF, glibc ? GLIBC : [], target.startsWith('aarch64') ? ARM64 : []]
  const spoiled = lists.flat().map(([what, expected, spoil]) => {
    const copy = Buffer.from(file)
    spoil(copy, read(copy))
    return { what, expected, file: copy }
  })
  const large = Buffer.concat([file, Buffer.alloc(limit + 1 - file.length)])
  return [...spoiled, { what: 'a byte too many', expected: /bytes and may have/, file: large }]
}
