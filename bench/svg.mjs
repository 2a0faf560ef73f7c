// The frame of every plot, and its SVG file in docs/plots.
import { mkdirSync, writeFileSync } from 'node:fs'
import { BarChart, LineChart } from 'echarts/charts'
import { GridComponent, TitleComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { LabelLayout } from 'echarts/features'
import { SVGRenderer } from 'echarts/renderers'

use([BarChart, LineChart, GridComponent, TitleComponent, LabelLayout, SVGRenderer])

const FOLDER = 'docs/plots'
// Without quotation marks: the library does not escape them in attributes.
const FONT = 'Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif'
export const INK = '#24292f'
export const PALE = '#57606a'

/** The options that all plots share: their title, and the facts of the run below it. */
export const frame = (title, below) => ({
  animation: false,
  // White and not transparent: GitHub shows the file on a dark page as well.
  backgroundColor: '#ffffff',
  textStyle: { fontFamily: FONT },
  title: {
    text: title,
    subtext: below,
    left: 24,
    top: 16,
    textStyle: { color: INK, fontSize: 19 },
    subtextStyle: { color: PALE, fontSize: 12.5 },
  },
})

/** Writes one plot and gives its path, relative to the repository. */
export function writeSvg({ file, title, height = 500 }, options, root) {
  mkdirSync(new URL(FOLDER, root), { recursive: true })
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 920, height })
  chart.setOption(options)
  const path = `${FOLDER}/${file}`
  writeFileSync(new URL(path, root), plain(chart.renderToSVGString(), title))
  chart.dispose()
  return path
}

/** The drawing without its effects for a mouse, and with a title for screen readers. */
function plain(svg, title) {
  return `${svg
    .replace(/<style[\s\S]*<\/style>\s*/, '')
    .replace(/ (class|pointer-events|xml:space)="[^"]*"/g, '')
    .replace(/(<svg[^>]*)>/, `$1 role="img" aria-label="${title}">\n<title>${title}</title>`)}\n`
}
