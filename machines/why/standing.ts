/**
 * How an actor stands in one word, for lists, boards and badges: the word with a sign and a tone, and of its rest the
 * reason, who can end it, and how. Pure. A row of a list needs the actor's own view alone; a message of the feed has
 * no context, and gets the word that the path alone gives.
 */
import type { ActorKind, Owner } from '../definition.ts'
import type { IssueContext } from '../issue/context.ts'
import type { MemoryContext } from '../memory/context.ts'
import type { MemoryStackContext } from '../memory-stack/context.ts'
import type { ModelKeyContext } from '../model-key/context.ts'
import { conditionsOf } from '../project/conditions.ts'
import type { ProjectContext } from '../project/context.ts'
import type { QueueContext } from '../queue/context.ts'
import type { TaskContext } from '../task/context.ts'
import { restingOf, taskResting, type Resting } from './reason.ts'
import type { Why } from './why.ts'

/** `goes`: work goes on; `waits`: for a machine or a time; `asks`: for a person; `rests`: for nobody. */
type Tone = 'goes' | 'waits' | 'asks' | 'trouble' | 'rests'

export interface Word {
  readonly sign: string
  readonly word: string
  readonly tone: Tone
}

export interface Standing extends Word {
  readonly reason?: string
  readonly owner?: Owner
  readonly next?: string
}

interface StandingActor {
  readonly kind: ActorKind
  readonly status: 'active' | 'done' | 'quarantined'
  readonly path: string
  /** Absent: only the path is known. */
  readonly context?: unknown
}

const signs = { goes: '►', waits: '◷', asks: '?', trouble: '!', rests: '✓' } as const
const [paused, held, notReady, ended, idle] = ['‖', '■', '▲', '✕', '○']

function word(tone: Tone, text: string, sign: string = signs[tone]): Word {
  return { sign, word: text, tone }
}

const approval = word('asks', 'waits for approval')
const answer = word('asks', 'waits for an answer')
const parked = word('asks', 'parked', paused)
const retry = word('waits', 'waits to retry')
const withheld = word('asks', 'model withheld', held)

/** Stages in which an agent works: where the pod is has the word. */
const work = ['brainstorming', 'investigating', 'refining', 'implementing', 'documenting', 'upgrading', 'reviewing']

/**
 * By state, or by an entry of the enum of reasons; what is not here has the word of the one around it. Null: another
 * region has the word.
 */
