/**
 * The board of Tasks: what waits for people, what works, what is queued, and what ended. One answer for the inspector's first page and for
 * `statewright waiting`. Pure: what it is made of is read before (`edges/inspector/readings/read-board.ts`).
 */
import { Type, type Static } from 'typebox'
import type { IssueFacts } from '../issue/events.ts'
import type { LedgerContext } from '../ledger/context.ts'
import { accountsOf } from '../ledger/context.ts'
import type { Hold } from '../model-key/context.ts'
import { conditionsOf } from '../project/conditions.ts'
import type { ProjectContext } from '../project/context.ts'
import { isPaused, positions } from '../queue/admission.ts'
import type { QueueContext, WaitingEntry } from '../queue/context.ts'
import { isListed } from '../rules/logins.ts'
import { tokensOf } from '../rules/spending.ts'
import type { TaskContext } from '../task/context.ts'
import { restingInQueue, taskResting, type Resting } from './reason.ts'
import { commitText, isFoundBy, namedLine } from './search.ts'
import { taskTexts } from './task-texts.ts'
import { titleOf } from './title.ts'

/** What cards got later is optional: the command line of a new version reads the board of an older server. */
const Card = Type.Object({
  task: Type.String({ description: 'Its id, `namespace/name`.' }),
  address: Type.Optional(Type.String({ description: 'The actor that shows it, where it has none of its own yet.' })),
  project: Type.String(),
  repositories: Type.Optional(Type.Array(Type.String())),
  title: Type.String({ description: 'Of its goal, which may have the title that its issue had.' }),
  stage: Type.String(),
  since: Type.Number({ description: 'When it came to its stage, or into the queue. Epoch milliseconds.' }),
  reason: Type.String({ description: 'Of the enum of reasons; empty: it has ended.' }),
  owner: Type.String({ description: 'Who can move it.' }),
  why: Type.String({ description: 'Why it rests.' }),
  next: Type.String({ description: 'What would move it.' }),
  detail: Type.String(),
  people: Type.Array(Type.String(), {
    description: 'Logins of whom it waits for; empty: for nobody on the forge.',
  }),
  by: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Logins of who wrote its issue, and of the maintainer whose approval it has.',
    }),
  ),
  texts: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Names of its threads and its kind of agent: a search finds it by them too.',
    }),
  ),
  commits: Type.Optional(
    Type.Array(Type.String(), { description: 'Of its merge requests: the newest heads, and what was merged.' }),
  ),
  thread: Type.Union([Type.Object({ name: Type.String(), url: Type.String() }), Type.Null()], {
    description: 'Issue or merge request where the next step is taken.',
  }),
  queue: Type.Union([Type.Object({ position: Type.Integer(), reason: Type.String() }), Type.Null()]),
  turns: Type.Integer(),
  tokens: Type.Number(),
  usd: Type.Number({ description: 'List price; 0 for a model without a known one.' }),
})
export type Card = Static<typeof Card>

const Column = Type.Object({ cards: Type.Array(Card), more: Type.Integer({ description: 'Cards that are left out.' }) })
type Column = Static<typeof Column>

const ProjectLine = Type.Object({
  project: Type.String(),
  fault: Type.Union([Type.Object({ reason: Type.String(), message: Type.String() }), Type.Null()], {
    description: 'Why it is not ready.',
  }),
  hold: Type.String({ description: 'Why its queue admits nothing although it may be ready; empty: it admits.' }),
  slots: Type.Integer(),
  used: Type.Integer(),
  budgets: Type.Array(
    Type.Object({ name: Type.String(), limit: Type.Number(), spent: Type.Number(), reserved: Type.Number() }),
    { description: 'Limits in tokens; where none is set it is left out.' },
  ),
})
type ProjectLine = Static<typeof ProjectLine>

