// Values that a program may pass by mistake, or an attacker on purpose, to any place of a statement that takes a value.

class Empty {
  #own = 'as the symbols of Prisma: an instance without members that a reader can see'
  get own() {
    return this.#own
  }
}

class Like {
  equals = 'ada@example.org'
  not = 'ada@example.org'
}

/** By name, functions that make the value: each side of a comparison has one of its own, since a library may change it. */
export const ODD = {
  undefined: () => undefined,
  null: () => null,
  NaN: () => Number.NaN,
  infinity: () => Number.POSITIVE_INFINITY,
  zero: () => 0,
  'minus zero': () => -0,
  one: () => 1,
  'a bigint': () => 1n,
  'a large bigint': () => 2n ** 70n,
  true: () => true,
  false: () => false,
  'an empty string': () => '',
  'a wildcard': () => '%',
  'a NUL': () => 'a\0b',
  'half a surrogate pair': () => '\ud800',
  SQL: () => "' OR 1 = 1 --",
  'the name __proto__': () => '__proto__',
  'a symbol': () => Symbol('odd'),
  'a Date': () => new Date(0),
  'an invalid Date': () => new Date(Number.NaN),
  'a Map': () => new Map([['equals', 'ada@example.org']]),
  'a Set': () => new Set(['ada@example.org']),
  'a Promise': () => Promise.resolve('ada@example.org'),
  // biome-ignore lint/suspicious/noThenProperty: on purpose
  'a thenable': () => ({ then: resolve => resolve('ada@example.org') }),
  'an empty array': () => [],
  'an array of undefined': () => [undefined],
  'an array of null': () => [null],
  'an array with a hole': () => Array(1),
  'an array of arrays': () => [['ada@example.org']],
  'an array of objects': () => [{}],
  'an empty object': () => ({}),
  'an object without a prototype': () => Object.create(null),
  'an object of undefined': () => ({ equals: undefined }),
  'an own __proto__': () => JSON.parse('{ "__proto__": { "equals": "ada@example.org" } }'),
  'an object with toString': () => ({ toString: () => 'ada@example.org' }),
  'an object with toJSON': () => ({ toJSON: () => 'ada@example.org' }),
  'an object with valueOf': () => ({ valueOf: () => 1 }),
  'an object of its own': () => {
    const cycle = {}
    cycle.equals = cycle
    return cycle
  },
  'an instance without members': () => new Empty(),
  'an instance like a filter': () => new Like(),
  'a getter': () => Object.defineProperty({}, 'equals', { enumerable: true, get: () => 'ada@example.org' }),
  'a getter that throws': () =>
    Object.defineProperty({}, 'equals', {
      enumerable: true,
      get() {
        throw new RangeError('a getter of the program')
      },
    }),
  'a getter of other values': () => {
    let asked = 0
    return Object.defineProperty({}, 'equals', { enumerable: true, get: () => `${asked++}` })
  },
  'a proxy': () => new Proxy({}, {}),
  'a hostile proxy': () =>
    new Proxy(
      {},
      {
        get() {
          throw new RangeError('a proxy of the program')
        },
        ownKeys() {
          throw new RangeError('a proxy of the program')
        },
      },
    ),
  'a function': () => () => 'ada@example.org',
  'a class': () => Empty,
  'a regular expression': () => /ada/,
  'an Error': () => new Error('odd'),
  'an empty Buffer': () => Buffer.alloc(0),
  'a Buffer': () => Buffer.from('ada@example.org'),
  'an ArrayBuffer': () => new ArrayBuffer(4),
  'a boxed string': () => Object('ada@example.org'),
  'a boxed number': () => Object(1),
  'a URL': () => new URL('https://example.org/'),
}
