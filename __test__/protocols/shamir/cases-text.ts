// Cases: shares as text. Every way of writing that people use is read, and every typing error is refused by the share's index.

import * as reference from '../../models/shares.js'
import { must, Random } from '../../tools/support.js'
import { SPLITS } from '../../vectors/shares.js'
import { INVALID, names, range, same, testCase } from './sets.js'

const [{ secret, threshold, shares }] = SPLITS as [(typeof SPLITS)[0]]
const TEXTS = shares.map(share => share.text)
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Texts of the first three shares, of which share `at` is another one. */
const withText = (text: string, at: number) => TEXTS.slice(0, threshold).with(at, text)
const replaced = (text: string, at: number, by: string, length = 1) =>
  text.slice(0, at) + by + text.slice(at + length)

testCase('texts have the groups, letters and length that the format says', api => {
  const random = new Random('texts')
  for (const length of [16, 32])
    for (const text of api.splitKey(random.bytes(length), {
      threshold: 2,
      shares: 255,
      format: 'text',
    }) as string[])
      must(text.length === 172 && /^AGS1(-[A-Z2-7]{5}){28}$/.test(text), text)
})

testCase('every character replaced by every other one', api => {
  let at = 0
  for (const share of TEXTS.slice(0, 2))
    for (let place = reference.PREFIX.length; place < share.length; place++) {
      if (share[place] === '-') continue
      for (const other of ALPHABET) {
        if (other === share[place]) continue
        at = (at + 1) % threshold
        const texts = withText(replaced(share, place, other), at)
        names(() => api.combineKey(texts), INVALID, [at], `${other} at ${place}`)
      }
    }
})

testCase('characters that are not in the alphabet', api => {
  const [share] = TEXTS as [string]
  // Some become letters of the alphabet when they are made capital, and others when a byte is cut off.
  const others = [...'0189=_+/.!@[`{|äÄſıİﬀßＡ２Š\u0141\u0132\ud83d\ude00\0\x7f\x80\xff', '\ud800']
  for (const place of [5, 9, 11, 88, 170, 171])
    for (const other of others)
      names(
        () => api.combineKey(withText(replaced(share, place, other), 0)),
        INVALID,
        [0],
        `${other} at ${place}`,
      )
  // Digits and letters that look like one of the share, or become it when they are made capital.
  for (const [letter, like] of ['L1', 'D0', 'S5', 'Z2', 'Sſ', 'Iı', 'K\u212a', 'AА'].map(pair => [...pair])) {
    const at = TEXTS.findIndex(text => text.includes(letter as string, reference.PREFIX.length))
    must(at >= 0 && at < threshold, `no ${letter} in the first texts`)
    const text = TEXTS[at] as string
    const mistyped = replaced(text, text.indexOf(letter as string, reference.PREFIX.length), like as string)
    names(() => api.combineKey(withText(mistyped, at)), INVALID, [at], `${like} for ${letter}`)
  }
})

// These digits were refused, so that a person who read O as 0 was told to look for another mistake.
testCase('0, 1 and 8 are read as O, I and B, and AGSI and AGSl as AGS1', api => {
  const typed = (text: string, letters: Record<string, string>) =>
    text.slice(0, 5) + text.slice(5).replace(/[OIB]/g, letter => letters[letter] ?? letter)
  const ways = [{ O: '0' }, { I: '1' }, { B: '8' }, { O: '0', I: '1', B: '8' }].map(
    letters => (text: string) => typed(text, letters),
  )
  for (const [n, way] of ways.entries()) {
    must(
      TEXTS.slice(0, threshold).map(way).join() !== TEXTS.slice(0, threshold).join(),
      `way ${n} has no digit`,
    )
    for (const at of range(threshold))
      same(api.combineKey(withText(way(TEXTS[at] as string), at)), secret, () => `way ${n} at ${at}`)
  }
  const all = ways.at(-1) as (typeof ways)[0]
  for (const version of ['1', 'I', 'i', 'L', 'l']) {
    const text = `AGS${version}${all(TEXTS[0] as string).slice(4)}`
    same(api.combineKey(withText(text, 0)), secret, () => version)
    same(api.combineKey(withText(text.toLowerCase(), 0)), secret, () => version)
  }
  // The alphabet has neither of these digits, so two shares never have one text: every digit stands for one letter.
  must(!/[018]/.test(ALPHABET), ALPHABET)
  for (const [digit, letter] of ['0O', '1I', '8B'])
    for (const other of ALPHABET) {
      const at = TEXTS.findIndex(text => text.includes(other, reference.PREFIX.length))
      if (at < 0 || at >= threshold || other === letter) continue
      const text = TEXTS[at] as string
      const mistyped = replaced(text, text.indexOf(other, reference.PREFIX.length), digit as string)
      names(() => api.combineKey(withText(mistyped, at)), INVALID, [at], `${digit} for ${other}`)
    }
})

testCase('characters lost, doubled, exchanged, added, and groups lost or exchanged', api => {
  for (const [at, share] of TEXTS.slice(0, threshold).entries()) {
    const refuses = (text: string, what: string) =>
      names(() => api.combineKey(withText(text, at)), INVALID, [at], what)
    for (let place = reference.PREFIX.length; place < share.length; place++) {
      const here = share[place] as string
      const next = share[place + 1]
      if (here === '-') continue
      refuses(replaced(share, place, ''), `without ${place}`)
      refuses(replaced(share, place, here + here), `${place} twice`)
      if (next !== undefined && next !== '-' && next !== here)
        refuses(replaced(share, place, next + here, 2), `${place} exchanged`)
    }
    const groups = share.split('-')
    for (const n of range(28).map(n => n + 1)) {
      refuses(groups.toSpliced(n, 1).join('-'), `without group ${n}`)
      if (n < 28 && groups[n] !== groups[n + 1])
        refuses(
          groups.toSpliced(n, 2, groups[n + 1] as string, groups[n] as string).join('-'),
          `group ${n} exchanged`,
        )
    }
    for (const more of ['A', 'AAAAA', '-AAAAA', '=', '====', 'A'.repeat(1000)])
      refuses(share + more, `with ${more}`)
    refuses(share + share, 'twice')
  }
})