export const Board = Type.Object({
  now: Type.Number(),
  waiting: Column,
  working: Column,
  queued: Column,
  ended: Column,
  endedSince: Type.Optional(
    Type.Number({
      description:
        'Where more ended within a day than are read: when the first of those ended that are. Epoch milliseconds.',
    }),
  ),
  projects: Type.Array(ProjectLine),
  isScripted: Type.Optional(
    Type.Boolean({ description: 'Turns ask a scripted model: what their tokens would cost nobody pays.' }),
  ),
  withheld: Type.Union(
    [Type.Object({ cause: Type.String(), message: Type.String(), until: Type.Number() }), Type.Null()],
    {
      description: 'Why the model is withheld from the key of the pods.',
    },
  ),
})
export type Board = Static<typeof Board>

interface TaskActor {
  readonly path: string
  readonly context: TaskContext
}

export interface Seen {
  readonly tasks: readonly TaskActor[]
  /** Ended, the newest first. */
  readonly ended: readonly TaskActor[]
  /** Present where more ended than were read. */
  readonly endedSince?: number
  /** Tasks that no code here can load. */
  readonly quarantined: readonly { readonly id: string; readonly fault: string; readonly since: number }[]
  /** By the actor id of the issue. */
  readonly issues: ReadonlyMap<string, IssueFacts>
  readonly queues: readonly QueueContext[]
  readonly ledgers: ReadonlyMap<string, LedgerContext>
  readonly projects: readonly ProjectContext[]
  /** Logins of the maintainers, by the id of the Project and the name of the Repository with a blank between. */
  readonly maintainers: ReadonlyMap<string, readonly string[]>
  readonly hold: Hold | null
  readonly isScripted?: boolean
  readonly now: number
}

/** Of a column; a person reads no more. */
const mostCards = 100

/** Words of people, in any case; empty ones filter nothing. `me`, a login: of what waits for people, only what it may move. */
export type BoardFilter = Readonly<Partial<Record<'me' | 'q' | 'project' | 'repository' | 'person' | 'reason', string>>>

/** What a filter leaves, which is what it leaves of the list of Tasks, and who wrote an issue as in the list of issues. It gives no right. */
export function boardFor(board: Board, { me = '', ...filter }: BoardFilter = {}): Board {
  const { q, project, repository, person, reason } = { ...noFilter, ...filter }
  const isFound = (card: Card): boolean =>
    (project === '' || isIn(project, card)) &&
    (repository === '' || (card.repositories ?? []).some((one) => isSame(repository, one))) &&
    (person === '' || isListed(person, card.by ?? [])) &&
    (reason === '' || isSame(reason, lastOf(card.reason))) &&
    isFoundBy(q, searchedOf(card))
  const isFor = (card: Card): boolean => isFound(card) && (me === '' || isListed(me, card.people))
  const { waiting, working, queued, ended, projects } = board
  return {
    ...board,
    waiting: cut(waiting.cards.filter(isFor)),
    working: cut(working.cards.filter(isFound)),
    queued: cut(queued.cards.filter(isFound)),
    ended: cut(ended.cards.filter(isFound)),
    projects: projects.filter((one) => project === '' || isSame(project, one.project)),
  }
}

const noFilter = { q: '', project: '', repository: '', person: '', reason: '' }

function isSame(asked: string, known: string): boolean {
  return asked.trim().toLowerCase() === known.toLowerCase()
}

/** Nobody knows the Project of a Task that nobody can load: it is one of its namespace, and an operator must act. */
function isIn(asked: string, { project, task }: Card): boolean {
  return project === '' ? isSame(namespaceOf(asked), namespaceOf(task)) : isSame(asked, project)
}

function namespaceOf(id: string): string {
  return id.split('/', 1)[0] ?? ''
}

function searchedOf(card: Card): Parameters<typeof isFoundBy>[1] {
  const { task, title, project, repositories = [], texts = [], reason, thread, by = [], commits = [] } = card
  const words = [`task:${task}`, title, project, ...repositories, ...texts, lastOf(reason), thread?.name, ...by]
  return {
    words: words.join('\n').toLowerCase(),
    named: commits.map((commit) => namedLine(commitText, commit)).join(''),
  }
}

function lastOf(reason: string): string {
  return reason.split('/').at(-1) ?? ''
}

