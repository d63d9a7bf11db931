/** Reads what the board of Tasks is made of. */
import { Value } from 'typebox/value'
import type { ActorKind } from '../../../machines/definition.ts'
import type { IssueFacts } from '../../../machines/issue/events.ts'
import { Board, boardFor, boardOf, type BoardFilter, type Seen } from '../../../machines/why/board.ts'
import { allActors } from '../../../runtime/all-actors.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { redact } from '../../../runtime/redact.ts'
import type { ActorView, Runtime } from '../../../runtime/runtime.ts'
import { sharedReading } from './shared-reading.ts'

interface BoardDeps {
  readonly runtime: Pick<Runtime, 'read' | 'list' | 'listEnded'>
  /** Logins by the id of the Project and the name of the Repository with a blank between. */
  readonly maintainers: () => Promise<Seen['maintainers']>
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  readonly isScripted?: boolean
  /** False: nobody knows whether the model was a scripted one, so no price is shown. */
  readonly hasPrices?: boolean
}

const dayMs = 86_400_000
/** Each is restored, once for all who ask: a filter must find those of a quiet Project among them. */
const mostEnded = 1000

export function boardReader(deps: BoardDeps): (wanted?: BoardFilter) => Promise<Board> {
  const { clock } = deps
  const whole = sharedReading(clock, async () => Value.Parse(Board, redact(boardOf(await readAll(deps)))))
  return async (wanted) => boardFor(await whole(), wanted)
}

async function readAll({
  runtime,
  maintainers,
  clock,
  isScripted = false,
  hasPrices = true,
}: BoardDeps): Promise<Seen> {
  // Of the begin: a page that heard of a later step asks again.
  const now = clock.now()
  const [live, ended, quarantined, queues, ledgers, projects, keys, logins] = await Promise.all([
    tasksOf(runtime, 'active'),
    runtime.listEnded('task', { since: now - dayMs, limit: mostEnded + 1 }),
    tasksOf(runtime, 'quarantined'),
    contextsOf(runtime, 'queue'),
    contextsOf(runtime, 'ledger'),
    contextsOf(runtime, 'project', ({ path }) => !path.startsWith('deleted')),
    contextsOf(runtime, 'model-key'),
    maintainers(),
  ])
  const seenTask = (view: ActorView<'task'>): Seen['tasks'][number] => (hasPrices ? view : withoutPrice(view))
  const tasks = live.map(seenTask)
  const [oldest, more] = [ended[mostEnded - 1], ended[mostEnded]]
  const endedTasks = ended.slice(0, mostEnded).map(seenTask)
  const issues = [...tasks, ...endedTasks].flatMap(({ context }) => context.forge.issues[0]?.issue ?? [])
  const asked = queues.flatMap(({ entries }) => entries.flatMap(({ seed }) => seed?.issues[0]?.issue ?? []))
  return {
    tasks,
    ended: endedTasks,
    ...(oldest && more ? { endedSince: oldest.updatedAt } : {}),
    quarantined: quarantined.map(({ id, fault = '', updatedAt }) => ({ id, fault, since: updatedAt })),
    issues: await readIssues(runtime, [...new Set([...issues, ...asked])]),
    queues,
    ledgers: new Map(ledgers.map((ledger) => [ledger.id, ledger])),
    projects,
    maintainers: logins,
    isScripted,
    hold: keys.find(({ hold }) => hold !== null)?.hold ?? null,
    now,
  }
}

function withoutPrice({ path, context }: ActorView<'task'>): Seen['tasks'][number] {
  const { turn } = context
  return { path, context: { ...context, turn: { ...turn, usage: { ...turn.usage, costUsd: 0 } } } }
}

/** It may have moved on between the two readings of a list. */
async function tasksOf(
  runtime: Pick<Runtime, 'list'>,
  status: ActorView['status'],
): Promise<readonly ActorView<'task'>[]> {
  const found: ActorView<'task'>[] = []
  for await (const view of allActors(runtime, 'task', '', { status })) if (view.status === status) found.push(view)
  return found
}

async function contextsOf<Kind extends ActorKind>(
  runtime: Pick<Runtime, 'list'>,
  kind: Kind,
  isWanted: (view: ActorView) => boolean = () => true,
): Promise<readonly ActorView<Kind>['context'][]> {
  const found: ActorView<Kind>['context'][] = []
  for await (const view of allActors(runtime, kind, '', { status: 'active' }))
    if (isWanted(view)) found.push(view.context)
  return found
}

async function readIssues(
  runtime: Pick<Runtime, 'read'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, IssueFacts>> {
  const read = ids.map(async (id): Promise<readonly [string, IssueFacts][]> => {
    const view = await runtime.read(`issue:${id}`)
    const facts = view?.context.facts
    return facts ? [[id, facts]] : []
  })
  return new Map((await Promise.all(read)).flat())
}
