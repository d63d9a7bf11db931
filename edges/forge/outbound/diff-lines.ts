import type { ChangedFile } from '../port.ts'

/** Lines of the new side that a review may point at: those inside a hunk, added or context. */
export function commentableLines(file: ChangedFile): ReadonlySet<number> {
  const lines = new Set<number>()
  let next = 0
  for (const text of (file.patch ?? '').split('\n')) {
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)
    if (hunk) next = Number(hunk[1])
    else if (next > 0 && (text.startsWith('+') || text.startsWith(' ') || text === '')) lines.add(next++)
  }
  return lines
}