/** With every card. */
export function boardOf(seen: Seen): Board {
  const places = new Map(
    seen.queues.flatMap((queue) => positions(queue, seen.now).map((place) => [place.entry, place])),
  )
  const live = seen.tasks.map((task) => cardOf(seen, task, places.get(task.context.pod.entry ?? '')))
  const mints = seen.queues.flatMap((queue) =>
    queue.entries.flatMap((entry) => mintCard(seen, queue, entry, places.get(entry.entry))),
  )
  const cards = [...seen.quarantined.map(quarantineCard), ...live, ...mints]
  const of = (wanted: string): Column['cards'] =>
    cards.filter(({ owner }) => columnOf(owner) === wanted).toSorted((a, b) => a.since - b.since)
  return {
    now: seen.now,
    waiting: column(of('waiting')),
    working: column(of('working')),
    queued: column(of('queued').toSorted((a, b) => (a.queue?.position ?? 0) - (b.queue?.position ?? 0))),
    ended: column([...of('ended'), ...seen.ended.map((task) => cardOf(seen, task, undefined))]),
    ...(seen.endedSince === undefined ? {} : { endedSince: seen.endedSince }),
    projects: seen.projects.map((project) => lineOf(seen, project)),
    isScripted: seen.isScripted === true,
    withheld: seen.hold && { cause: seen.hold.cause, message: seen.hold.message, until: seen.hold.until },
  }
}

/** One that has ended may live on until its pod has stopped. */
function columnOf(owner: string): 'waiting' | 'queued' | 'working' | 'ended' {
  if (owner === '') return 'ended'
  if (owner === 'queue') return 'queued'
  return owner === 'human' || owner === 'maintainer' || owner === 'operator' ? 'waiting' : 'working'
}

function column(cards: Column['cards']): Column {
  return { cards, more: 0 }
}

function cut(cards: Column['cards']): Column {
  return { cards: cards.slice(0, mostCards), more: Math.max(0, cards.length - mostCards) }
}

const bare = {
  detail: '',
  people: [],
  by: [],
  texts: [],
  commits: [],
  repositories: [],
  thread: null,
  queue: null,
  turns: 0,
  tokens: 0,
  usd: 0,
}

type Place = ReturnType<typeof positions>[number]

function cardOf(seen: Seen, { path, context }: TaskActor, place: Place | undefined): Card {
  const { id, config, repositories, forge, stage, turn } = context
  const [issue] = forge.issues
  const facts = issue && seen.issues.get(issue.issue)
  const resting = taskResting(context, path)
  const { title, number, person, agent, commit } = taskTexts(context, path)
  return {
    title,
    task: id,
    project: config.project,
    repositories: [...repositories],
    stage: stage.name,
    since: stage.enteredAt,
    ...restOf(resting),
    detail: stage.detail ?? '',
    people: peopleOf(seen, context, resting, facts),
    by: byOf(facts, person),
    texts: [...number.split(' '), agent].filter(Boolean),
    commits: commit.split(' ').filter(Boolean),
    thread: threadOf(context, facts),
    queue: resting?.owner === 'queue' ? placeOf(place) : null,
    turns: turn.count,
    tokens: tokensOf(turn.usage),
    usd: turn.usage['costUsd'] ?? 0,
  }
}

function restOf(resting: Resting | undefined): Pick<Card, 'reason' | 'owner' | 'why' | 'next'> {
  if (resting === undefined) return { reason: '', owner: '', why: 'has ended', next: '' }
  return { reason: resting.reason, owner: resting.owner, why: resting.says, next: resting.unblocks }
}

/** What a maintainer must do, a maintainer may; what any person may, the author of the issue too. */
function peopleOf(
  { maintainers }: Seen,
  { config, repositories, stage }: TaskContext,
  resting: Resting | undefined,
  facts: IssueFacts | undefined,
): string[] {
  // A maintainer's `/retry` releases a park of an operator too (PARK-4).
  const isTheirs = resting?.owner === 'human' || resting?.owner === 'maintainer' || stage.class === 'parked'
  if (resting === undefined || !isTheirs) return []
  const listed = repositories.flatMap((repository) => maintainers.get(`${config.project} ${repository}`) ?? [])
  const author = resting.owner === 'human' && facts !== undefined ? [facts.author] : []
  return [...new Set([...listed, ...author])]
}

