// Old texts in other shapes than parts with separators: nested JSON, base64 of JSON, lines of base64.
import { pbkdf2Sync } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import { type LayoutMembers, layoutReader } from 'hardware-aes-gcm/legacy'
import { describe, expect, test } from 'vitest'
import { laravel, mime, rails } from '../../models/frameworks.js'
import { gcm } from '../../models/legacy.js'
import { Random } from '../../tools/support.js'
import { isForged, isOther, opens, says } from './opened.js'

const random = new Random('shapes of old texts')
const KEY = random.bytes(32)
const seal = (text: string, ivBytes = 12, key: Uint8Array = KEY) => gcm(key, random.bytes(ivBytes), text)
const TEXTS = ['', 'é€😀', 'x'.repeat(1000)]

describe('nested objects', () => {
  const layout = { p: '{ct}', h: { iv: '{iv}', at: '{tag}' } }
  // As Rails derives it of primary_key and key_derivation_salt, with SHA-1 before 7.1.
  const derive = (hash: string) => pbkdf2Sync('primary key', 'salt', 2 ** 16, 32, hash)
  const key = derive('sha256')
  const options = { key, layout, encoding: 'base64' } as const

  test('Rails, of both kinds of keys', () => {
    for (const text of ['', 'é€😀', 'x'.repeat(140)]) opens(options, rails(key, text, random), text)
    const old = derive('sha1')
    opens({ ...options, key: [key, old] }, rails(old, 'text', random), 'text')
    isForged({ ...options, key: old }, rails(key, 'text', random))
  })

  test('Rails, compressed: no text, but bytes to inflate, whatever the header says', () => {
    const text = 'x'.repeat(141)
    const reader = layoutReader(options)
    const sealed = rails(key, text, random)
    for (const one of [sealed, sealed.replace(',"c":true', '')]) {
      expect(one.includes('"c"')).toBe(one === sealed)
      says(() => reader.open(one), 'ERR_INVALID_ARG_VALUE', 'is authentic, but its bytes are not UTF-8')
      says(() => reader.tryOpen(one), 'ERR_INVALID_ARG_VALUE', 'openBytes(sealed)')
      expect(inflateSync(reader.openBytes(one), { maxOutputLength: 1000 }).toString()).toBe(text)
    }
    opens(options, rails(key, 'text', random).replace('}}', ',"c":true}}'), 'text')
  })

  test('other objects', () => {
    const sealed = JSON.parse(rails(key, 'text', random))
    opens(options, sealed, 'text')
    for (const wrong of [
      {},
      { p: sealed.p },
      { ...sealed, h: null },
      { ...sealed, h: 'iv' },
      { ...sealed.h, p: sealed.p },
      { ...sealed, h: [sealed.h] },
      { ...sealed, h: JSON.stringify(sealed.h) },
    ]) {
      isOther(options, wrong)
      isOther(options, JSON.stringify(wrong))
    }
    const inherited = `{"p":"${sealed.p}","h":{"__proto__":${JSON.stringify(sealed.h)}}}`
    isOther(options, inherited)
    const named = { ...options, layout: { p: '{ct}', constructor: { iv: '{iv}', at: '{tag}' } } }
    isOther(named, JSON.stringify(sealed))
    opens(named, JSON.stringify({ p: sealed.p, constructor: sealed.h }), 'text')
  })

  test('JSON has no member of Object.prototype', () => {
    const { p, h } = JSON.parse(rails(key, 'text', random))
    const prototype = Object.prototype as { h?: unknown }
    prototype.h = h
    try {
      isOther(options, JSON.stringify({ p }))
    } finally {
      delete prototype.h
    }
    opens(options, JSON.stringify({ p, h }), 'text')
  })

  test('at most 8 in one another', () => {
    const nested = (depth: number): LayoutMembers =>
      depth === 0 ? { all: '{iv}{tag}{ct}' } : { a: nested(depth - 1) }
    const { iv, tag, ct } = seal('text')
    const value = (depth: number): object =>
      depth === 0 ? { all: Buffer.concat([iv, tag, ct]) } : { a: value(depth - 1) }
    opens({ key: KEY, layout: nested(7), ivBytes: 12 }, value(7), 'text')
    const endless = { iv: '{iv}', tag: '{tag}', ct: '{ct}' } as never as { more: LayoutMembers }
    endless.more = endless as never
    for (const wrong of [nested(8), endless as never])
      says(
        () => layoutReader({ key: KEY, layout: wrong, encoding: 'hex' }),
        'ERR_INVALID_ARG_VALUE',
        '"options.layout" must not nest more than 8 objects',
      )
  })

  test('errors name the member', () => {
    const wrong = (h: unknown) => () => layoutReader({ ...options, layout: { p: '{ct}', h: h as never } })
    says(
      wrong({ iv: 7 }),
      'ERR_INVALID_ARG_TYPE',
      '"options.layout.h.iv" must be a string, or an object for JSON or columns, got number',
    )
    says(wrong({ iv: '{iv' }), 'ERR_INVALID_ARG_VALUE', '"options.layout.h.iv" has')
    says(wrong(null), 'ERR_INVALID_ARG_TYPE', '"options.layout.h" must be')
    says(wrong(new Date()), 'ERR_INVALID_ARG_TYPE', '"options.layout.h" must be a plain object')
    says(wrong({ iv: '{iv}' }), 'ERR_INVALID_ARG_VALUE', "must have '{iv}', '{tag}' and '{ct}'")
    says(wrong({ iv: '{iv}', at: '{tag}{iv}' }), 'ERR_INVALID_ARG_VALUE', 'each once')
  })
})

