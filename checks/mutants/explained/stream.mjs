// Of lib/stream/: the mutants that no test can kill, or that no test should.

export const STREAM = [
  {
    pattern: /^lib\/stream\/transfer\.cts, SEAL: .* becomes (""|\[\])$/,
    reason: 'The library passes memory of its own, of the right lengths, which the binding does not refuse.',
  },
  {
    pattern: /^lib\/stream\/message\.cts, CREATE: .* becomes (""|\[\])$/,
    reason:
      'The library passes keys of its own, of the right lengths, which the binding does not refuse by a name.',
  },
  {
    file: 'lib/stream/files.cts',
    within: 'written',
    line: '«file.close()»',
    to: ';',
    reason: 'Linux renames files that are open, and `discard` closes this one. Windows does not rename them.',
  },
  {
    file: 'lib/stream/files.cts',
    within: 'written',
    line: '«flushFolder(file.folder)»',
    to: ';',
    reason: 'The flush of a folder shows after a power failure alone.',
  },
  {
    file: 'lib/stream/buffers.cts',
    within: 'decryptBuffer.size',
    line: 'const size = chunks * CHUNK_BYTES + («rest < TAG_BYTES» ? 0 : rest - TAG_BYTES)',
    to: 'rest <= TAG_BYTES',
    reason: 'A last chunk of 16 bytes has no text, so that both sides are 0.',
  },
  {
    file: 'lib/stream/reader.cts',
    within: 'DecryptionReader.#fill',
    line: 'if («wanted === bytes») {',
    to: 'false',
    reason:
      'Whole chunks that are opened elsewhere and copied are the same bytes: the choice is one of speed.',
  },
  {
    pattern: /^lib\/stream\/runs\.cts, Runs\.push: if \(«length > 0»\) .* becomes (true|length >= 0)$/,
    reason: 'No bytes are gathered by a copy of none: the condition saves the memory for a chunk.',
  },
  {
    pattern: /^lib\/stream\/runs\.cts, Runs\.push: if \(«whole > 0»\) \{ becomes (true|whole >= 0)$/,
    reason: 'A run of no chunks writes nothing.',
  },
  {
    pattern:
      /^lib\/stream\/runs\.cts, Runs\.push: if \(«from \+ whole < length»\) .* becomes (true|from \+ whole <= length)$/,
    reason: 'No bytes are gathered by a copy of none.',
  },
  {
    pattern:
      /^lib\/stream\/runs\.cts, Runs\.push(\.source)?: .*«(from === length|count === 1|whole === length|done === 0)» \? .* becomes false$/,
    reason: 'A view of all bytes has the same bytes: the choice is one of speed.',
  },
  {
    file: 'lib/stream/runs.cts',
    within: 'Decryption.push',
    line: 'if («this.#key !== undefined») this.#handle = resume(this.#key, this.#header, this.#settings)',
    to: 'true',
    reason: 'A stream that was destroyed takes no piece any more: the condition is there for the compiler.',
  },
  {
    file: 'lib/stream/runs.cts',
    within: 'Decryption.lastOf',
    line: 'if («this.#handle === undefined» || held === 0) throw truncated()',
    to: 'false',
    reason: 'Before the header is complete, no byte of a chunk is held.',
  },
  {
    file: 'lib/stream/runs.cts',
    within: 'Decryption.destroy',
    line: 'if («this.#handle !== undefined») chunksDestroy(this.#handle)',
    to: 'true',
    reason: 'The binding refuses undefined as a handle by a number, which nobody reads.',
  },
  {
    file: 'lib/stream/schedule.cts',
    within: 'derive',
    line: 'if («memory.length > BLOCK_BYTES») {',
    to: 'memory.length >= BLOCK_BYTES',
    reason: 'The secrets of a message have 60 or 76 bytes, and never as many as a block.',
  },
  {
    file: 'lib/stream/transfer.cts',
    within: 'encryptTo',
    line: 'if (!(«status >= 0»)) throw chunksRefusal(status, 0, SEAL, handle, source, target)',
    to: 'status > 0',
    reason: 'Every run that is sealed has the 16 bytes of a tag at least.',
  },
  {
    pattern: /^lib\/stream\/transfer\.cts, transfer\.run: /,
    reason: 'The length of a run only decides how much memory is taken.',
  },
  {
    file: 'lib/stream/transfer.cts',
    within: 'transfer',
    line: 'if («all.length === 1») all.push(next)',
    to: 'true',
    reason: 'Memory that is in the list more than once is wiped more than once.',
  },
  {
    file: 'lib/stream/transfer.cts',
    within: 'transfer',
    line: 'if («last») await writing',
    to: 'true',
    reason: 'The next run would begin after the write instead of during it: the choice is one of speed.',
  },
  {
    file: 'lib/stream/transform.cts',
    within: 'MessageTransform.constructor',
    line: 'if («header !== undefined») this.push(header)',
    to: 'true',
    reason: 'A stream of Node takes undefined as nothing: the condition is there for the compiler.',
  },
  {
    file: 'lib/stream/transform.cts',
    within: 'MessageTransform.#take.made',
    line: 'const made = this.#work.push(«some === end» ? chunk : partOf(chunk, at, some))',
    to: 'false',
    reason: 'A view of all bytes has the same bytes: the choice is one of speed.',
  },
  {
    file: 'lib/stream/transform.cts',
    within: 'MessageTransform._read',
    line: 'if («this.#goOn === undefined») super._read(size)',
    to: 'true',
    reason: 'While a write goes on, Transform has no callback of it to hold back.',
  },
]
