// Plants faults for the gate to find: in listings of a few lines, and in a copy of the sources that is then built.
import { plant } from '../tools/plant.mjs'
import { parse } from './image.mjs'
import { judge } from './judge.mjs'

const BACKEND = 'hardware_aes_gcm::backend::vaes512'
const X4 = `<${BACKEND}::X4 as hardware_aes_gcm::lanes::Lanes>`
const SLOTS = new Map([[0x9000, 'memcpy@GLIBC_2.14']])

/** A disassembly with four bytes per instruction. `@name` becomes the address of the line after `name:`. */
function listing(functions) {
  const labels = new Map(Object.keys(functions).map((name, i) => [name, 0x1000 * (i + 1)]))
  let text = ''
  for (const [name, lines] of Object.entries(functions)) {
    let at = labels.get(name)
    for (const line of lines) {
      if (line.endsWith(':')) labels.set(line.slice(0, -1), at)
      else at += 4
    }
    at = labels.get(name)
    text += `${at.toString(16).padStart(16, '0')} <${name}>:\n`
    for (const line of lines.filter(line => !line.endsWith(':'))) {
      const resolved = line.replace(/@(.+)$/, (_, label) => `${labels.get(label).toString(16)} <${label}>`)
      text += `    ${at.toString(16)}:\t${resolved}\n`
      at += 4
    }
  }
  return text
}

/** A kernel like a real one, with lines put in before the loop, first and last in it, and after the return. */
function kernel({ before = [], first = [], inside = [], after = [], multiplies = 8 } = {}) {
  return [
    ...['push   rbp', 'sub    rsp,0x20', ...before, 'loop:'],
    ...[...first, 'vmovdqu64 zmm0,ZMMWORD PTR [rdi]', ...Array(9).fill('vaesenc zmm0,zmm0,zmm1')],
    ...['vaesenclast zmm0,zmm0,zmm1', ...Array(multiplies).fill('vpclmullqlqdq zmm2,zmm0,zmm3')],
    ...[...inside, 'back:', 'vmovdqu64 ZMMWORD PTR [rdi],zmm0'],
    ...['add    rdi,0x40', 'dec    rsi', 'jne    @loop'],
    ...['add    rsp,0x20', 'pop    rbp', 'ret', ...after],
  ]
}

const seal = parts => ({ [`${BACKEND}::ENTRY::seal`]: kernel(parts) })
const open = parts => ({ [`${BACKEND}::ENTRY::open`]: kernel(parts) })
const evaluate = parts => ({ [`${BACKEND}::ENTRY::evaluate`]: kernel(parts) })
const all = (names, code) => Object.fromEntries(names.map(name => [`${BACKEND}::${name}`, code]))
const rest = all(
  `
    authenticate seal_siv open_siv authenticate_siv keystream keystream_siv evaluate lagrange power_sums
    invert
  `
    .trim()
    .split(/\s+/)
    .map(name => `ENTRY::${name}`),
  kernel(),
)
const short = all(
  ['expand', 'derive', 'derive_siv', 'wipe', 'multiply', 'forget']
    .map(name => `ENTRY::${name}`)
    .concat('SINGLE_BLOCKS::encrypt'),
  ['ret'],
)
const whole = { ...rest, ...open(), ...short }
const spill = 'vmovdqa64 ZMMWORD PTR [rsp+0x40],zmm3'
const throughRbp = 'vmovdqu64 ZMMWORD PTR [rbp-0x40],zmm3'
const panics = 'core::panicking::panic_bounds_check'
const cold = `${BACKEND}::cold`

const branch = register => [`test   ${register},${register}`, 'je     @back']
const reloaded = ['mov    rcx,QWORD PTR [rsp+0x8]', ...branch('rcx')]
const stacked = ['mov    QWORD PTR [rsp+0x8],rax', ...reloaded]

