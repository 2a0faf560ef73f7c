// Of several folders of lib/: the mutants that no test can kill, or that no test should.

export const EVERYWHERE = [
  {
    pattern: /refusal(Of)?\(\w+, «\[\]»\).* becomes \["Stryker was here"\]$/,
    reason: 'The binding refuses no argument of this call, so that no error takes a name from the list.',
  },
  {
    // In a list of the arguments of a raw function, and not in one of options, which is called NAMES or exported.
    pattern:
      /: (const (?!NAMES)[A-Z_]+ = |names: )\[.*«'(handle|backend|algorithm|prefix|skip|first)'».* becomes ""$/,
    reason: 'The library passes a value of its own as this argument: no error names it.',
  },
  {
    pattern: /«stdin\.setRawMode\?\.\(\w+\)» becomes stdin\.setRawMode\(/,
    reason: 'A terminal of Node has this method: the question mark is there for the compiler.',
  },
  {
    pattern: /names\[\w+\] \?\? «'argument'»/,
    reason: 'Every argument that the binding refuses has a name: the other one is there for the compiler.',
  },
  {
    pattern: /«markAsUncloneable\(this\)» becomes ;$/,
    reason:
      'Node 20 has no such function, and this check runs on it; the tests see it on newer lines of Node.',
  },
  {
    pattern:
      /^lib\/(keyring\/(keysets|tokens)|legacy\/(keys|layout-reader|layout))\.cts, .*define\((keys|secrets|members|runs|parts), .*«true»\).* becomes false$/,
    reason: 'The list is read by index alone.',
  },
  {
    file: 'lib/base/json.cts',
    within: 'objectOf',
    line: "return «typeof value === 'object'» && value !== null ? (value as Record<string, unknown>) : undefined",
    to: 'true',
    reason: 'Of what is no object in JSON, nothing has one of the members that are looked for.',
  },
  {
    pattern:
      /^lib\/base\/json\.cts, objectOf: (\} catch \(error\) «\{» becomes \{\}|«rethrowOverflow\(error\)» becomes ;)$/,
    reason: 'Another step of the same call needs more of the stack, and overflows first.',
  },
  {
    pattern:
      /(process\.platform === «'win32'».* becomes ""|«process\.platform === 'win32'».* becomes false)$/,
    reason: 'This check runs on Linux, whose name is another one in any case; the tests run on Windows too.',
  },
  {
    pattern: /«constants\.O_NOFOLLOW \?\? 0»\) becomes constants\.O_NOFOLLOW && 0$/,
    reason: 'O_EXCL refuses every name that is taken, also by a symbolic link: the flag is there to say so.',
  },
  {
    pattern: /if \(«length === 0» && !isThere\(\w+\)\) throw detached.* becomes true$/,
    reason: 'A view that has bytes is there: the length saves a question.',
  },
]
