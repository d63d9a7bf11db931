/**
 * Notes whose words do not fit into the Task's own row any more: the store has them. They are written before the Task lets go
 * of them, so that at every moment at least one of the two has each; the journal is append-only, so a note's place names it.
 */
import type { Note } from '../../machines/task/context.ts'
import type { Queryable } from '../../runtime/store/sql.ts'

/** Words that a Task's row holds at most, in bytes (NOTE-3). */
export const mostNoteBytes = 512 * 1024

/** How many of the oldest notes have to give up their words, so that those after them and the new one fit. */
export function spillFor(notes: readonly Note[], body: string): number {
  let left = mostNoteBytes - Buffer.byteLength(body)
  const kept = notes.toReversed().findIndex((note) => (left -= Buffer.byteLength(note.body)) < 0)
  return kept === -1 ? 0 : notes.length - kept
}

/** Writes the words of the first `count` notes that are still here. Again, it changes nothing. */
export async function spill(sql: Queryable, task: string, notes: readonly Note[], count: number): Promise<void> {
  const going = notes.slice(0, count).flatMap(({ body, spilled }, place) => (spilled ? [] : [{ place, body }]))
  if (going.length === 0) return
  await sql.query(
    `insert into spilled_note (task, place, body) select $1, place, body from unnest($2::int[], $3::text[]) as going (place, body)
     on conflict do nothing`,
    [task, going.map(({ place }) => place), going.map(({ body }) => JSON.stringify(body))],
  )
}

/** The same notes with their words; those for which `wanted` says no stay without. */
export async function withWords(
  sql: Queryable,
  task: string,
  notes: readonly Note[],
  wanted: (note: Note) => boolean = () => true,
): Promise<readonly Note[]> {
  const places = notes.flatMap((note, place) => (note.spilled && wanted(note) ? [place] : []))
  if (places.length === 0) return notes
  const { rows } = await sql.query<{ place: number; body: string }>(
    'select place, body from spilled_note where task = $1 and place = any($2::int[])',
    [task, places],
  )
  const bodies = new Map(rows.map(({ place, body }) => [place, JSON.parse(body) as string]))
  return notes.map((note, place) => ({ ...note, body: bodies.get(place) ?? note.body }))
}