/** Planted faults by the kind that the gate must report: the name of each, and the functions that contain it. */
const LISTINGS = {
  none: {
    nothing: seal(),
    'a kernel out of the way': { ...seal({ before: [`call   @${cold}`] }), [cold]: kernel() },
    'a spill outside the loop': seal({ before: [spill] }),
    'a spill in the field': { ...seal(), ...evaluate({ inside: [spill] }) },
    'a store through rbp': seal({ before: ['mov    rbp,rdi'], inside: [throughRbp] }),
    'a way in from far away': seal({ before: ['je     @far'], after: ['far:', spill, 'jmp    @back'] }),
    'as deep as may be': seal({ before: ['sub    rsp,0x58'] }),
    'a branch on a length': seal({ before: ['mov    rax,QWORD PTR [rcx+0x20]', ...branch('rax')] }),
    'a length through the stack': seal({ before: ['mov    rax,QWORD PTR [rcx+0x20]', ...stacked] }),
    'a jump by a table of lengths': seal({
      before: [
        'lea    rdx,[rip+0x10]        # 9000 <x>',
        'mov    eax,DWORD PTR [rdx+rsi*4]',
        ...branch('eax'),
      ],
    }),
    'a move by a condition': seal({
      before: ['mov    rax,QWORD PTR [rdi]', 'test   rax,rax', 'cmove  rdx,rsi'],
    }),
    'lengths in a vector': seal({
      before: ['vmovups xmm0,XMMWORD PTR [rcx+0x18]', 'vmovq  rax,xmm0', ...branch('rax')],
    }),
  },
  outlined: {
    'an intrinsic': {
      ...seal({ inside: ['call   @core::core_arch::x86::f'] }),
      'core::core_arch::x86::f': [],
    },
    'a word of the backend': { ...seal({ before: [`call   @${X4}::xor`] }), [`${X4}::xor`]: ['ret'] },
    'a word of the backend without a caller': {
      ...seal(),
      [`${X4}::aesenc`]: ['vaesenc zmm0,zmm0,zmm1', 'ret'],
    },
    'a kernel in the way': { ...seal({ inside: [`call   @${cold}`] }), [cold]: kernel() },
  },
  call: {
    memcpy: seal({ before: ['call   QWORD PTR [rip+0x10]        # 9000 <_DYNAMIC+0x10>'] }),
    'a call through a register': seal({ before: ['call   rax'] }),
    'a jump through a register': seal({ after: ['jmp    rax'] }),
    'a jump out': { ...seal({ after: ['jmp    @elsewhere'] }), elsewhere: ['ret'] },
  },
  panic: {
    'a panic': { ...seal({ before: ['je     @end'], after: ['end:', `call   @${panics}`] }), [panics]: [] },
    'a trap': seal({ after: ['ud2'] }),
  },
  spill: {
    'a spill': seal({ inside: [spill] }),
    'a spill through rbp': seal({ before: ['mov    rbp,rsp'], inside: [throughRbp] }),
    'a spill through a pointer': seal({ before: ['lea    rbp,[rsp+0x60]'], inside: [throughRbp] }),
    'a spill far away that comes back': seal({
      inside: ['je     @far'],
      after: ['far:', spill, 'jmp    @back'],
    }),
    'a spill that is jumped over into the loop': seal({
      before: ['je     @entry'],
      first: [spill, 'entry:'],
      inside: ['ja     @entry'],
    }),
  },
  deep: {
    'a byte deeper': seal({ before: ['sub    rsp,0x59'] }),
    'pushed too deep': seal({ before: Array(32).fill('push   rax') }),
    'a callee too deep': {
      ...seal({ before: [`call   @${cold}`] }),
      [cold]: kernel({ before: ['sub    rsp,0x70'] }),
    },
  },
  legacy: { 'SSE among AVX': seal({ before: ['aesenc xmm0,xmm1'] }) },
  secret: {
    'a branch on data': seal({ before: ['mov    al,BYTE PTR [rdi]', ...branch('al')] }),
    'a branch on data that a message points at': seal({
      before: ['mov    rax,QWORD PTR [rcx]', 'mov    rax,QWORD PTR [rax]', ...branch('rax')],
    }),
    'a branch on a vector': seal({ before: ['vmovq  rax,xmm0', ...branch('rax')] }),
    'a branch on a comparison of vectors': seal({ before: ['vptest xmm0,xmm1', 'je     @back'] }),
    'a branch on a mask': seal({ before: ['kortestb k1,k1', 'je     @back'] }),
    'a branch on data on one of two ways': seal({
      before: ['je     @both', 'mov    rax,QWORD PTR [rdi]', 'both:', ...branch('rax')],
    }),
    'data through the stack': seal({ before: ['mov    rax,QWORD PTR [rdi]', ...stacked] }),
    'data through the stack, at an index': seal({
      before: ['mov    rax,QWORD PTR [rdi]', 'mov    QWORD PTR [rsp+rsi*8],rax', ...reloaded],
    }),
    'a vector through the stack': seal({ before: ['vmovdqu XMMWORD PTR [rsp+0x4],xmm0', ...reloaded] }),
    'an index that is data': seal({
      before: ['movzx  eax,BYTE PTR [rdi]', 'vmovd  xmm1,DWORD PTR [rdx+rax*4]'],
    }),
    'an index in a vector': seal({ before: ['vpgatherdd xmm1,DWORD PTR [rdx+xmm0*4],xmm2'] }),
    'a pointer by a condition': seal({
      before: ['cmp    BYTE PTR [rdi],0x0', 'cmove  rdx,rsi', 'vmovdqu xmm1,XMMWORD PTR [rdx]'],
    }),
    'the other bytes of data': seal({
      before: ['mov    rax,QWORD PTR [rdi]', 'mov    al,0x0', ...branch('rax')],
    }),
    'the other half of a vector': seal({
      before: [
        'vmovdqu xmm0,XMMWORD PTR [rdi]',
        'vmovhps xmm0,xmm0,QWORD PTR [rip+0x10]',
        'vmovq  rax,xmm0',
        ...branch('rax'),
      ],
    }),
    'a division': seal({ before: ['mov    rax,QWORD PTR [rdi]', 'div    rsi'] }),
  },
  missing: { 'no multiplication': seal({ multiplies: 7 }), 'no seal': {} },
}

