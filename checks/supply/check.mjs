// Checks everything that others wrote and the packages or their making use: checks/run.mjs supply
//
// Lock files, known vulnerabilities of crates, licences with the bills of materials, and the hosted workflows; each part must first
// find planted faults. checks/supply/crates.mjs holds the crates of the addon to a list. Needs pip and Go; installs zizmor,
// actionlint and semver into the user's cache folder.
import { checkAdvisories } from './advisories.mjs'
import { checkLicences } from './licences.mjs'
import { checkLocks } from './locks.mjs'
import { checkWorkflows } from './workflows.mjs'

export default {
  about:
    'No dependency on npm, no script at installation, no open advisory, allowed licences, sound workflows',
  needs: ['cargo', 'go', 'python3'],
  prove: () => [checkLocks(), checkAdvisories(), checkLicences(), checkWorkflows()].flat(),
}