const words: Readonly<Record<string, Word | null>> = {
  'project/notReady': word('asks', 'not ready', notReady),
  'project/ready': word('goes', 'ready'),
  'project/scheduled.readiness.notReady': word('asks', 'not ready', notReady),
  'project/scheduled.readiness.ready': word('goes', 'ready'),
  ...Object.fromEntries(
    ['refine', 'issueScan', 'brainstorm', 'documentation', 'upgrade', 'budget'].map((region) => [
      `project/scheduled.${region}`,
      null,
    ]),
  ),
  'project/deleted': word('rests', 'deleted', ended),
  'queue/readiness.notReady': word('asks', 'not ready', notReady),
  'queue/readiness.ready': null,
  'queue/pause.running': word('goes', 'open'),
  'queue/pause.paused': word('asks', 'paused', paused),
  'queue/budget.open': null,
  'queue/budget.normalHeld': word('asks', 'alerts only', held),
  'queue/budget.allHeld': word('asks', 'held', held),
  'ledger/open': word('goes', 'open'),
  'ledger/spentToday': word('asks', 'day used up', held),
  'model-key/serving': word('goes', 'serving'),
  'model-key/withheld': word('asks', 'withheld', held),
  'model-key/asking': word('asks', 'withheld', held),
  'model-key/vacant': word('asks', 'withheld', held),
  'model-key/trying': word('waits', 'trying'),
  'memory/off': word('rests', 'off', idle),
  'memory/filling': word('goes', 'filling'),
  'memory/resting': word('rests', 'idle', idle),
  'memory-stack/absent': word('rests', 'absent', idle),
  'memory-stack/pending': word('waits', 'starts'),
  'memory-stack/running': word('goes', 'serves'),
  'memory-stack/degraded': word('trouble', 'degraded'),
  'memory-stack/ending': word('waits', 'ends'),
  ...Object.fromEntries(
    work.flatMap((stage) => [
      ...['fresh', 'clocked'].map((state) => [`task/stage.live.active.${stage}.${state}`, null]),
      [`task/stage.live.active.${stage}.withheld`, withheld],
    ]),
  ),
  'task/stage.live.minted': word('waits', 'begins'),
  'task/stage.live.active.refined': null,
  'task/stage.live.active.refining.folding': word('waits', 'waits for Tasks'),
  'task/stage.live.active.reviewing.opening.settling': word('waits', 'waits for its pod'),
  'task/stage.live.active.reviewing.opening.asked': word('waits', 'opening'),
  'task/stage.live.active.merging.settling': word('waits', 'waits for its pod'),
  'task/stage.live.active.merging.asked': word('waits', 'merging'),
  'task/stage.live.parked': parked,
  'task/stage.live.parked.operator-error': word('trouble', 'needs an operator'),
  'task/stage.delivered': word('rests', 'delivered'),
  'task/stage.rejected': word('rests', 'rejected', ended),
  'task/final/cancelled': word('rests', 'cancelled', ended),
  'task/stage.failed': word('rests', 'failed', ended),
  'task/stage.folded': word('rests', 'folded'),
  'task/awaiting-human': parked,
  'task/awaiting-human/discuss': answer,
  'task/awaiting-human/waiting-for-reply': answer,
  'task/awaiting-human/optional-check': answer,
  'task/awaiting-human/approval-revoked': approval,
  'task/awaiting-human/needs-maintainer': approval,
  'task/awaiting-human/over-auto-approve-ceiling': approval,
  'task/awaiting-human/withheld': word('asks', 'withheld', paused),
  'task/awaiting-human/merge-refused': word('asks', 'merge refused', paused),
  'task/awaiting-human/budget': word('asks', 'budget used up', held),
  'task/awaiting-human/held': word('asks', 'held', held),
  'task/identity-unverified': parked,
  'task/implement-declined': word('asks', 'declined', ended),
  'task/operator-error': word('trouble', 'needs an operator'),
  'task/pod.none': word('waits', 'waits for its pod'),
  'task/pod.backingOff': retry,
  'task/pod.awaitingSlot': word('waits', 'waits for a slot'),
  'task/pod.awaitingSlot/withheld': withheld,
  'task/pod.starting': word('waits', 'pod starts'),
  'task/pod.working.busy': word('goes', 'working'),
  'task/pod.working.idle': answer,
  'task/pod.working.idle/awaiting-approval': approval,
  'task/pod.working.resting': retry,
  'task/pod.working.ending': word('waits', 'pod stops'),
  'task/pod.stopping': word('waits', 'pod stops'),
  'task/pod.settled': null,
  'pod/new': word('waits', 'begins'),
  'pod/volumes': word('waits', 'waits for volumes'),
  'pod/alive.launching': word('waits', 'boots'),
  'pod/alive.failing': word('trouble', 'did not boot'),
  'pod/alive.mismatching': word('trouble', 'another version'),
  'pod/alive.idle': word('waits', 'idle', idle),
  'pod/alive.busy': word('goes', 'working'),
  'pod/alive.draining': word('goes', 'ends its turn'),
  'pod/alive.handingOff': word('goes', 'hands off'),
  'pod/alive.retiring': word('waits', 'hands off'),
  'pod/alive.synthesizing': word('waits', 'hands off'),
  'pod/alive.stopping': word('waits', 'stops'),
  'pod/alive.losing': word('trouble', 'lost'),
  'pod/gone': word('rests', 'gone'),
  'pod/lost': word('rests', 'lost', ended),
  'pod/unbound': word('rests', 'unbound', ended),
  'pod/mismatched': word('rests', 'another version', ended),
  'turn/new': word('waits', 'begins'),
  'turn/reserving': word('waits', 'waits for budget'),
  'turn/open.submitting': word('waits', 'begins'),
  'turn/open.waiting': word('waits', 'waits for a turn'),
  'turn/open.running.poll': null,
  'turn/open.running.watch.inFlight': word('goes', 'working'),
  'turn/open.running.watch.probing': word('waits', 'silent'),
  'turn/open.running.watch.interrupting': word('waits', 'is interrupted'),
  'turn/completed': word('rests', 'completed'),
  'turn/failed': word('rests', 'failed', ended),
  'issue/live.observed': word('rests', 'not started', idle),
  'issue/live.refined': word('waits', 'waits for a plan'),
  'issue/live.approved': word('waits', 'approved'),
  'issue/live.implementing': word('waits', 'in work'),
  'issue/live.rejected': word('rests', 'rejected', ended),
  'issue/live.closed': word('rests', 'closed', ended),
  'issue/live.done': word('rests', 'done'),
  'merge-request/open': word('waits', 'open'),
  'merge-request/verdictPosted': word('waits', 'reviewed'),
  'merge-request/merging': word('waits', 'merging'),
  'merge-request/closed': word('rests', 'closed', ended),
  'merge-request/merged': word('rests', 'merged'),
  'ingest-job/new': word('waits', 'begins'),
  'ingest-job/queued': word('waits', 'waits its turn'),
  'ingest-job/running': word('goes', 'storing'),
  'ingest-job/running.resting': retry,
  'ingest-job/succeeded': word('rests', 'succeeded'),
  'ingest-job/failed': word('rests', 'failed', ended),
}

