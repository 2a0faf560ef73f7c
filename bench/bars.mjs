// The bars of the plot of streams and files: GB/s of every way, in blocks.
import { IN_FILES, IN_MEMORY, speed, TYPAGE } from './streams.mjs'
import { INK, PALE } from './svg.mjs'
import { size } from './table.mjs'
import { NODE, OURS } from './ways.mjs'

/** Okabe and Ito's colours, as in plots.mjs; the label of each bar names its implementation, too. */
const COLORS = { [OURS]: '#0072B2', [NODE]: '#D55E00', [TYPAGE]: '#6E6E6E', Node: '#8c959f' }

const isDecryption = ({ way }) => /decr|decipher/i.test(way)

/** Series and axes: one bar for each figure of this Node, and above each block of bars a row with its heading. */
export function bars(results) {
  const here = direction => results.filter(result => result.direction === direction)
  const blocks = [
    ['encryption in memory, writes of 64 KiB', here(IN_MEMORY).filter(result => !isDecryption(result))],
    ['decryption in memory, reads of 64 KiB', here(IN_MEMORY).filter(isDecryption)],
    [`file to file, ${size(here(IN_FILES)[0].bytes)}`, here(IN_FILES)],
  ]
  const rows = blocks.flatMap(([heading, own]) => [{ heading }, ...own])
  return {
    grid: { left: 330, right: 70, top: 84, bottom: 62 },
    xAxis: {
      type: 'value',
      name: 'GB/s (more is better)',
      nameLocation: 'middle',
      nameGap: 32,
      nameTextStyle: { color: PALE, fontSize: 13 },
      axisLabel: { color: INK, fontSize: 13 },
      splitLine: { lineStyle: { color: '#d0d7de' } },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: rows.map(({ heading, by, way }) => heading ?? `${by}, ${way}`),
      axisTick: { show: false },
      axisLine: { lineStyle: { color: PALE } },
      axisLabel: {
        interval: 0,
        fontSize: 13,
        color: INK,
        formatter: (text, i) => (rows[i].heading ? `{heading|${text}}` : text),
        rich: { heading: { color: PALE, fontSize: 13, fontWeight: 'bold' } },
      },
    },
    series: [
      {
        type: 'bar',
        silent: true,
        barWidth: '68%',
        data: rows.map(row =>
          row.heading ? { value: null } : { value: speed(row), itemStyle: { color: COLORS[row.by] } },
        ),
        label: {
          show: true,
          position: 'right',
          backgroundColor: '#ffffff', // a line of the grid may lie behind the figure
          color: INK,
          fontSize: 13,
          formatter: ({ value }) => value?.toFixed(2) ?? '',
        },
        emphasis: { disabled: true },
      },
    ],
  }
}
