import { visible } from '../../http/operational/visible.ts'

/** Rows under their headings, each column as wide as its widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return growingTable(headings)(rows)
}

/** Rows that come one after the other: the headings once, and columns that only get wider. */
export function growingTable(headings: readonly string[]): (rows: readonly (readonly string[])[]) => readonly string[] {
  let begun = false
  let widths: readonly number[] = headings.map(() => 0)
  return (rows) => {
    const lines = [...(begun ? [] : [headings]), ...rows].map((row) => row.map(visible))
    begun = true
    widths = widths.map((width, column) => Math.max(width, ...lines.map((row) => row[column]?.length ?? 0)))
    return lines.map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}
