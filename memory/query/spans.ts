/** How much of each file an answer shows: of the first ones more than one chunk, of the last ones only where the words stand. */
import type { Sql } from '../../runtime/store/sql.ts'
import { kindOf } from '../engine/memory-kind.ts'
import type { ChunkHit } from '../engine/port.ts'
import { termsOf } from '../engine/text/tokenize.ts'

export interface FoundChunk extends ChunkHit {
  readonly metadata: Readonly<Record<string, string>>
}

/** What stands around chunks in their memories, by the ids of the memories. */
export type Surroundings = ReadonlyMap<string, string>

/**
 * Of commits' changed lines an answer shows 30 to 51 % with these three numbers and 27 to 44 % with one chunk of each file, in
 * about the same number of characters (measured on the repositories of `tunedOn`, bench/retrieval).
 */
export const widenedFiles = 3
const wholeFiles = 4
/** As long as a chunk of the embedded engine. */
const mostBeside = 1_600
const mostNarrowed = 800

/** `ranked`: one chunk of each file, and notes, best first. Notes stay as they are: who wrote one meant all of it. */
export function spansOf(ranked: readonly FoundChunk[], around: Surroundings, text: string): FoundChunk[] {
  const files = ranked.filter(({ metadata }) => kindOf(metadata) === 'files')
  const terms = new Set(termsOf(text).keys())
  const [wide, narrow] = [new Set(files.slice(0, widenedFiles)), new Set(files.slice(wholeFiles))]
  return ranked.map((chunk) => {
    if (narrow.has(chunk)) return { ...chunk, content: narrowed(chunk.content, terms) }
    const known = wide.has(chunk) ? around.get(chunk.memoryId) : undefined
    return known === undefined ? chunk : { ...chunk, content: widened(chunk.content, known, terms) }
  })
}

/** Whole contents: to look for a chunk and cut around it in the store takes twice the time of giving all. */
export async function surroundingsOf(sql: Sql, chunks: readonly FoundChunk[]): Promise<Surroundings> {
  if (chunks.length === 0) return new Map()
  const { rows } = await sql.query<{ id: string; content: string }>(
    'select id, content from memory where id = any($1::text[])',
    [chunks.map(({ memoryId }) => memoryId)],
  )
  return new Map(rows.map(({ id, content }) => [id, content]))
}

/** With what stands before or behind it in its file, whichever has more of the terms; behind it when both have as many. */
function widened(content: string, around: string, terms: ReadonlySet<string>): string {
  const at = around.indexOf(content)
  if (at < 0) return content
  const [before, after] = [endOf(around.slice(0, at)), beginningOf(around.slice(at + content.length))]
  const takesBefore = after.trim() === '' || termsIn(before, terms) > termsIn(after, terms)
  const [from, to] = takesBefore ? [at - before.length, at] : [at, at + after.length]
  return around
    .slice(from, to + content.length)
    .replace(/^\n+/, '')
    .trimEnd()
}

/** To the end of a paragraph, or of a line. */
function beginningOf(text: string): string {
  if (text.length <= mostBeside) return text
  const cut = text.slice(0, mostBeside)
  const paragraph = cut.lastIndexOf('\n\n')
  return cut.slice(0, paragraph > mostBeside / 2 ? paragraph : cut.lastIndexOf('\n') + 1)
}

/** From the beginning of a paragraph, or of a line. */
function endOf(text: string): string {
  if (text.length <= mostBeside) return text
  const cut = text.slice(-mostBeside)
  const paragraph = cut.indexOf('\n\n')
  if (paragraph >= 0 && paragraph < mostBeside / 2) return cut.slice(paragraph + 2)
  return cut.includes('\n') ? cut.slice(cut.indexOf('\n') + 1) : ''
}

/** The lines that have the most of the terms, at most `mostNarrowed` characters or the half; the first of equal ones. */
function narrowed(content: string, terms: ReadonlySet<string>): string {
  const most = Math.max(mostNarrowed, content.length / 2)
  if (content.length <= most) return content
  const lines = content.split('\n')
  const known = lines.map((line) => termsIn(line, terms))
  let best = { count: -1, from: 0, to: 0 }
  for (let from = 0; from < lines.length; from += 1) {
    let [to, length, count] = [from, 0, 0]
    for (; to < lines.length && length + lines[to]!.length < most; to += 1) {
      length += lines[to]!.length + 1
      count += known[to]!
    }
    if (count > best.count) best = { count, from, to }
  }
  return lines.slice(best.from, Math.max(best.to, best.from + 1)).join('\n')
}

function termsIn(text: string, terms: ReadonlySet<string>): number {
  const known = termsOf(text)
  return [...terms].filter((term) => known.has(term)).length
}
