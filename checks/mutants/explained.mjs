// Mutants that no test can kill, or that no test should, each with its reason. keys.mjs says how an entry names its mutant.
//
// `file`, `within` (the function), `line` (the line, with the part that changes between « and »), `to` (what takes its place), and
// `times`, if several mutants of the function look the same. For a whole class, `pattern` is tried on a text of all four (keys.mjs).

export const RUST = [
  {
    file: 'src/kernel/pair.rs',
    within: 'seal',
    line: 'let one_block = pair.length «<=» 16 && pair.aads.iter().all(|aad| aad.len() <= 16);',
    to: '>',
    reason: 'Registers of one block and wider ones give the same result: the choice is one of speed.',
  },
  {
    file: 'src/kernel/gcm.rs',
    within: 'wipe',
    line: 'if blocks «>» 0 {',
    to: '>=',
    reason: 'Without powers, one register more is wiped, which holds zeros already.',
  },
  {
    file: 'src/node/chunks.rs',
    within: 'destroy',
    line: 'account_for(call.env, «-»(bytes as i64));',
    to: '',
    reason: 'The number is a hint for the collector of V8: no result depends on it.',
  },
  {
    file: 'src/protocol/base64url.rs',
    within: 'bytes_of',
    line: '*wrong |= !(upper «|» lower | digit | minus | underscore);',
    to: '^',
    reason: 'A character is of one of the five kinds: at most one of the masks has bits.',
  },
  {
    file: 'src/protocol/base64url.rs',
    within: 'bytes_of',
    line: '*wrong |= !(upper | lower «|» digit | minus | underscore);',
    to: '^',
    reason: 'A character is of one of the five kinds: at most one of the masks has bits.',
  },
  {
    file: 'src/protocol/base64url.rs',
    within: 'bytes_of',
    line: '*wrong |= !(upper | lower | digit «|» minus | underscore);',
    to: '^',
    reason: 'A character is of one of the five kinds: at most one of the masks has bits.',
  },
  {
    file: 'src/protocol/base64url.rs',
    within: 'bytes_of',
    line: '*wrong |= !(upper | lower | digit | minus «|» underscore);',
    to: '^',
    reason: 'A character is of one of the five kinds: at most one of the masks has bits.',
  },
  {
    file: 'src/kernel/pair.rs',
    within: 'texts',
    line: 'if length <= (R - 1) «*» V::BYTES {',
    to: '/',
    reason: '`by_registers!` takes the R that fits the length: the condition tells the compiler.',
  },
  {
    file: 'src/node/lists.rs',
    within: 'Pieces::may_have_moved_memory',
    line: 'fn «may_have_moved_memory»<const N: usize>(inspected: &PieceViews, call: &Call<N>) -> bool {',
    to: 'true',
    reason: 'Addresses that are asked for once more than needed are the same addresses.',
  },
  {
    file: 'src/node/bytes.rs',
    within: 'moves',
    line: '«&&» sys::napi_new_instance(env, array, 1, &size, &mut view) == sys::Status::napi_ok',
    to: '||',
    reason: 'The calls of Node-API succeed, so that both sides hold.',
  },
  {
    file: 'src/node/jobs.rs',
    within: 'Jobs::stop',
    line: 'pub(super) fn «stop»(&self) {',
    to: '()',
    reason: 'A job that begins in the moment in which its environment ends cannot be arranged by a test.',
  },
  {
    file: 'src/node/arguments.rs',
    within: 'may_have_moved_memory',
    line: 'fn «may_have_moved_memory»<const N: usize>(_: &Self::Inspected, _: &Call<N>) -> bool {',
    to: 'true',
    reason: 'Addresses that are asked for once more than needed are the same addresses.',
  },
  {
    file: 'src/node/arena.rs',
    within: 'destroy',
    line: 'bytes «+=» chunks.state_bytes();',
    to: '-=',
    reason: 'The number is a hint for the collector of V8: no result depends on it.',
  },
  {
    file: 'src/node/arena.rs',
    within: 'destroy',
    line: 'bytes «+=» objects.lend_with(arena, |arena: &mut Arena, protections| {',
    to: '-=',
    reason: 'The number is a hint for the collector of V8: no result depends on it.',
  },
  {
    file: 'src/node/bytes.rs',
    within: 'View::borrow',
    line: 'let bytes: Bytes = if data.is_null() «||» length == 0 {',
    to: '&&',
    reason:
      'Node-API gives no null for memory with a length, and a slice of length 0 is empty at every address.',
  },
  {
    file: 'src/node/values.rs',
    within: 'value_of',
    line: '(found == sys::Status::napi_ok «&&» !value.is_null()).then_some(value)',
    to: '||',
    reason: 'A strong reference always has its value, so that both conditions hold.',
  },
  {
    file: 'src/key/arena.rs',
    within: 'Shelf::place',
    line: 'let bytes = (all.sum::<usize>() «/» 32).clamp(MIN_GROWTH, MAX_GROWTH);',
    to: '%',
    reason: 'Pages grow by another number of places, which nobody promises.',
  },
  {
    file: 'src/kernel/text.rs',
    within: 'Text::hash_target',
    line: 'let factors = state.powers.factors::<V, S>(S «*» V::BLOCKS).unwrap_or_default();',
    to: '/',
    times: 2,
    reason:
      'On `aesni`, the backend of this check, a register has one block. Other backends run all tests too.',
  },
  {
    file: 'src/kernel/text.rs',
    within: 'Text::hash_source',
    line: 'if self.source.len() > S «*» V::BYTES {',
    to: '+',
    reason:
      'Whole groups give the same result in the loop and in the last registers: the choice is one of speed.',
  },
  {
    file: 'src/kernel/text.rs',
    within: 'Text::hash_source',
    line: 'if self.source.len() «>» S * V::BYTES {',
    to: '>=',
    reason:
      'Whole groups give the same result in the loop and in the last registers: the choice is one of speed.',
  },
  {
    file: 'src/protocol/shamir/text.rs',
    within: 'decode_hex',
    line: 'byte.set((high << 4 «|» low) as u8);',
    to: '^',
    reason: 'The two halves of a byte have no bit in common.',
  },
  {
    file: 'src/protocol/shamir/text.rs',
    within: 'decode_hex',
    line: 'valid &= number «|» upper | lower;',
    to: '^',
    reason: 'A digit is of one of the three kinds: at most one of the masks has bits.',
  },
  {
    file: 'src/protocol/shamir/text.rs',
    within: 'decode_hex',
    line: 'valid &= number | upper «|» lower;',
    to: '^',
    reason: 'A digit is of one of the three kinds: at most one of the masks has bits.',
  },
  {
    file: 'src/key/arena.rs',
    within: 'Shelf::new',
    line: 'let current = Pages::at_least(slot_bytes, MIN_GROWTH «/» slot_bytes.max(1));',
    to: '%',
    reason: 'Pages begin with another number of places, which nobody promises.',
  },
  {
    file: 'src/kernel/ghash.rs',
    within: 'wipe',
    line: 'if i «<» written {',
    to: '<=',
    reason: 'One register more is wiped, which holds zeros already.',
  },
  {
    file: 'src/kernel/ghash.rs',
    within: 'wipe',
    line: 'while written < S && written * V::BLOCKS «<» blocks {',
    to: '<=',
    reason: 'More registers are wiped, which hold zeros already.',
  },
]