describe('encoded as a whole', () => {
  const layout = { iv: '{iv}', value: '{ct}', tag: '{tag}' }
  const options = { key: KEY, layout, encoding: 'base64', outerEncoding: 'base64' } as const

  test.each(TEXTS)('Laravel, the text %#', text => {
    const sealed = laravel(KEY, text, random)
    opens(options, sealed, text)
    const json = Buffer.from(sealed, 'base64').toString()
    opens({ ...options, outerEncoding: 'hex' }, Buffer.from(json).toString('hex'), text)
    opens({ ...options, outerEncoding: 'mime' }, mime(Buffer.from(json)), text)
    isOther({ ...options, outerEncoding: 'hex' }, sealed)
    isOther(options, json)
    isOther(options, `${sealed}\n`)
    isOther(options, Buffer.concat([Buffer.from(json), Buffer.of(0xff)]).toString('base64'))
    isOther({ ...options, outerEncoding: undefined }, sealed)
  })

  test('a text with separators', () => {
    const { iv, tag, ct } = seal('text')
    const inner = [iv, tag, ct].map(part => part.toString('hex')).join(':')
    const one = { key: KEY, layout: '{iv}:{tag}:{ct}', encoding: 'hex', outerEncoding: 'base64' } as const
    opens(one, Buffer.from(inner).toString('base64'), 'text')
    isOther(one, inner)
    const bare = { ...one, layout: '{iv}{tag}{ct}', ivBytes: 12 } as const
    says(
      () => layoutReader(bare).open(Buffer.alloc(40)),
      'ERR_INVALID_ARG_TYPE',
      '"sealed" must be a string, got',
    )
    for (const outerEncoding of [null, 'utf8', 7])
      says(
        () => layoutReader({ ...one, outerEncoding } as never),
        'ERR_INVALID_ARG_VALUE',
        '"options.outerEncoding" must be one of',
      )
  })
})

describe('lines of base64', () => {
  const options = { key: KEY, layout: '{iv}{tag}{ct}', encoding: 'mime', ivBytes: 12 } as const

  test.each(TEXTS)('as Java, Python, Ruby and PHP write them, the text %#', text => {
    const { iv, tag, ct } = seal(text)
    const sealed = Buffer.concat([iv, tag, ct])
    for (const lines of [
      mime(sealed),
      `${mime(sealed, 76, '\n')}\n`,
      `${mime(sealed, 60, '\n')}\n`,
      ` \t${mime(sealed, 5, ' ')} `,
      sealed.toString('base64').replace(/=+$/, ''),
    ]) {
      opens(options, lines, text)
      if (/\s/.test(lines)) isOther({ ...options, encoding: 'base64' }, lines)
      isOther(options, lines.replace(/.$/s, '\u00a0'))
      isOther(options, `${lines}!`)
    }
    opens(
      { ...options, layout: '{iv:mime}.{tag:mime}{ct:mime}', encoding: 'hex' },
      `${mime(iv, 8)}.${mime(Buffer.concat([tag, ct]))}`,
      text,
    )
  })

  test('have no separator that they may contain', () => {
    for (const separator of [' ', '\t', '\r', '\n', 'A', '+', '='])
      says(
        () => layoutReader({ key: KEY, layout: `{iv}${separator}{tag}:{ct}`, encoding: 'mime' }),
        'ERR_INVALID_ARG_VALUE',
        'after a part in mime',
      )
  })
})
