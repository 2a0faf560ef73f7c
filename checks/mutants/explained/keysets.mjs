// Of lib/keyring/keyset/: the mutants that no test can kill, or that no test should.

export const KEYSETS = [
  {
    file: 'lib/keyring/keyset/json.cts',
    within: 'readData.value',
    line: "let value = decodeBase64(«''», '')",
    to: '"Stryker was here!"',
    reason: 'The text is empty, which is base64, so that no error tells the place.',
  },
  {
    file: 'lib/keyring/keyset/wire.cts',
    within: 'readMessage.varint',
    line: 'for (let i = 0; «i < 5»; i++) {',
    to: 'i <= 5',
    reason:
      'A number of six bytes has more than 32 bits, or more bytes than it needs, and is refused for that.',
  },
  {
    file: 'lib/keyring/keyset/cursor.cts',
    within: 'Cursor.#escape',
    line: 'for (let i = 0; «i < ESCAPES.length»; i++) {',
    to: 'i <= ESCAPES.length',
    reason: 'Behind the end of the list the code is NaN, which is equal to no other.',
  },
  {
    file: 'lib/keyring/keyset/cursor.cts',
    within: 'Cursor.#run',
    line: 'for (; «this.#at < this.#text.length»; this.#at++) {',
    to: 'this.#at <= this.#text.length',
    reason: 'Behind the end the code is NaN, which is no character of a number.',
  },
  {
    file: 'lib/keyring/keyset/cursor.cts',
    within: 'Cursor.#space',
    line: 'for (; «this.#at < this.#text.length»; this.#at++) {',
    to: 'this.#at <= this.#text.length',
    reason: 'Behind the end the code is NaN, which is no white space.',
  },
  {
    file: 'lib/keyring/keyset/cursor.cts',
    within: 'hexDigit',
    line: 'if («code >= 0x30» && code <= 0x39) return code - 0x30',
    to: 'true',
    reason: 'A character before 0 gives a number below 0, which is refused as -1 is.',
  },
  {
    file: 'lib/keyring/keyset/cursor.cts',
    within: 'numberIn',
    line: 'if (at < text.length || whole === 0 || hasZero || fraction === 0 || «exponent === 0») return undefined',
    to: 'false',
    reason: 'Without digits of its exponent the text is NaN, which is no whole number.',
  },
  {
    file: 'lib/keyring/keyset/encoding.cts',
    within: 'fromBase64.isDigits',
    line: 'let isDigits = «-1»',
    to: '+1',
    reason: 'A mask has all bits or none, so that one bit tells the same as all of them.',
  },
  {
    file: 'lib/keyring/keyset/encoding.cts',
    within: 'decodeHex.isDigits',
    line: 'let isDigits = «-1»',
    to: '+1',
    reason: 'A mask has all bits or none, so that one bit tells the same as all of them.',
  },
  {
    file: 'lib/keyring/keyset/line.cts',
    within: 'idOf.id',
    line: "let id = text === '' || «text.length > 10» || (text.length > 1 && charCodeAt(text, 0) === 0x30) ? -1 : 0",
    to: 'false',
    reason:
      'A number of eleven digits that does not begin with 0 is above the largest id, and is refused for that.',
  },
  {
    file: 'lib/keyring/keyset/line.cts',
    within: 'idOf',
    line: 'for (let i = 0; i < text.length && «id >= 0»; i++) {',
    to: 'true',
    reason: 'A number below 0 stays below 0 with every further digit: the condition saves time.',
  },
  {
    pattern: /^lib\/keyring\/keyset\/protobuf\.cts, keyIn: .*«from < 0».* becomes from <= 0$/,
    reason: 'The data stand behind two bytes at least, so that they never begin at 0.',
  },
  {
    file: 'lib/keyring/keyset/rules.cts',
    within: 'Draft.add',
    line: 'if (key.type !== null && «told.value !== null») wipe(told.value, 0)',
    to: 'true',
    reason: 'A key of a known type was read from a value: the condition is there for the compiler.',
  },
  {
    file: 'lib/keyring/keyset/value.cts',
    within: 'readValue',
    line: 'if (salt >= LEAST_SALT_BYTES && «salt < SALT_BYTES») return undefined',
    to: 'salt <= SALT_BYTES',
    reason: 'A salt of 12 bytes does not get here.',
  },
  {
    pattern: /^lib\/keyring\/keyset\/(protobuf|value)\.cts, K[A-Z_]+: .*«'bytes'».* becomes ""$/,
    reason: '`readMessage` compares with the other two kinds: every third kind is that of bytes.',
  },
  {
    pattern:
      /^lib\/keyring\/keyset\/\w+\.cts, .*(«(typeUrl|value) === null».* becomes false|«typeUrl === null \|\| value === null».* becomes typeUrl === null && value === null)$/,
    reason: 'A key has both a type and a value, or neither: that both are asked for is for the compiler.',
  },
]