export const TYPESCRIPT = [
  {
    file: 'lib/aead/key.cts',
    within: 'kindOfKey',
    line: "if (!isProxy(value) && «isCryptoKey?.(value)») return 'CryptoKey: pass KeyObject.from(key)'",
    to: 'isCryptoKey(value)',
    reason: 'Node has this function: other runtimes may not have it.',
  },
  {
    file: 'lib/base/diagnostics.cts',
    within: 'entropySourceDropped',
    line: 'if («drops.wanted && source !== null» && reason !== null) drops.publish({ source, reason })',
    to: 'true',
    reason: 'A source that was dropped has a name and a reason: the conditions are there for the compiler.',
  },
  {
    file: 'lib/cli/sealed.cts',
    within: 'sealedBy',
    line: 'if («prefix < 0» || prefix >= VERSIONS) return undefined',
    to: 'false',
    reason: 'Bytes or a text without a prefix are shorter than a sealed value, and are refused for that.',
  },
  {
    file: 'lib/keyring/keyset/json.cts',
    within: 'readData.value',
    line: "let value = decodeBase64(«''», '')",
    to: '"Stryker was here!"',
    reason: 'The text is empty, which is base64, so that no error tells the place.',
  },
  {
    file: 'lib/session/opener.cts',
    within: 'RecordOpener.judge',
    line: 'if («this.#failed || this.ended» || length < LEAST_LENGTH || length > most) throw this.refuse()',
    to: 'false',
    reason: 'A side that failed or ended has no keys, and refuses the record when it opens it.',
  },
  {
    file: 'lib/shamir/text.cts',
    within: 'writeCharacters.capital',
    line: 'const capital = «code < 0x80» ? code ^ (lower & 0x20) : 0',
    to: 'code <= 0x80',
    reason: 'Neither 0 nor 0x80 is a character of base32: the text is refused in the same words.',
  },
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
    pattern: /^lib\/keyring\/refusal\.cts, .*names: \[«'key'».* becomes ""$/,
    reason: 'The library passes the handle of a key of the keyring as this argument: no error names it.',
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
    file: 'lib/keyring/keyset/wire.cts',
    within: 'readMessage.varint',
    line: 'for (let i = 0; «i < 5»; i++) {',
    to: 'i <= 5',
    reason:
      'A number of six bytes has more than 32 bits, or more bytes than it needs, and is refused for that.',
  },
  {
    file: 'lib/keyring/ring.cts',
    within: 'Ring.append',
    line: 'if («key.type !== undefined» && key.enabled && key.skip === 0) this.raws++',
    to: 'true',
    reason: 'A key of an unknown type has no `enabled`: the condition is there for the compiler.',
  },
  {
    file: 'lib/native/c-library.cts',
    within: 'interpreter',
    line: 'for (let at = 0; «at + PROGRAM_HEADER_BYTES <= entries.byteLength»; at += PROGRAM_HEADER_BYTES) {',
    to: 'false',
    reason: 'Without the interpreter, the packages for both C libraries are tried in turn.',
  },
  {
    file: 'lib/files/part-file.cts',
    within: 'flushFolder.descriptor',
    line: "const descriptor = openSync(folder, «'r'»)",
    to: '""',
    reason: 'The flush of a folder shows after a power failure alone.',
  },
  {
    file: 'lib/files/replacement.cts',
    within: 'Replacement.flush',
    line: '«this.#close()»',
    to: ';',
    reason: 'Linux renames files that are open, and `discard` closes this one. Windows does not rename them.',
  },
  {
    file: 'lib/stream/transfer.cts',
    within: 'SEAL',
    line: "const SEAL = «['handle', 'source', 'target']»",
    to: '[]',
    reason: 'The library passes memory of its own, of the right lengths, which the binding does not refuse.',
  },
  {
    file: 'lib/session/stream.cts',
    within: 'SecureStream.constructor.offer',
    line: 'if («error === undefined») this.#pump()',
    to: 'true',
    reason: 'After an error the stream is destroyed, and the secret that was refused lets no record open.',
  },
  {
    pattern:
      /^lib\/base\/key-text\.cts, encodingOf: for .*«i < length».* bits \|= .* becomes (false|i >= length)$/,
    reason:
      'The loop decides how long random keys take: bytes from 0x80 on are no digits in the second loop either.',
  },
  {
    pattern: /^lib\/keyring\/entry\.cts, keyOf: if \(«id !== undefined»\) refuseTaken.* becomes true$/,
    reason: 'No key of a keyring has undefined as its id: the condition is there for the compiler.',
  },
  {
    file: 'lib/keyring/refusal.cts',
    within: 'mayBeOfAnotherKey',
    line: "return «reason === 'Authentication' || reason === 'FailuresExhausted'»",
    to: 'true',
    reason:
      'The other keys do not open such a value either, and the error stays the first one: the answer saves time.',
  },
  {
    file: 'lib/cli/outputs.cts',
    within: 'Outputs.commit',
    line: 'for (const folder of new Set(this.#files.map(«({ folder }) => folder»))) flushFolder(folder)',
    to: '() => undefined',
    reason: 'The flush of a folder shows after a power failure alone.',
  },
  {
    pattern: /«markAsUncloneable\(this\)» becomes ;$/,
    reason:
      'Node 20 has no such function, and this check runs on it; the tests see it on newer lines of Node.',
  },
  {
    file: 'lib/shamir/text.cts',
    within: 'writeCharacters',
    line: 'if (found < CHARACTERS) work[found] = «found < PREFIX.length» ? capital : letterOf(capital)',
    to: 'false',
    reason: 'The version may be written as 1 or as I, and the letters for 0 and 8 are no version either.',
  },
  {
    pattern: /^lib\/keyring\/opening\.cts, opened: .*\(tried, status, «-1»\) becomes \+1$/,
    reason: 'The refusal of a key that was tried becomes the error, and no id is named.',
  },
  {
    file: 'lib/aead/abort.cts',
    within: 'listen.abort',
    line: 'if («call.job !== undefined») cancelJob(call.job)',
    to: 'true',
    reason: 'The binding refuses undefined as a job by a number, which nobody reads.',
  },
  {
    file: 'lib/files/replacement.cts',
    within: 'Replacement.#close',
    line: 'if («this.#descriptor === undefined») return',
    to: 'true',
    reason: 'Linux renames and removes files that are open, and the command ends then. Windows does neither.',
  },
  {
    pattern: /^lib\/quic\/retry\.cts, retryIntegrityTag: .*refusal\(status, .* becomes (""|\[\])$/,
    reason: 'The library passes memory of its own, of the right lengths, which the binding does not refuse.',
  },
  {
    file: 'lib/keyring/jwe.cts',
    within: 'membersIn',
    line: 'for (let i = 0; «i < json.length»; i++) {',
    to: 'i <= json.length',
    reason: 'Behind the end the code is NaN, which is equal to no other.',
  },
  {
    file: 'lib/keyring/blind-index.cts',
    within: 'BlindIndex.of',
    line: "update(hmac, value, «'utf8'»)",
    to: '""',
    reason: 'Without a name of an encoding, node:crypto takes the same one.',
  },
  {
    file: 'lib/flow/inflow.cts',
    within: 'Frames.take',
    line: 'if («bytes > 0») this.#given = true',
    to: 'true',
    reason: 'Memory that counts as given away is not used again: the next small chunk takes other memory.',
  },
  {
    file: 'lib/session/ratchet.cts',
    within: 'Ratchet.seal',
    line: 'if («aead === undefined») throw keyDestroyed()',
    to: 'false',
    reason:
      'A side that is destroyed does not call its ratchet any more: the condition is there for the compiler.',
  },
  {
    pattern: /^lib\/cli\/facts\.cts, lockedLimit\.\[, soft\]: .* becomes \["Stryker was here"\]$/,
    reason: 'The second element is taken, which is undefined in both lists.',
  },
  {
    file: 'lib/session/outlet.cts',
    within: 'Outlet.#rekeyOnce',
    line: 'if (error !== undefined) «this.#host.fail(error)»',
    to: ';',
    reason:
      'The side that opens refuses a secret only without memory for a key, after the side that seals had some.',
  },
]