/** Null: it leaves the word to another region. Undefined: it has none, which a test refuses. */
export function wordFor(name: string): Word | null | undefined {
  const known = words[name]
  if (known !== undefined) return known
  const end = Math.max(name.lastIndexOf('.'), name.lastIndexOf('/'))
  return end < 0 ? undefined : wordFor(name.slice(0, end))
}

/** Of several regions the one that matters most has the word. */
const byWeight: readonly Tone[] = ['trouble', 'asks', 'rests', 'waits', 'goes']

const unknown = word('waits', 'unknown', idle)

export function standingOf(actor: StandingActor, why: Partial<Pick<Why, 'detail' | 'queue'>> = {}): Standing {
  if (actor.status === 'quarantined') return quarantined
  const { word: found, resting, text = resting?.says, detail } = restOf(actor)
  const { queue } = why
  const place = queue ? `place ${queue.position}: ${queue.reason}` : undefined
  const reason = [text, why.detail ?? detail, place].filter(Boolean).join('; ')
  const { owner, unblocks = '' } = resting ?? {}
  return {
    ...(found ?? unknown),
    ...(reason === '' ? {} : { reason }),
    ...(owner === undefined || owner === 'none' ? {} : { owner }),
    ...(unblocks === '' || unblocks.startsWith('nothing') ? {} : { next: unblocks }),
  }
}

const quarantined: Standing = {
  ...word('trouble', 'quarantined'),
  reason: 'this version cannot load it',
  owner: 'operator',
  next: 'a version that can load it',
}

interface Rest {
  readonly word?: Word | null | undefined
  readonly resting?: Resting | undefined
  /** What the context says in words of its own: instead of the state's, and beside them. */
  readonly text?: string | undefined
  readonly detail?: string | null
}

function restOf({ kind, path, context }: StandingActor): Rest {
  const leaves = path.split(' ').map((leaf): Rest => {
    const name = `${kind}/${leaf}`
    const [resting] = restingOf(kind, leaf)
    return { word: wordFor(name), resting }
  })
  const known = context === undefined ? undefined : knownOf[kind]?.(context as never, path)
  const [state] = leaves.filter((one) => one.word).toSorted((one, other) => weightOf(one) - weightOf(other))
  return { ...state, ...known }
}

function weightOf({ word: found }: Rest): number {
  return byWeight.indexOf((found ?? unknown).tone)
}

/** What of an actor's rest its context alone knows. */
const knownOf: { readonly [K in keyof Contexts]: (context: Contexts[K], path: string) => Rest } & {
  readonly [K in Exclude<ActorKind, keyof Contexts>]?: undefined
} = {
  project: (project) => {
    const [ready, ...others] = conditionsOf(project)
    const isReady = ready.status === 'True'
    const what = isReady
      ? others.map(({ message }) => message)
      : [[ready.reason, ready.message].filter(Boolean).join(': ')]
    return what.length === 0 ? {} : { text: what.join('; ') }
  },
  queue: ({ closedReason, pausedBy, hold }) => {
    if (closedReason !== null) return { detail: closedReason }
    if (pausedBy !== null) return { text: `paused by ${pausedBy.by}: ${pausedBy.reason}` }
    return hold === null ? {} : { word: withheld, resting: restingOf('model-key', 'withheld')[0], detail: hold.message }
  },
  'model-key': ({ hold }) => (hold === null ? {} : { detail: hold.message }),
  memory: ({ trouble }) => ({ detail: trouble }),
  'memory-stack': ({ part, words, trouble }) => ({ detail: trouble || (words === '' ? '' : `${part}: ${words}`) }),
  issue: ({ status, plans }) => (status === 'refined' && plans.length > 0 ? { word: approval } : {}),
  task: (task, path) => {
    // A final has no words of its own, and those of its region are about no state of it.
    if (task.stage.class === 'terminal') {
      const own = wordFor(`task/final/${task.stage.reason}`)
      return { ...(own ? { word: own } : {}), resting: undefined, detail: task.stage.detail }
    }
    const resting = taskResting(task, path)
    return { ...(resting ? { word: wordFor(resting.reason), resting } : {}), detail: task.stage.detail }
  },
}

/** Whether the context of such an actor may say another word than its path. */
export function hasOwnWords(kind: ActorKind): boolean {
  return knownOf[kind] !== undefined
}

interface Contexts {
  readonly project: ProjectContext
  readonly queue: QueueContext
  readonly 'model-key': ModelKeyContext
  readonly memory: MemoryContext
  readonly 'memory-stack': MemoryStackContext
  readonly issue: IssueContext
  readonly task: TaskContext
}
