import type { JournalRow } from '../../runtime/runtime.ts'

/** One committed step as a log line: enough to tell the story by, without contexts or texts. */
interface StoryLine {
  readonly actor: string
  readonly seq: number
  readonly event: string
  readonly path: string
  readonly at: number
  readonly effects: readonly string[]
  /** What the event says of itself that a reader of the story wants. */
  readonly facts: Readonly<Record<string, string | number>>
}

const shownFields = [
  'action',
  'stopReason',
  'cause',
  'reason',
  'by',
  'author',
  'kind',
  'repository',
  'number',
  'sha',
  'pod',
  'turn',
  'planHash',
  'verdict',
] as const

export function storyLine(row: JournalRow): StoryLine {
  const facts = shownFields.flatMap((name) => {
    const value = row.event[name]
    return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : []
  })
  return {
    actor: row.address,
    seq: row.seq,
    event: row.event.type,
    path: row.path,
    at: row.at,
    effects: row.effects.map(({ type }) => type),
    facts: Object.fromEntries(facts),
  }
}
