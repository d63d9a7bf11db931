/**
 * Did each word reach whom it was meant for, once? What was said is in the forge's audit log. Who heard it is in the
 * journals of the actors and in the turns as the model got them.
 */
import { listAll, type OrchestratorClient } from '../server/client.ts'
import type { AuditEntry, Model } from '../local/standins.ts'
import { firstLine, saidByMaintainers, type Said } from './said.ts'

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

export function unheard(audit: readonly AuditEntry[], heard: Heard): readonly string[] {
  const merge = audit.find(({ action }) => action === 'pull.merge')
  const end = merge === undefined ? Number.POSITIVE_INFINITY : Date.parse(merge.at) - lastMomentMs
  // Names of events change: a verdict that finds none of them would find no fault either.
  const blind = (heard.turns?.length ?? 0) > 0 && !heard.task.some((row) => row.effects.some(asksForTurn))
  const words = saidByMaintainers(audit).flatMap((word) => {
    const isInTime = Date.parse(word.at) < end
    return [...faultsAtSubject(word, heard, isInTime), ...faultsAtTask(word, heard, isInTime)].map(
      (fault) => `${fault}: #${word.number} ${firstLine(word.text)}`,
    )
  })
  return blind ? ['the model played turns for which no Task asked', ...words] : words
}

function toldRows({ id }: Said, { subjects }: Heard): readonly JournalRow[] {
  return subjects.filter(
    ({ key, event }) => event['commentId'] === id || key.endsWith(`comment/${id}`) || key.endsWith(`command/${id}`),
  )
}

/** The mirror tells each comment once, whatever brought it: webhook, redelivery or resync (R3). */
function faultsAtSubject(word: Said, heard: Heard, isInTime: boolean): readonly string[] {
  const told = toldRows(word, heard).length
  // A review without words is a fact, not a comment.
  if (word.text === '' || (told === 0 && !isInTime) || told === 1) return []
  return [told === 0 ? 'a word was lost' : `a word was told ${told} times`]
}

function faultsAtTask(word: Said, heard: Heard, isInTime: boolean): readonly string[] {
  const [told] = toldRows(word, heard)
  if (told === undefined || !String(told.event['type']).endsWith('.commented')) return []
  const rows = heard.task.filter(({ event }) => event['type'] === 'human.commented' && carries(event['text'], word))
  if (rows.length > 1) return [`the Task was told a word ${rows.length} times`]
  const [row] = rows
  if (row !== undefined) return faultsAtAgent(word, heard, ({ seq }) => seq > row.seq)
  if (!isInTime) return []
  if (hasOwner(told, heard)) return ['a word did not reach the Task']
  return faultsAtAgent(word, heard, ({ at }) => at > told.at)
}

/** So long an Issue may take to learn which Task owns it, with a crash in between. */
const ownedMs = 20_000

/** What was said before there was an owner, the Task finds in the lists of comments. */
function hasOwner({ at, event, effects }: JournalRow, { task }: Heard): boolean {
  const passes = effects.some(({ params }) => String((params as { to?: unknown } | null)?.to).startsWith('task:'))
  return passes || (event['type'] === 'issue.commented' && at > (task[0]?.at ?? at) + ownedMs)
}

/** Its event leaves the queue with the turn that carried it (EVENTS-5). The lists of comments show it ever after. */
function faultsAtAgent(word: Said, { task, turns }: Heard, isAfter: (row: JournalRow) => boolean): readonly string[] {
  if (turns === undefined) return []
  const fresh = turns.filter(({ ended, events }) => ended && events.some((text) => carries(text, word))).length
  if (fresh > 1) return [`the agent was told a word ${fresh} times as new`]
  const isSeen = turns.some(({ events, comments }) => [...events, ...comments].some((text) => carries(text, word)))
  return !isSeen && hadTurn(task, isAfter) ? ['a word did not reach the agent'] : []
}

/** A turn that was asked for after the word was known, and was accepted. */
function hadTurn(task: readonly JournalRow[], isAfter: (row: JournalRow) => boolean): boolean {
  const asked = task.find((row) => isAfter(row) && row.effects.some(asksForTurn))
  return asked !== undefined && task.some(({ seq, event }) => seq > asked.seq && event['type'] === 'turn.accepted')
}

function asksForTurn({ params }: { readonly params: unknown }): boolean {
  return JSON.stringify(params).includes('"turn.requested"')
}

function carries(text: unknown, word: Said): boolean {
  return String(text).includes(word.text.trim())
}

/** Reads the journals and the turns, once the story is over. */
export async function readHeard(client: OrchestratorClient, model: Model | undefined): Promise<Heard> {
  const journalsOf = async (prefix: string): Promise<readonly JournalRow[]> => {
    const actors = await listAll<{ readonly address: string }>(client, '/operations/actors', { prefix })
    const journals = await Promise.all(
      actors.map(({ address }) => listAll<JournalRow>(client, '/operations/history', { address })),
    )
    return journals.flat().toSorted((a, b) => a.seq - b.seq)
  }
  const [issues, mergeRequests, task] = await Promise.all(['issue:', 'merge-request:', 'task:'].map(journalsOf))
  const ended = new Set(
    model?.turns().flatMap(({ turnToken, steps }) => (steps.includes('end') ? [turnToken] : [])) ?? [],
  )
  return {
    subjects: [...(issues ?? []), ...(mergeRequests ?? [])],
    task: task ?? [],
    turns: model
      ?.inputs()
      .map(({ turnToken, events, comments }) => ({ ended: ended.has(turnToken), events, comments })),
  }
}