testCase('a checksum that belongs to another share, and bits that must be 0', api => {
  const [first, second] = TEXTS as [string, string]
  names(() => api.combineKey(withText(first.slice(0, -7) + second.slice(-7), 0)), INVALID, [0], 'checksum')
  for (const [at, share] of TEXTS.slice(0, threshold).entries()) {
    const last = ALPHABET.indexOf(share.at(-1) as string)
    must(last % 16 === 0, share)
    for (let bits = 1; bits < 16; bits++) {
      const text = share.slice(0, -1) + ALPHABET[last + bits]
      names(() => api.combineKey(withText(text, at)), INVALID, [at], `bits ${bits}`)
    }
  }
})

testCase('other prefixes and versions', api => {
  const [share] = TEXTS as [string]
  const rest = share.slice(reference.PREFIX.length)
  const prefixes = `
    AGS AGS- AGS0- AGS2- AGS8- AGSO- AGSJ- AGS|- AGS11- AG1- GAS1- BGS1- AHS1- AGT1- AGS1-A XAGS1- AGS1-AGS1-
    1- "AGS1- AGS１-
  `
  for (const prefix of ['', ...prefixes.trim().split(/\s+/)])
    for (const at of range(threshold))
      names(() => api.combineKey(withText(prefix + rest, at)), INVALID, [at], prefix)
  for (const text of [
    '',
    '-',
    ' ',
    'AGS1',
    'AGS1-',
    '-'.repeat(172),
    ' '.repeat(172),
    'A'.repeat(172),
    '7'.repeat(172),
    `1|${'0'.repeat(64)}`,
    shares[0]?.binary.toString('hex') as string,
  ])
    names(() => api.combineKey(withText(text, 1)), INVALID, [1], text)
})

testCase('lower case, spaces, line breaks, and hyphens that are missing or elsewhere', api => {
  const random = new Random('ways of writing')
  const ways: ((text: string) => string)[] = [
    text => text.toLowerCase(),
    text => text.replace(/[A-Z]/g, letter => (random.below(2) ? letter : letter.toLowerCase())),
    text => text.replaceAll('-', ''),
    text => text.replaceAll('-', ' '),
    text => text.replaceAll('-', '\n'),
    text => text.replaceAll('-', '\r\n'),
    text => text.replaceAll('-', '--'),
    text => text.replaceAll('-', ' - '),
    text => `${text}\n`,
    text => ` \t\r\n${text} \t\r\n`,
    text => [...text].join(' '),
    text => [...text].join('-'),
    text => `-${text}-`,
    text => [...text].map(character => character + ' -\t\n\r'.slice(0, random.below(6))).join(''),
    text => text.replace(/.{60}/g, line => `${line}\n`),
    text => text.slice(0, -1).replaceAll('-', '') + text.at(-1)?.toLowerCase(),
  ]
  for (const [n, way] of ways.entries()) {
    const texts = TEXTS.slice(1, 1 + threshold).map(way)
    same(api.combineKey(texts), secret, () => `way ${n}`)
    for (const at of range(threshold))
      same(api.combineKey(withText(way(TEXTS[at] as string), at)), secret, () => `one in way ${n}`)
  }
})

testCase('a text with as many spaces as can be, and with one more', api => {
  const text = TEXTS[0] as string
  for (const at of [0, 20, text.length]) {
    const wide = replaced(text, at, ' '.repeat(1024 - text.length), 0)
    same(api.combineKey(withText(wide, 0)), secret, () => `spaces at ${at}`)
    names(() => api.combineKey(withText(`${wide} `, 0)), INVALID, [0], `a space more at ${at}`)
  }
})

testCase("horcrux's text: what is not one of its shares is refused by its index", api => {
  const random = new Random("horcrux's text")
  const hex = (length = 64) => random.bytes(length).toString('hex').slice(0, length)
  const good = [`1|${hex()}`, `2|${hex()}`, `3|${hex()}`]
  const options = { format: 'horcrux', threshold: 3 }
  const bad = [
    '',
    '|',
    '1|',
    `|${hex()}`,
    hex(),
    `1${hex()}`,
    `0|${hex()}`,
    `256|${hex()}`,
    `-1|${hex()}`,
    `1.5|${hex()}`,
    `1e1|${hex()}`,
    `x|${hex()}`,
    `0x4|${hex()}`,
    `99999999999999999999|${hex()}`,
    `4|${hex(63)}`,
    `4|${hex(65)}`,
    `4|${hex(63)}g`,
    `4|${hex(62)}ä`,
    `4|${hex(63)} `,
    `4||${hex()}`,
    `4|${hex()}|`,
    `4|${hex()}|${hex()}`,
    `${hex(63)}|${hex()}`,
    `${hex(65)}|${hex()}`,
    `${hex(63)}g|${hex()}`,
    `${'0'.repeat(64)}|${hex()}`,
    `4|${hex()}\n5|${hex()}`,
    `4|0x${hex(62)}`,
    `４|${hex()}`,
    `4|${hex()}\0`,
    TEXTS[0] as string,
  ]
  api.combineKey(good, options)
  for (const text of bad)
    for (const at of range(3))
      names(() => api.combineKey(good.with(at, text), options), INVALID, [at], JSON.stringify(text))
})
