// Of lib/quic/: the mutants that no test can kill, or that no test should.

export const QUIC = [
  {
    pattern: /^lib\/quic\/retry\.cts, retryIntegrityTag: .*refusal\(status, .* becomes (""|\[\])$/,
    reason: 'The library passes memory of its own, of the right lengths, which the binding does not refuse.',
  },
  {
    pattern: /^lib\/quic\/(origin|packet-protection)\.cts, (CREATE|SET_NEXT|MASK): .* becomes (""|\[\])$/,
    reason: 'The library passes memory of its own, of the right lengths, which the binding does not refuse.',
  },
  {
    file: 'lib/quic/packet-protection.cts',
    within: 'PacketProtection.constructor',
    line: 'this.#awaitsNextKeys = «lineage !== undefined»',
    to: 'true',
    reason: 'An object without a lineage has no next keys to hold, whatever this field says.',
  },
  {
    file: 'lib/quic/packet-protection.cts',
    within: 'PacketProtection.#destroy',
    line: 'self.#awaitsNextKeys = «false»',
    to: 'true',
    reason: 'An object without a lineage has no next keys to hold, whatever this field says.',
  },
  {
    file: 'lib/quic/packet-protection.cts',
    within: 'PacketProtection.#holdNextKeys',
    line: 'if («lineage === undefined») return',
    to: 'false',
    reason: 'Without a lineage, the object awaits no next keys: the condition is there for the compiler.',
  },
  {
    file: 'lib/quic/retry.cts',
    within: 'retryIntegrityTag',
    line: "if («!(status >= 0)») throw refusal(status, ['handle', 'data', 'nonce', 'tag', 'aad'])",
    to: 'false',
    reason: 'The library passes memory of its own, of the right lengths, which the binding does not refuse.',
  },
  {
    file: 'lib/quic/retry.cts',
    within: 'retryIntegrityTag',
    line: "if (!(«status >= 0»)) throw refusal(status, ['handle', 'data', 'nonce', 'tag', 'aad'])",
    to: 'true',
    reason: 'The library passes memory of its own, of the right lengths, which the binding does not refuse.',
  },
  {
    file: 'lib/quic/schedule.cts',
    within: 'schedule.name',
    line: "const name = constantsOf(«'version'», version).label",
    to: '""',
    reason: 'Both versions are known ones, so that no error names the argument.',
  },
]
