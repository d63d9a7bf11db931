/**
 * Did each word reach whom it was meant for, once? What was said is in the forge's audit log. Who heard it is in the
 * journals of the actors and in the turns as the model got them.
 */
import { listAll, type OrchestratorClient } from '../server/client.ts'
import type { AuditEntry, Model } from '../local/standins.ts'
import { firstLine, maintainerComments, type MaintainerComment } from './maintainer-comments.ts'

/** One event of an actor's journal. */
export interface JournalRow {
  readonly seq: number
  readonly at: number
  readonly key: string
  readonly event: Readonly<Record<string, unknown>>
  readonly effects: readonly { readonly type: string; readonly params: unknown }[]
}

export interface HeardTurn {
  /** The model played it to its end: so it was accepted, and what it carried was carried. */
  readonly ended: boolean
  readonly events: readonly string[]
  readonly comments: readonly string[]
}

export interface Heard {
  /** Of the Issues and MergeRequests. */
  readonly subjects: readonly JournalRow[]
  /** Of the Task, oldest first. */
  readonly task: readonly JournalRow[]
  /** Absent where no stand-in for the model saw them. */
  readonly turns: readonly HeardTurn[] | undefined
}

/** A word of the last moment is read by the merge itself, or not at all: nobody is left to hear it. */
const lastMomentMs = 2_000
/** So long an Issue may take to learn which Task owns it, with a crash in between. */
const ownedMs = 20_000

export function unheard(audit: readonly AuditEntry[], heard: Heard): readonly string[] {
  const merge = audit.find(({ action }) => action === 'pull.merge')
  const end = merge === undefined ? Number.POSITIVE_INFINITY : Date.parse(merge.at) - lastMomentMs
  // Names of events change: a verdict that finds none of them would find no fault either.
  const isBlind = (heard.turns?.length ?? 0) > 0 && !heard.task.some(asksForTurn)
  const faults = maintainerComments(audit).flatMap((word) => {
    const fault = faultOf(word, heard, Date.parse(word.at) < end)
    return fault === undefined ? [] : [`${fault}: #${word.number} ${firstLine(word.text)}`]
  })
  return isBlind ? ['the model played turns for which no Task asked', ...faults] : faults
}

function faultOf(word: MaintainerComment, heard: Heard, isInTime: boolean): string | undefined {
  const { id, text } = word
  // A review without words is a fact, not a comment.
  if (text === '') return undefined
  const carries = (shown: unknown): boolean => String(shown).includes(text.trim())
  // The mirror passes each comment on once, whatever brought it: webhook, redelivery or resync (R3).
  const [atSubject, ...again] = heard.subjects.filter(
    ({ key, event }) => event['commentId'] === id || key.endsWith(`comment/${id}`) || key.endsWith(`command/${id}`),
  )
  if (again.length > 0) return `a word was told ${again.length + 1} times`
  if (atSubject === undefined) return isInTime ? 'a word was lost' : undefined
  if (!String(atSubject.event['type']).endsWith('.commented')) return undefined
  const atTask = heard.task.filter(({ event }) => event['type'] === 'human.commented' && carries(event['text']))
  if (atTask.length > 1) return `the Task was told a word ${atTask.length} times`
  const [taken] = atTask
  if (taken !== undefined) return faultAtAgent(heard, carries, ({ seq }) => seq > taken.seq)
  if (!isInTime) return undefined
  if (hasOwner(atSubject, heard)) return 'a word did not reach the Task'
  return faultAtAgent(heard, carries, ({ at }) => at > atSubject.at)
}

/** What was said before there was an owner, the Task finds in the lists of comments. */
function hasOwner({ at, event, effects }: JournalRow, { task }: Heard): boolean {
  const passes = effects.some(({ params }) => String((params as { to?: unknown } | null)?.to).startsWith('task:'))
  return passes || (event['type'] === 'issue.commented' && at > (task[0]?.at ?? at) + ownedMs)
}

/** Its event leaves the queue with the turn that carried it (EVENTS-5). The lists of comments show it ever after. */
function faultAtAgent(
  { task, turns }: Heard,
  carries: (shown: unknown) => boolean,
  isAfter: (row: JournalRow) => boolean,
): string | undefined {
  if (turns === undefined) return undefined
  const fresh = turns.filter(({ ended, events }) => ended && events.some(carries)).length
  if (fresh > 1) return `the agent was told a word ${fresh} times as new`
  if (turns.some(({ events, comments }) => [...events, ...comments].some(carries))) return undefined
  // A turn that was asked for after the word was known, and was accepted.
  const asked = task.find((row) => isAfter(row) && asksForTurn(row))
  const hadTurn = asked && task.some(({ seq, event }) => seq > asked.seq && event['type'] === 'turn.accepted')
  return hadTurn ? 'a word did not reach the agent' : undefined
}

function asksForTurn({ effects }: JournalRow): boolean {
  return effects.some(({ params }) => JSON.stringify(params).includes('"turn.requested"'))
}

/** Reads the journals and the turns, once the story is over. */
export async function readHeard(client: OrchestratorClient, model: Model | undefined): Promise<Heard> {
  const journalsOf = async (...prefixes: readonly string[]): Promise<readonly JournalRow[]> => {
    const listed = prefixes.map((prefix) =>
      listAll<{ readonly address: string }>(client, '/operations/actors', { prefix }),
    )
    const actors = (await Promise.all(listed)).flat()
    const journals = actors.map(({ address }) => listAll<JournalRow>(client, '/operations/history', { address }))
    return (await Promise.all(journals)).flat().toSorted((a, b) => a.seq - b.seq)
  }
  const ended = model?.turns().flatMap(({ turnToken, steps }) => (steps.includes('end') ? [turnToken] : []))
  return {
    subjects: await journalsOf('issue:', 'merge-request:'),
    task: await journalsOf('task:'),
    turns: model?.inputs().map(({ turnToken, ...turn }) => ({ ...turn, ended: ended?.includes(turnToken) === true })),
  }
}