/** Judges every listing; throws at the first wrong result. */
export function checkListings() {
  const all = Object.entries(LISTINGS).flatMap(([kind, planted]) =>
    Object.entries(planted).map(([name, functions]) => ({ kind, name, functions })),
  )
  for (const { kind, name, functions } of all) {
    const parsed = parse(listing({ ...whole, ...functions }))
    const { faults } = judge({ functions: parsed, slots: SLOTS, word: () => undefined }, ['vaes512'])
    const kinds = [...new Set(faults.map(fault => fault.kind))]
    if ((String(kinds) || 'none') !== kind)
      throw new Error(`self-test: ${name} gives [${kinds}], expected ${kind}`)
  }
  return all.length
}

/** Faults for the sources: the file, the text to replace, and its replacement. Every loop over a message calls `write`. */
const PLANTED = [
  {
    ...{ kind: 'outlined', backend: 'vaes512', file: 'backend/vaes512' },
    from: /#\[inline\(always\)\](?=\s*fn write\()/,
    to: '#[inline(never)]',
  },
  {
    ...{ kind: 'panic', backend: 'vaes256', file: 'backend/vaes256' },
    from: /fn write\([^{]*\{/,
    to: '$& assert!(core::hint::black_box(true));',
  },
  {
    ...{ kind: 'spill', backend: 'aesni', file: 'backend/aesni' },
    from: /fn write\([^{]*\{/,
    to: '$& let _ = core::hint::black_box(self);',
  },
  {
    ...{ kind: 'secret', backend: 'vaes512', file: 'kernel/gcm' },
    from: /\.store\(&mut tag\);/,
    to: '$& if tag[0] == 0 { core::hint::black_box(()); }',
  },
  {
    ...{ kind: 'caller', backend: 'seal', file: 'backend/expanded' },
    from: /#\[inline\(always\)\](?=\s*fn seal\()/,
    to: '#[inline(never)]',
  },
]

/** Copies the crate to `folder` and plants the faults. */
export const plantAll = folder => plant(folder, PLANTED)

/** Throws if a planted fault is not among `faults`. */
export function checkPlanted(faults) {
  for (const { kind, backend } of PLANTED)
    if (!faults.some(fault => fault.kind === kind && fault.backend === backend))
      throw new Error(`self-test: ${kind} planted in ${backend} was not found`)
  return PLANTED.map(({ kind, backend }) => `${kind} in ${backend}`).join(', ')
}
