// The name of a row in errors.

/** A name, or the position in the argument `rows`: text for each row would take time. */
export type RowName = string | number

export function shownRow(row: RowName): string {
  return typeof row === 'number' ? `rows[${row}]` : row
}
