// The licences of the crates in the binaries, and the bills of materials that tell of these crates.

import { PLATFORMS } from '../../scripts/dist/platforms.mjs'
import { linkedCrates, sbomOfPlatform, sbomOfRoot } from '../../scripts/dist/sbom.mjs'
import { judge, planted } from './lines.mjs'

/** Licences under which a binary with the code may be passed on under Apache-2.0, with the notices that its package has. */
const ALLOWED = ['Apache-2.0', 'BSD-3-Clause', 'ISC', 'MIT', 'Unicode-3.0', 'Unlicense']

/** Whether an SPDX expression can be met by allowed licences alone. */
function isAllowed(expression) {
  const words = expression.replaceAll('/', ' OR ').match(/[()]|[^\s()]+/g) ?? []
  let at = 0
  // OR binds weaker than AND (SPDX 2.3, annex D.4.5).
  const any = () => {
    let met = all()
    while (words[at] === 'OR') {
      at++
      met = all() || met
    }
    return met
  }
  const all = () => {
    let met = one()
    while (words[at] === 'AND') {
      at++
      met = one() && met
    }
    return met
  }
  const one = () => {
    const word = words[at++]
    if (word !== '(') return ALLOWED.includes(word)
    const met = any()
    return words[at++] === ')' && met
  }
  return any() && at === words.length
}

const faults = crates =>
  crates
    .filter(({ license }) => !isAllowed(license ?? ''))
    .map(({ name, license }) => `${name} has the licence ${license ?? 'of a file'}, which is not on the list`)

/** The faults of the bills: a crate that a binary has and its bill lacks. */
function billFaults(platform, bill, crates) {
  const named = JSON.parse(bill).components.map(({ purl }) => purl)
  return crates
    .map(({ name, version }) => `pkg:cargo/${name}@${version}`)
    .filter(wanted => !named.includes(wanted))
    .map(wanted => `the bill of materials of ${platform} lacks ${wanted}`)
}

export function checkLicences() {
  const crate = license => [{ name: 'planted', version: '1.0.0', license }]
  for (const license of ['GPL-3.0', 'MIT AND GPL-3.0', '(MIT OR ISC) AND GPL-3.0', undefined])
    planted('planted has the licence', faults(crate(license)))
  planted('lacks pkg:cargo/planted@1.0.0', billFaults('root', sbomOfRoot(), crate('MIT')))
  const linked = Object.entries(PLATFORMS).map(([name, { target }]) => [name, linkedCrates(target)])
  const names = new Set(linked.flatMap(([, crates]) => crates.map(({ name }) => name)))
  return judge(
    `licences: ${names.size} crates in ${linked.length} binaries, all under ${ALLOWED.join(', ')}, all in their bills of materials`,
    linked.flatMap(([name, crates]) => [
      ...faults(crates),
      ...billFaults(name, sbomOfPlatform(name), crates),
    ]),
  )
}
