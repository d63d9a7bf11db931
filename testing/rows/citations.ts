/** Who cites which row: an id is `AREA-n`, and only the areas of the pages count. */
import type { Row } from './pages.ts'

export interface Citation {
  readonly id: string
  /** `path:line`. */
  readonly at: string
}

export function areaOf(id: string): string {
  return id.slice(0, id.lastIndexOf('-'))
}

/** Finds ids of the rows' areas, whether such a row is there or not. */
export function citationFinder(rows: readonly Row[]): (text: string) => readonly string[] {
  const areas = [...new Set(rows.map(({ id }) => areaOf(id)))].toSorted((a, b) => b.length - a.length)
  const cited = new RegExp(`(?<![\\w-])(?:${areas.join('|')})-\\d+(?![\\w-]*\\w)`, 'g')
  return (text) => text.match(cited) ?? []
}

export function citationsIn(
  path: string,
  text: string,
  find: (text: string) => readonly string[],
): readonly Citation[] {
  return text.split('\n').flatMap((line, index) => find(line).map((id) => ({ id, at: `${path}:${index + 1}` })))
}

/** A sentence for each citation of a row that no page has. */
export function unknownCitations(rows: readonly Row[], citations: readonly Citation[]): readonly string[] {
  const known = new Set(rows.map(({ id }) => id))
  return citations.filter(({ id }) => !known.has(id)).map(({ id, at }) => `${at} cites ${id}, which no page has`)
}

/** What the pages replaced: documents that the repository does not hold. */
const outside =
  /\brulings? \d+\.\d+|\bdocuments? [123]\b|(?<![\w-])S[123] (?:[A-Z"“]|row|section)|\[[HN]\d+\]|\blaw \d+\b|\bfacts \d+/

export function outsideCitation(text: string): string | undefined {
  return outside.exec(text)?.[0]
}
