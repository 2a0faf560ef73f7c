// Of lib/session/: the mutants that no test can kill, or that no test should.

export const SESSION = [
  {
    file: 'lib/session/opener.cts',
    within: 'RecordOpener.judge',
    line: 'if («this.#failed || this.ended» || length < LEAST_LENGTH || length > most) throw this.refuse()',
    to: 'false',
    reason: 'A side that failed or ended has no keys, and refuses the record when it opens it.',
  },
  {
    file: 'lib/session/outlet.cts',
    within: 'Outlet.#rekeyOnce',
    line: 'if (error !== undefined) «this.#host.fail(error)»',
    to: ';',
    reason:
      'The side that opens refuses a secret only without memory for a key, after the side that seals had some.',
  },
  {
    file: 'lib/session/hello.cts',
    within: 'agreed',
    line: 'if («count === 0» || length !== IDS_AT + count) throw notAHello()',
    to: 'false',
    reason: 'A hello is longer than its part before the ciphers, so that a count of 0 never fits its length.',
  },
  {
    file: 'lib/session/inlet.cts',
    within: 'Inlet.next.state',
    line: "return { state: «'wait'», error: error as Error }",
    to: '""',
    reason: 'The stream looks at the error first, and then not at the state.',
  },
  {
    file: 'lib/session/inlet.cts',
    within: 'Inlet.#record',
    line: "return «data === undefined» ? MORE : { state: 'more', data }",
    to: 'false',
    reason: 'The stream takes a step without data in the same way, whether or not it has a property for it.',
  },
  {
    file: 'lib/session/keibidrop.cts',
    within: 'KeibidropSealer.#record',
    line: 'if («aead === undefined») throw keyDestroyed()',
    to: 'false',
    reason:
      'A side that is destroyed is not asked for records any more: the condition is there for the compiler.',
  },
  {
    file: 'lib/session/keibidrop.cts',
    within: 'KeibidropSealer.rekey',
    line: 'if («this.#aead === undefined») throw keyDestroyed()',
    to: 'false',
    reason:
      'A side that is destroyed is not asked for keys any more: the condition is there for the compiler.',
  },
  {
    file: 'lib/session/keibidrop.cts',
    within: 'KeibidropOpener.offer',
    line: 'if («this.#aead === undefined») return',
    to: 'false',
    reason: 'A side that is destroyed gets no secret any more: the condition is there for the compiler.',
  },
  {
    file: 'lib/session/messages.cts',
    within: 'whole',
    line: "if («span === undefined || span === 'gone'») throw detached(name)",
    to: 'false',
    reason:
      '`lengthOf` has refused memory that is gone, and every other value: the condition is there for the compiler.',
  },
  {
    file: 'lib/session/messages.cts',
    within: 'whole',
    line: "if («span === undefined || span === 'gone'») throw detached(name)",
    to: "span === undefined && span === 'gone'",
    reason:
      '`lengthOf` has refused memory that is gone, and every other value: the condition is there for the compiler.',
  },
  {
    file: 'lib/session/messages.cts',
    within: 'whole',
    line: "if («span === undefined» || span === 'gone') throw detached(name)",
    to: 'false',
    reason:
      '`lengthOf` has refused memory that is gone, and every other value: the condition is there for the compiler.',
  },
  {
    file: 'lib/session/messages.cts',
    within: 'whole',
    line: "if (span === undefined || «span === 'gone'») throw detached(name)",
    to: 'false',
    reason:
      '`lengthOf` has refused memory that is gone, and every other value: the condition is there for the compiler.',
  },
  {
    file: 'lib/session/messages.cts',
    within: 'whole',
    line: "if (span === undefined || span === «'gone'») throw detached(name)",
    to: '""',
    reason:
      '`lengthOf` has refused memory that is gone, and every other value: the condition is there for the compiler.',
  },
  {
    file: 'lib/session/messages.cts',
    within: 'RecordReader.#records',
    line: 'if («end - at < LENGTH_BYTES») throw opener.refuse()',
    to: 'false',
    reason:
      'A length that is cut off is refused as one that is too short, or as one behind which bytes are missing.',
  },
  {
    file: 'lib/session/messages.cts',
    within: 'RecordReader.#records',
    line: 'if («end - at < LENGTH_BYTES») throw opener.refuse()',
    to: 'end - at <= LENGTH_BYTES',
    reason:
      'A length that is cut off is refused as one that is too short, or as one behind which bytes are missing.',
  },
  {
    file: 'lib/session/messages.cts',
    within: 'RecordReader.#records',
    line: 'if («end - at» < LENGTH_BYTES) throw opener.refuse()',
    to: 'end + at',
    reason:
      'A length that is cut off is refused as one that is too short, or as one behind which bytes are missing.',
  },
  {
    file: 'lib/session/messages.cts',
    within: 'RecordReader.#records',
    line: 'if («data === undefined») throw opener.refuse()',
    to: 'false',
    reason: 'The lengths were checked, so that there is a view: the condition is there for the compiler.',
  },
  {
    file: 'lib/session/opener.cts',
    within: 'RecordOpener.judge',
    line: 'if («this.#failed || this.ended» || length < LEAST_LENGTH || length > most) throw this.refuse()',
    to: 'this.#failed && this.ended',
    reason: 'A side that failed or ended has no keys, and refuses the record when it opens it.',
  },
  {
    file: 'lib/session/opener.cts',
    within: 'RecordOpener.destroy',
    line: 'this.#failed = «true»',
    to: 'false',
    reason: 'A side that failed has no keys, and refuses the record when it opens it.',
  },
  {
    file: 'lib/session/opener.cts',
    within: 'RecordOpener.#mayCome',
    line: 'if (!this.confirmed) return type === CONFIRM && «bytes === 0»',
    to: 'true',
    reason: 'The first record is judged by its length, and no longer one than that of a confirm is allowed.',
  },
  {
    file: 'lib/session/opener.cts',
    within: 'RecordOpener.#takeOffer',
    line: '«offer?.wipe»()',
    to: 'offer.wipe',
    reason: 'There is an offer whenever one is taken: the question mark is there for the compiler.',
  },
  {
    file: 'lib/session/options.cts',
    within: 'settingsOf',
    line: "if (keibidrop && (suites.length !== 1 || own('ciphers') === undefined || «suites[0]?.keyBytes» !== 32)) {",
    to: 'suites[0].keyBytes',
    reason:
      'There is a cipher at least, or the options were refused before: the question mark is there for the compiler.',
  },
  {
    file: 'lib/session/ratchet.cts',
    within: 'Ratchet.open',
    line: 'if («aead === undefined» || !aead.open(data, this.#nextNonce(), tag, header)) return false',
    to: 'false',
    reason:
      'A side that is destroyed refuses a record before it opens it: the condition is there for the compiler.',
  },
  {
    file: 'lib/session/inlet.cts',
    within: 'Inlet.isFull',
    line: 'return «this.#opener?.isFull» === true',
    to: 'this.#opener.isFull',
    reason:
      'The sending side asks for this, and it is opened after the receiving one: the question mark is there for the compiler.',
  },
  {
    file: 'lib/session/inlet.cts',
    within: 'Inlet.#starved',
    line: 'this.#told = «true»',
    to: 'false',
    reason: 'Node ignores a second end of a stream.',
  },
  {
    file: 'lib/session/outlet.cts',
    within: 'Outlet.write',
    line: "if (chunks.some(chunk => «byteLength(chunk) === 0» && !isThere(chunk))) this.#host.fail(detached('chunk'))",
    to: 'true',
    reason: 'Memory of a chunk that has bytes is there: the condition saves time.',
  },
  {
    file: 'lib/session/outlet.cts',
    within: 'Outlet.destroy',
    line: 'this.#rekeyings = «[]»',
    to: '["Stryker was here"]',
    reason: 'Without a sealer, no rekeying of the list is begun any more.',
  },
  {
    file: 'lib/session/outlet.cts',
    within: 'Outlet.destroy',
    line: '«this.#underway.clear()»',
    to: ';',
    reason:
      'The promises of these rekeyings are settled, and nothing reads the set after the end of the stream.',
  },
  {
    file: 'lib/session/outlet.cts',
    within: 'Outlet.#flush.bytes',
    line: 'const bytes = «source.left < BATCH» ? source.left : BATCH',
    to: 'source.left <= BATCH',
    reason: 'Both sides of the choice are the same number then.',
  },
  {
    file: 'lib/session/outlet.cts',
    within: 'Outlet.#rekeyOnce',
    line: 'if («error !== undefined») this.#host.fail(error)',
    to: 'false',
    reason:
      'The side that opens refuses a secret only without memory for a key, after the side that seals had some.',
  },
  {
    file: 'lib/session/stream.cts',
    within: 'SecureStream.#received',
    line: 'if («this.destroyed») return',
    to: 'false',
    reason: 'A stream that is destroyed has no listener at its socket any more.',
  },
  {
    file: 'lib/session/stream.cts',
    within: 'SecureStream.#pump',
    line: 'if («this.destroyed») return',
    to: 'false',
    reason: 'The socket is destroyed with the stream, so that it does not matter whether it flows.',
  },
  {
    file: 'lib/session/keibidrop.cts',
    within: 'KeibidropOpener.judge',
    line: 'if («this.#aead === undefined» || length < LEAST_LENGTH || length > this.#maxRecord) throw this.refuse()',
    to: 'false',
    reason: 'A reader or a stream that failed or was destroyed asks for no record any more.',
  },
  {
    file: 'lib/session/stream.cts',
    within: 'SecureStream.#deliver',
    line: 'if (data !== undefined && «data.length > 0» && !this.destroyed) {',
    to: 'true',
    reason: 'Node gives no empty chunk to a reader of bytes.',
  },
]
