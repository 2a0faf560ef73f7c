// Plants branches on secrets in a copy of the sources, which check.sh --self-test then must find: plant.mjs FOLDER
import { commandLine } from '../../scripts/command-line.mjs'
import { plant } from '../tools/plant.mjs'

const {
  operands: [folder],
} = commandLine(import.meta.url, { operands: [1, 1] })

plant(folder, [
  // Beside the branch that public.supp lets pass, in the same function: only the count of that branch shows it.
  {
    file: 'key/open',
    from: /let genuine = same\(&expected, tag\);/,
    to: '$& if expected[0] & 1 == 1 { core::hint::black_box(()); }',
  },
  // A comparison of tags that ends at the first difference.
  {
    file: 'secret',
    from: /pub fn same\([^{]*\{/,
    to: '$& if a[0] != b[0] { core::hint::black_box(()); return false; }',
  },
  // Packet numbers recovered with the branches of RFC 9000 A.3.
  {
    file: 'protocol/packet/number',
    from: /number\.wrapping_add\(window & below_zero\)/,
    to: 'if number > expected { core::hint::black_box(()); } $&',
  },
])