function byOf(facts: IssueFacts | undefined, maintainer: string): string[] {
  return [facts?.author, maintainer].flatMap((login) => login || [])
}

/** A change is judged where its merge request is; until there is one, on the issue. */
function threadOf({ forge }: TaskContext, facts: IssueFacts | undefined): Card['thread'] {
  const open = forge.mergeRequests.find(({ state }) => state === 'open')
  const shown = open ?? (facts ? undefined : forge.mergeRequests.at(-1))
  return shown ? linkTo('!', shown) : linkTo('#', facts)
}

interface Thread {
  readonly repository: string
  readonly number: number
  readonly url: string
}

/** A forge names the address: a page makes a link of it. */
function linkTo(sign: '#' | '!', thread: Thread | undefined): Card['thread'] {
  if (thread === undefined || !/^https?:\/\//.test(thread.url)) return null
  return { name: `${thread.repository}${sign}${thread.number}`, url: thread.url }
}

function placeOf(place: Place | undefined): Card['queue'] {
  return place === undefined ? null : { position: place.position, reason: place.reason }
}

/** A Task that is not there yet. */
function mintCard(seen: Seen, queue: QueueContext, entry: WaitingEntry, place: Place | undefined): readonly Card[] {
  if (entry.sort !== 'mint' || entry.admittedAt !== null || entry.seed === undefined) return []
  const { seed } = entry
  const facts = seed.issues[0] && seen.issues.get(seed.issues[0].issue)
  return [
    {
      ...bare,
      title: titleOf(seed.goal),
      task: entry.task,
      project: queue.id,
      repositories: [...seed.repositories],
      address: `queue:${queue.id}`,
      stage: 'queued',
      since: entry.enqueuedAt,
      ...restOf(restingInQueue),
      by: byOf(facts, ''),
      thread: facts ? linkTo('#', facts) : linkTo('!', seed.mergeRequests[0]),
      queue: placeOf(place),
    },
  ]
}

function quarantineCard({ id, fault, since }: Seen['quarantined'][number]): Card {
  return {
    ...bare,
    task: id,
    project: '',
    title: id,
    stage: 'quarantined',
    since,
    owner: 'operator',
    reason: 'quarantined',
    why: 'no code of this version can load it',
    next: 'a version that can; `statewright actors --status quarantined` names the cause',
    detail: fault,
  }
}

function lineOf({ queues, ledgers }: Seen, project: ProjectContext): ProjectLine {
  const [ready] = conditionsOf(project)
  const queue = queues.find(({ id }) => id === project.id)
  const ledger = ledgers.get(project.id)
  return {
    project: project.id,
    fault: ready.status === 'True' ? null : { reason: ready.reason, message: ready.message },
    hold: queue ? holdOf(queue) : '',
    slots: queue ? Math.min(queue.capacity, queue.maxConcurrentAgents) : 0,
    used: queue ? queue.entries.filter((one) => one.class === 'normal' && one.admittedAt !== null).length : 0,
    budgets: (ledger ? accountsOf(ledger, '') : []).flatMap(({ name, limit, spent, reserved }) =>
      name === 'task' || limit === 0 ? [] : [{ name, limit, spent, reserved }],
    ),
  }
}

/** In the words that its entries wait by, though none may wait. */
function holdOf(queue: QueueContext): string {
  if (queue.pausedBy !== null) return `paused by ${queue.pausedBy.by}: ${queue.pausedBy.reason}`
  if (isPaused(queue)) return 'paused: maxConcurrentAgents is 0'
  if (queue.budget === 'allHeld') return 'the token budget is used up: the queue starts nothing'
  return queue.budget === 'normalHeld' ? 'the proactive share is used up: the queue starts only alerts' : ''
}
