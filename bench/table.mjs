// The results of a run as text: one block for each size, and a summary.
import { isBatch, NODE, OURS } from './ways.mjs'

const HEADINGS = ['median', 'least', 'x node']
const WIDTHS = [13, 13, 8]
const NAME = 23
const DIRECTIONS = ['encrypt', 'decrypt']

/** The heading of all blocks, which explains the columns. */
export function legend() {
  return [
    'median and least: ns per message, over all samples; x node: times as fast as node:crypto, by the median.',
    'Every way makes a fresh nonce and a whole tag; Buffers are used again; decryption opens the encrypted message.',
  ].join('\n')
}

/** All ways at one size, encryption on the left and decryption on the right, under the name of their implementation. */
export function block(results, bytes) {
  const sides = DIRECTIONS.map(direction =>
    results.filter(r => r.bytes === bytes && r.direction === direction),
  )
  const lines = [`\n${size(bytes)}`]
  lines.push(line(DIRECTIONS.map(direction => [direction, ...HEADINGS])))
  for (const by of new Set(sides.flat().map(result => result.by))) {
    lines.push(by)
    const own = sides.map(side => side.filter(result => result.by === by))
    for (let i = 0; i < Math.max(...own.map(side => side.length)); i++) {
      lines.push(line(sides.map((side, s) => cells(side, own[s][i]))))
    }
  }
  return lines.join('\n')
}

/** The best way of each implementation at each size, one message a call, in ns. */
export function summary(all) {
  const results = all.filter(({ way }) => !isBatch(way))
  const names = [...new Set(results.map(({ by }) => by))]
  const lines = []
  for (const direction of DIRECTIONS) {
    lines.push(
      `\n${direction}: the best way of each with one message a call, median, ns; x node and GB/s of ${OURS}`,
    )
    lines.push(
      `${'bytes'.padStart(11)}${names.map(name => name.padStart(18)).join('')}${'x node'.padStart(8)}${'GB/s'.padStart(8)}`,
    )
    for (const bytes of new Set(results.map(r => r.bytes))) {
      const best = names.map(by => {
        const own = results.filter(r => r.bytes === bytes && r.direction === direction && r.by === by)
        return Math.min(...own.map(({ median }) => median))
      })
      const own = best[names.indexOf(OURS)]
      const figures = best.map(ns => nanoseconds(ns).padStart(18)).join('')
      const ratio = times(best[names.indexOf(NODE)] / own).padStart(8)
      lines.push(`${grouped(bytes).padStart(11)}${figures}${ratio}${(bytes / own).toFixed(2).padStart(8)}`)
    }
  }
  return lines.join('\n')
}

function line(sides) {
  return sides
    .map(([name, ...figures]) =>
      [`  ${name}`.padEnd(NAME + 2), ...figures.map((figure, i) => figure.padStart(WIDTHS[i]))].join(''),
    )
    .join('  |')
    .trimEnd()
}

function cells(side, result) {
  if (result === undefined) return ['', '', '', '']
  const { way, median, least } = result
  const node = side.find(({ by }) => by === NODE).median
  return [way, nanoseconds(median), nanoseconds(least), times(node / median)]
}

/** With one decimal below 1000 ns. */
export function nanoseconds(ns) {
  return ns < 1000 ? ns.toFixed(1) : grouped(Math.round(ns))
}

export function times(ratio) {
  return ratio.toFixed(ratio < 1 ? 2 : 1)
}

/** A whole number in groups of three digits. */
function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ' ')
}

export function size(bytes) {
  if (bytes < 4096) return `${bytes} bytes`
  return bytes < 2 ** 20 ? `${bytes / 1024} KiB` : `${bytes / 2 ** 20} MiB`
}
