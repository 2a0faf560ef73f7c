// A table for the documentation.

/** Markdown, from objects that have the same keys. */
export function markdown(rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  const columns = Object.keys(rows[0])
  return [line(columns), line(columns.map(() => '---')), ...rows.map(row => line(Object.values(row)))].join(
    '\n',
  )
}
