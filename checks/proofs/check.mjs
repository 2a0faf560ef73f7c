// Proves properties of this repository's source for all inputs, by the solver z3 and by algebra over GF(2): checks/run.mjs proofs
//
// The functions are read from src/ and lib/ and run on symbolic values, so that a proof is about the code as it is now. A change that
// breaks a property fails with inputs that show it; a function that parse.py and evaluate.py cannot read any more fails as well. Proved:
// packet numbers are those of RFC 9000, nonces do not repeat, limits do not overflow, digits and ranges of bytes, equality of tags, GHASH
// and POLYVAL with their reductions, GF(2^256). Faults planted into the source that is read must be refuted; each prints its
// counterexample. Takes under a minute. Needs Python 3.11 or later with pip; installs z3 from PyPI.
import { env } from 'node:process'
import { pypi } from '../../scripts/pypi.mjs'
import { run } from '../../scripts/tools.mjs'

export default {
  about: 'The functions of numbers, nonces, limits, fields and digits are right for **all** inputs',
  needs: ['python3'],
  prove: () =>
    run('python3', ['checks/proofs/prove.py'], {
      env: { ...env, PYTHONPATH: pypi('checks/proofs/z3.txt'), PYTHONDONTWRITEBYTECODE: '1' },
    }),
}
