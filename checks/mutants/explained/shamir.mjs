// Of lib/shamir/: the mutants that no test can kill, or that no test should.

export const SHAMIR = [
  {
    file: 'lib/shamir/text.cts',
    within: 'writeCharacters.capital',
    line: 'const capital = «code < 0x80» ? code ^ (lower & 0x20) : 0',
    to: 'code <= 0x80',
    reason: 'Neither 0 nor 0x80 is a character of base32: the text is refused in the same words.',
  },
  {
    file: 'lib/shamir/text.cts',
    within: 'writeCharacters',
    line: 'if (found < CHARACTERS) work[found] = «found < PREFIX.length» ? capital : letterOf(capital)',
    to: 'false',
    reason: 'The version may be written as 1 or as I, and the letters for 0 and 8 are no version either.',
  },
  {
    file: 'lib/shamir/seal.cts',
    within: 'SEAL',
    line: "const SEAL = ['handle', «'sealed'», 'data', 'aad']",
    to: '""',
    reason: 'The library passes memory of its own, of the right length, which the binding does not refuse.',
  },
  {
    file: 'lib/shamir/seal.cts',
    within: 'OPEN',
    line: "const OPEN = ['handle', «'data'», 'sealed', 'aad']",
    to: '""',
    reason: 'The library passes memory of its own, of the right length, which the binding does not refuse.',
  },
  {
    file: 'lib/shamir/records.cts',
    within: 'readInto.asText',
    line: 'let asText = «false»',
    to: 'true',
    reason: 'Every list has a first share, which decides: the value is there for the compiler.',
  },
  {
    file: 'lib/shamir/refusal.cts',
    within: 'mixed.unique',
    line: 'let unique = «false»',
    to: 'true',
    reason:
      'The group of the first share is larger than 0, which decides: the value is there for the compiler.',
  },
  {
    file: 'lib/shamir/refusal.cts',
    within: 'mixed',
    line: 'for (let i = 0; «i < number»; i++) {',
    to: 'i <= number',
    reason: 'Behind the last share there are no bytes, which are of no group.',
  },
  {
    file: 'lib/shamir/refusal.cts',
    within: 'mixed',
    line: 'if («!unique») continue',
    to: 'false',
    reason: 'Of several largest groups none is named, whichever of them is remembered.',
  },
  {
    file: 'lib/shamir/refusal.cts',
    within: 'sizeOfGroup',
    line: 'for (let j = 0; «j < number»; j++) if (ofOneSplit(set, i, j)) size++',
    to: 'j <= number',
    reason: 'Behind the last share there are no bytes, which are of no group.',
  },
  {
    file: 'lib/shamir/refusal.cts',
    within: 'mixed',
    line: 'for (let i = 0; «i < number»; i++) outside[i] = ofOneSplit(set, i, member) ? 0 : 1',
    to: 'i <= number',
    reason: 'An assignment behind the end of a Uint8Array does nothing.',
  },
  {
    pattern: /^lib\/shamir\/records\.cts, readBytes: if \(«length === 0» && .* becomes true$/,
    reason: 'A view with a length has its memory: the condition is one of speed.',
  },
]
