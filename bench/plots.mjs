// Draws a run as SVG, for docs/benchmarks.md: throughput by size, the time of a small message, and streams and files.
import { bars } from './bars.mjs'
import { frame, INK, PALE, writeSvg } from './svg.mjs'

/** Okabe and Ito's colours, which differ for every kind of colour vision. Symbols and labels differ, too. */
const LINES = [
  {
    way: /ryptInPlace$/,
    label: 'hardware-aes-gcm, in place',
    color: '#0072B2',
    symbol: 'circle',
    width: 3.5,
  },
  {
    way: /BatchInPlace$/,
    label: 'hardware-aes-gcm, in a batch',
    color: '#E69F00',
    symbol: 'circle',
    width: 3.5,
  },
  { way: /^(en|de)crypt$/, label: 'hardware-aes-gcm, new Buffers', color: '#56B4E9', symbol: 'circle' },
  { by: 'sodium-native', label: 'sodium-native, XChaCha20', color: '#009E73', symbol: 'triangle' },
  { by: 'node:crypto', label: 'node:crypto', color: '#D55E00', symbol: 'rect' },
  { by: 'WebCrypto', label: 'WebCrypto', color: '#CC79A7', symbol: 'diamond' },
  { by: '@noble/ciphers', label: '@noble/ciphers, JavaScript', color: '#6E6E6E', symbol: 'roundRect' },
]

const PLOTS = [
  {
    file: 'throughput-encrypt.svg',
    title: 'Encryption: throughput by size of message',
    unit: 'GB/s, logarithmic',
    direction: 'encrypt',
    largest: Number.POSITIVE_INFINITY,
    between: 16,
    value: ({ bytes, median }) => bytes / median,
  },
  {
    file: 'throughput-decrypt.svg',
    title: 'Decryption: throughput by size of message',
    unit: 'GB/s, logarithmic',
    direction: 'decrypt',
    largest: Number.POSITIVE_INFINITY,
    between: 16,
    value: ({ bytes, median }) => bytes / median,
  },
  {
    file: 'small-messages.svg',
    title: 'Encryption: time of one small message',
    unit: 'nanoseconds, logarithmic (less is better)',
    direction: 'encrypt',
    largest: 4096,
    between: 4,
    value: ({ median }) => median,
  },
]

/** Writes every plot of messages and gives their paths, relative to the repository. */
export function draw({ machine, results }, root) {
  const below = `AES-256-GCM, median of a run. ${facts(machine)}`
  return PLOTS.map(plot => writeSvg(plot, options(plot, results, below), root))
}

/** Writes the plot of streams and files and gives its path. `results` are the figures of streams.mjs. */
export function drawStreams({ machine, results }, root) {
  const plot = { file: 'streams.svg', title: 'Streams and files: throughput', height: 560 }
  const below = `Medians, files by the best time. ${facts(machine)}`
  return writeSvg(plot, { ...frame(plot.title, below), ...bars(results) }, root)
}

const facts = ({ cpu, backend, node, openssl, date }) =>
  `${cpu}, ${backend}; Node ${node}, OpenSSL ${openssl}; ${date}`

function options(plot, results, below) {
  const shown = results.filter(r => r.direction === plot.direction && r.bytes <= plot.largest)
  const name = { nameTextStyle: { color: PALE, fontSize: 13 }, nameLocation: 'middle' }
  const axis = { type: 'log', axisLabel: { color: INK, fontSize: 13 }, ...name }
  return {
    ...frame(plot.title, below),
    grid: { left: 84, right: 224, top: 88, bottom: 62 },
    xAxis: {
      ...axis,
      name: 'bytes of the message, logarithmic',
      nameGap: 32,
      logBase: plot.between,
      min: 16,
      max: Math.max(...shown.map(({ bytes }) => bytes)),
      axisLabel: { ...axis.axisLabel, formatter: size },
      axisLine: { lineStyle: { color: PALE } },
      splitLine: { lineStyle: { color: '#eaeef2' } },
    },
    yAxis: {
      ...axis,
      name: plot.unit,
      nameGap: 56,
      max: ({ max }) => above(max),
      axisLabel: { ...axis.axisLabel, formatter: number },
      splitLine: { lineStyle: { color: '#d0d7de' } },
    },
    series: LINES.map(line => series(line, plot, shown)),
  }
}

function series({ by, way, label, color, symbol, width = 2 }, plot, shown) {
  const own = shown.filter(r => (by ? r.by === by : way.test(r.way)))
  // The label of a line that ends inside the plot ends above its last point: batches are the fastest, so no other line is above
  // them, but to the right of them one is.
  const inside = own.at(-1)?.bytes < Math.max(...shown.map(({ bytes }) => bytes))
  return {
    type: 'line',
    silent: true,
    clip: false,
    data: own.map(result => [result.bytes, plot.value(result)]),
    color,
    symbol,
    symbolSize: width + 5,
    lineStyle: { width },
    endLabel: {
      show: true,
      formatter: label,
      color,
      fontSize: 13,
      lineHeight: 19,
      distance: 10,
      ...(inside ? { align: 'right', offset: [0, -15] } : {}),
    },
    labelLayout: inside ? {} : { moveOverlap: 'shiftY' },
    emphasis: { disabled: true },
  }
}

/** The next of 1, 2, 5, 10, 20, …, which leaves less empty space than the next power of ten. */
function above(value) {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= value)
}

/** Labels only powers of ten. */
function number(value) {
  const power = Math.round(Math.log10(value))
  if (Math.abs(Math.log10(value) - power) > 0.01) return ''
  return power < 0 ? value.toFixed(-power) : String(10 ** power).replace(/\B(?=(\d{3})+$)/g, ' ')
}

function size(bytes) {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 2 ** 20 ? `${bytes / 1024} KiB` : `${bytes / 2 ** 20} MiB`
}
