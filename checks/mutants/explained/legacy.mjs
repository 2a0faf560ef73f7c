// Of lib/legacy/: the mutants that no test can kill, or that no test should.

export const LEGACY = [
  {
    // The conditions, and not what they ask or what they give.
    pattern: /^lib\/legacy\/layout\.cts, complete: if \(.*\) return undefined becomes (false|.* && .*)$/,
    reason:
      'Every part of the layout was found where this is asked: the conditions are there for the compiler.',
  },
  {
    file: 'lib/legacy/cipher.cts',
    within: 'decrypted',
    line: '«rethrowOverflow(error)»',
    to: ';',
    reason: 'Another step of the same call needs more of the stack, and overflows first.',
  },
  {
    file: 'lib/legacy/cryptr.cts',
    within: 'cryptrReader.parts',
    line: "const parts = partsBy(layoutOf(«'layout'», '{salt}{iv}{tag}{ct}', encoding), { iv: IV_BYTES, salt })",
    to: '""',
    reason: 'The layout is that of the library, which is right: no error names it.',
  },
  {
    file: 'lib/legacy/typeorm.cts',
    within: 'LAYOUT',
    line: "const LAYOUT = layoutOf(«'layout'», '{iv}{tag}{ct}', 'base64')",
    to: '""',
    reason: 'The layout is that of the library, which is right: no error names it.',
  },
  {
    file: 'lib/legacy/layout-reader.cts',
    within: 'checkParts',
    line: 'for (let i = 0; «i < parts.length»; i++) counts[parts[i] as Part]++',
    to: 'i <= parts.length',
    reason: 'Behind the end there is no part, and nobody reads the number of those.',
  },
  {
    file: 'lib/legacy/layout.cts',
    within: 'runAt',
    line: `if («close < 0») throw wrong(name, "has a '{' without a '}'")`,
    to: 'close <= 0',
    reason: "A '}' that stands behind a '{' is not at the beginning.",
  },
  {
    file: 'lib/legacy/layout.cts',
    within: 'runAt.own',
    line: 'const own = «colon < 0» ? undefined : oneOf(name, ENCODINGS, slice(inside, colon + 1))',
    to: 'colon <= 0',
    reason: 'A part without a name was refused before.',
  },
  {
    file: 'lib/legacy/layout.cts',
    within: 'checkSeparator',
    line: "if (run?.encoding === undefined || «text === ''») return",
    to: 'false',
    reason: 'An empty text has no first character, and no alphabet contains `undefined`.',
  },
  {
    file: 'lib/legacy/layout.cts',
    within: 'checkSeparator',
    line: "if (run?.encoding === undefined || text === «''») return",
    to: '"Stryker was here!"',
    reason: 'An empty text has no first character, and no alphabet contains `undefined`.',
  },
  {
    file: 'lib/legacy/layout.cts',
    within: 'readRun',
    line: "if (open === 'iv' && rest !== 12 && rest !== 16) return «false»",
    to: 'true',
    reason: 'The IV is missing then, and the text is refused for that.',
  },
]
