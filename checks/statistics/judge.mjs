// Reads what ent, rngtest and dieharder print, and says whether random bits would print it.

/** A result so far out comes once in 10^9 runs of random bits: 6.1 standard deviations. */
const DEVIATIONS = 6.1
/** dieharder's own bound of FAILED. About 120 values are looked at in a whole run, on both sides. */
const LEAST_P = 1e-6
/**
 * Of blocks of 20 000 random bits, those that fail FIPS 140-2: 1.0 · 10^-4 for the number of ones (274.5 of a deviation of 70.7), as many
 * for poker, 3.0 · 10^-4 for a run of 26 bits or more (2 · 20 000 · 2^-27) and as many for the numbers of runs.
 */
const FIPS_RATE = 8e-4
/** How far from the sum the true rate may be, since these are approximations. */
const FIPS_MARGIN = 1.25
/** Tests that dieharder itself lists as suspect or not to be used: shown, not judged. */
const SUSPECT = ['diehard_opso', 'diehard_oqso', 'diehard_dna', 'diehard_sums']

/** `ent -t`, or `ent -b -t`, of bytes or bits. */
export function ofEnt(output, isBits) {
  const line = output.split('\n').find(one => one.startsWith('1,'))
  const [, samples, , chi, mean, , serial] = (line ?? '').split(',').map(Number)
  if (!(samples > 0)) throw new Error(`ent prints ${output}`)
  const freedom = isBits ? 1 : 255
  const deviation = (isBits ? 0.5 : Math.sqrt((256 ** 2 - 1) / 12)) / Math.sqrt(samples)
  const found = {
    'chi-square': normalOfChiSquare(chi, freedom),
    mean: (mean - (isBits ? 0.5 : 127.5)) / deviation,
    'serial correlation': serial * Math.sqrt(samples),
  }
  // The four digits of the mean of bits are too few for a verdict; the chi-square of bits is the same number, squared.
  if (isBits) delete found.mean
  const far = Object.entries(found).filter(([, value]) => !(Math.abs(value) < DEVIATIONS))
  const shown = Object.entries(found).map(([name, value]) => `${name} ${value.toFixed(2)}σ`)
  return { text: shown.join(', '), fault: far.map(([name]) => name).join(', ') }
}

/** Wilson and Hilferty's approximation; with one degree of freedom, the root is normal itself. */
function normalOfChiSquare(chi, freedom) {
  if (freedom === 1) return Math.sqrt(chi)
  const part = 2 / (9 * freedom)
  return (Math.cbrt(chi / freedom) - (1 - part)) / Math.sqrt(part)
}

/** The lines of rngtest on standard error. */
export function ofRngtest(output) {
  const [good, bad] = ['successes', 'failures'].map(name =>
    Number(output.match(`FIPS 140-2 ${name}: (\\d+)`)?.[1]),
  )
  const blocks = good + bad
  if (!(blocks > 0)) throw new Error(`rngtest prints ${output}`)
  const [least, most] = [1 / FIPS_MARGIN, FIPS_MARGIN].map(margin => FIPS_RATE * margin * blocks)
  const isRight = bad < most + DEVIATIONS * Math.sqrt(most) && bad > least - DEVIATIONS * Math.sqrt(least)
  const text = `${bad} of ${blocks} blocks fail FIPS 140-2, ${(FIPS_RATE * blocks).toFixed(0)} would by chance`
  return { text, fault: isRight ? '' : text }
}

/** The lines of dieharder's table. */
export function ofDieharder(output) {
  const rows = output
    .split('\n')
    .map(line => line.split('|').map(part => part.trim()))
    .filter(([, , , , p]) => p !== undefined && /^[01]\.\d+$/.test(p))
    .map(([name, n, , , p]) => ({ name: `${name} ${n}`, p: Number(p), isJudged: !SUSPECT.includes(name) }))
  const judged = rows.filter(({ isJudged }) => isJudged)
  if (rows.length === 0) throw new Error(`dieharder prints ${output}`)
  const far = judged.filter(({ p }) => !(p > LEAST_P && p < 1 - LEAST_P))
  return {
    rows,
    values: judged.map(({ p }) => p),
    fault: far.map(({ name, p }) => `${name} p = ${p}`).join(', '),
  }
}
