/** The pod region: it reads what the stage wants, and nothing else of it (POD-2). */
import type { TaskContext } from '../../../../machines/task/context.ts'
import type { AgentKind, TaskEvent } from '../../../../machines/task/events.ts'
import { shortHash } from '../../../../machines/rules/names.ts'
import { put, type EventOf, type TaskDraft } from './draft.ts'

export interface Move {
  /** Nothing: it stays where it is. */
  readonly to?: string
  readonly does?: () => void
}

const nothing: Move = {}

function enqueue(t: TaskDraft): void {
  const { c } = t
  c.pod.entries += 1
  c.pod.withheld = false
  c.pod.entry = `${c.id}/${c.pod.entries}`
  const ceiling = c.pod.released ? 20 : c.pod.ordinal > 0 ? 40 : c.priority
  t.tell(`queue:${c.config.project}`, 'queue.enqueue', {
    entry: c.pod.entry,
    sort: 'spawn',
    task: c.id,
    class: c.origin.kind === 'alert' ? 'alert' : 'normal',
    priority: Math.min(c.priority, ceiling),
    kind: c.stage.wants ?? c.kind,
  })
}

/** A turn carries the pending events so far, and with them the news of another base [TURN-17, HEAD-1]. */
function tellUpTo(t: TaskDraft, last: number): void {
  t.c.journal.pending = t.c.journal.pending.filter(({ n }) => n > last)
  t.c.forge.mergeRequests = t.c.forge.mergeRequests.map(({ baseUntold: told, ...mr }) =>
    told === undefined || told <= last ? mr : { ...mr, baseUntold: told },
  )
}

function repositoriesOf(t: TaskDraft): readonly object[] {
  return t.c.repositories.map((name) => {
    const base = t.c.config.repositories.find((one) => one.name === name)?.base ?? ''
    const mr = t.open.find((one) => one.repository === name)
    const branch = t.branchIn(name)
    if (t.c.stage.wants !== 'review' || !mr) return { name, base, branch }
    return { name, base: mr.baseBranch ?? base, branch, sha: mr.headSha }
  })
}

function spawn(t: TaskDraft): void {
  const { c } = t
  const { project, model, effort, permissionMode, tokensPerTurn } = c.config
  const agentKind: AgentKind = c.stage.wants ?? c.kind
  const ordinal = c.pod.ordinal + 1
  t.tell(`pod:${c.id}/${ordinal}`, 'pod.start', {
    task: c.id,
    project,
    queue: project,
    entry: c.pod.entry ?? '',
    ordinal,
    agentKind,
    model: model[agentKind] ?? '',
    effort: effort[agentKind] ?? '',
    permissionMode,
    repositories: repositoriesOf(t),
    turnTimeoutSeconds: c.config.turnTimeoutSeconds,
    agentPodTTLSeconds: c.config.agentPodTTLSeconds,
    stallProbeGraceSeconds: c.config.stallProbeGraceSeconds,
    stallProbeMaxAttempts: c.config.stallProbeMaxAttempts,
    ...(tokensPerTurn === undefined ? {} : { ledger: project }),
  })
  for (const { issue } of c.forge.issues) t.tell(`issue:${issue}`, 'issue.agentRunning', { task: c.id, agentKind })
  put(c, { pod: { ordinal, alive: true, visit: c.stage.visit, worked: false, startedAt: c.at } })
  put(c, {
    pod: { agentKind, recordedOutcome: null, recordedApproval: null, released: false },
    turn: { asked: false, spoke: false },
  })
  put(c, { turn: { prompt: 'first', nudged: true } })
}

function requestTurn(t: TaskDraft): void {
  if (!t.c.turn.nudged) t.c.turn.prompt = 'events'
  put(t.c, { turn: { nudged: false, asked: false, spoke: false } })
  t.tell(`pod:${t.c.id}/${t.c.pod.ordinal}`, 'turn.requested', { eventsUpTo: t.c.journal.eventSequence })
}

export function enterPod(t: TaskDraft, to: string): void {
  t.pod = to
  if (to === 'none') {
    const { deferred } = t.c.pod
    t.c.pod.deferred = []
    t.post(deferred as unknown as Parameters<TaskDraft['post']>[0])
  }
  if (to === 'awaitingSlot') enqueue(t)
  if (to === 'starting') spawn(t)
  if (to === 'working.busy') requestTurn(t)
  if (to === 'stopping')
    t.tell(`pod:${t.c.id}/${t.c.pod.ordinal}`, 'pod.stop', {
      reason: t.serves ? 'model-withheld' : (t.c.stage.reason ?? t.c.stage.name),
    })
  if (to === 'settled') settle(t)
}

function settle(t: TaskDraft): void {
  const {
    id,
    config,
    pod: { ordinal: podOrdinal },
  } = t.c
  if (podOrdinal === 0) return
  t.ask('deleteWorkspace', { task: id })
  if (config.tokensPerTurn !== undefined) t.tell(`ledger:${config.project}`, 'task.settled', { task: id })
}

const longest = 600_000

function podEnded(t: TaskDraft, { cause, reason = 'lost', residencyMs }: EventOf<'pod.final'>): void {
  const { c } = t
  if (cause === 'lost') {
    c.pod.lostInRow += 1
    c.pod.respawnDelayMs = c.pod.lostInRow > 2 ? Math.min(longest, 10_000 * 2 ** (c.pod.lostInRow - 3)) : 0
    if (!c.pod.worked) c.pod.startFailures += 1
    c.pod.recreations = { ...c.pod.recreations, [reason]: (c.pod.recreations[reason] ?? 0) + 1 }
  } else put(c, { pod: { lostInRow: 0, respawnDelayMs: 0 } })
  if (c.pod.visit === c.stage.visit) c.pod.visitResidencyMs += residencyMs
  put(c, { pod: { alive: false, startedAt: null, agentKind: '', entry: null }, turn: { nudged: false, delayMs: 0 } })
}

export function recordTurn(t: TaskDraft, event: EventOf<'turn.ended' | 'turn.failed'>): void {
  const { c } = t
  c.turn.pushedRepositories = [...new Set([...c.turn.pushedRepositories, ...event.pushed])]
  const usage: Record<string, number> = { ...c.turn.usage }
  for (const [name, count] of Object.entries(event.usage))
    if (typeof count === 'number') usage[name] = (usage[name] ?? 0) + count
  c.turn.usage = usage
  c.turn.count += 1
  if (event.pod < c.turn.lastPod) return
  put(c, { turn: { last: event.turn, lastPod: event.pod, lastFinalText: event.finalText } })
  put(c, { turn: { lastPushedRepos: event.pushed, lastFailedRepos: event.failed.map(({ repo }) => repo) } })
}

/** The pod goes with the turn, and its own end is heard. */
const endPod = 'agent_exited expired abandoned conflict shutdown interrupted interrupt_unconfirmed'.split(' ')

function rest(t: TaskDraft, { stopReason, resetsAt }: EventOf<'turn.failed'>): void {
  const backoff = Math.min(longest, 30_000 * 2 ** Math.max(0, t.c.turn.failedInRow - 1))
  const withheld = ['usage_limit', 'key_refused', 'no_credit'].includes(stopReason)
  const reset = withheld && resetsAt !== undefined ? resetsAt - t.c.at : 0
  put(t.c, { turn: { delayMs: Math.max(backoff, reset), prompt: 'retry', nudged: true } })
}

function turnFailed(t: TaskDraft, event: EventOf<'turn.failed'>): Move {
  const does = (): void => recordTurn(t, event)
  if (t.pod !== 'working.busy' || !t.isOfPod(event) || event.purpose !== 'work') return { does }
  if (endPod.includes(event.stopReason)) return { to: 'working.ending', does }
  return { to: 'working.resting', does: () => (does(), rest(t, event)) }
}

function writeNote(t: TaskDraft, event: EventOf<'note.written'>): void {
  const { c } = t
  if (event.pod !== c.pod.ordinal) return t.answer(409, { code: 'pod-superseded', detail: 'words' })
  if (c.pod.agentKind === '') return t.answer(409, { code: 'agent-kind-empty', detail: 'words' })
  const { id, kind, body, bodyHash, pod, spilled = 0 } = event
  for (let place = 0; place < Math.min(spilled, c.journal.notes.length); place += 1)
    c.journal.notes = c.journal.notes.with(place, { ...c.journal.notes[place]!, body: '', spilled: true })
  t.note({ id, agent: c.pod.agentKind, pod, kind, body, bodyHash, source: 'agent' })
  t.answer(201, { id, kind, at: c.at })
  t.tell(`pod:${c.id}/${pod}`, 'pod.noted', { kind, source: 'agent' })
  if (kind !== 'plan') return
  put(c, { journal: { planHash: bodyHash, planNoteId: id } })
  if (c.stage.class === 'terminal') return
  for (const { issue } of c.forge.issues)
    t.tell(`issue:${issue}`, 'plan.written', { task: c.id, noteId: id, planHash: bodyHash, body })
}

/** STOP-SEQUENCE-5, STOP-SEQUENCE-6: from the pod's own last turn, and a placeholder when there is none. */
function writeOperatorNote(t: TaskDraft, { pod, reason, detail = '' }: EventOf<'pod.noteMissing'>): void {
  const { c } = t
  const id = `operator-${pod}`
  const isLast = c.turn.lastPod === pod
  const said = isLast ? c.turn.lastFinalText : ''
  const [pushed, failed] = isLast ? [c.turn.lastPushedRepos, c.turn.lastFailedRepos] : [[], []]
  const isNothing = said.length + pushed.length + failed.length === 0
  t.tell(`pod:${c.id}/${pod}`, 'pod.noted', { kind: 'handoff', source: 'operator' })
  if (c.journal.notes.some((note) => note.id === id)) return
  const why = [reason, detail].filter(Boolean).join(': ')
  const ended = reason ? `The pod ended: ${why}.` : 'The pod ended.'
  const list = (title: string, all: readonly string[]): string =>
    `${title}: ${all.length > 0 ? all.join(', ') : 'none'}`
  const body = isNothing
    ? `${ended} It left nothing behind. handoff=none`
    : [
        `${ended} Written from its last turn, which left no note.`,
        list('Pushed', pushed),
        list('Failed to push', failed),
        said || 'It said nothing at the end.',
      ].join('\n')
  const empty = isNothing ? ({ empty: true } as const) : {}
  t.note({
    id,
    agent: c.pod.agentKind,
    pod,
    kind: 'handoff',
    body,
    bodyHash: shortHash(body),
    source: 'operator',
    ...empty,
  })
}

function isOwnGrant(t: TaskDraft, entry: string): boolean {
  return !t.c.pod.alive && t.c.pod.entry === entry
}

const alive = /^(starting|working\..*|stopping)$/

/** Minted with a slot it starts at once, unless it begins parked. */
export function startsWithSlot(t: TaskDraft, { entry, seed }: EventOf<'task.minted'>): boolean {
  return entry !== undefined && !isBacklog(seed)
}

export function isBacklog({ kind, issues, config }: EventOf<'task.minted'>['seed']): boolean {
  if (kind !== 'implement' || config.autoApproveMaxSignificance !== 'off' || issues.length === 0) return false
  return !issues.some(({ selfProposed, humanCommented }) => !selfProposed || humanCommented)
}

export function podMove(t: TaskDraft, event: TaskEvent): Move {
  switch (event.type) {
    case 'task.minted':
      if (t.pod !== 'none' || t.stage !== 'minted' || !startsWithSlot(t, event)) return nothing
      return { to: 'starting', does: () => void (t.c.pod.entry = event.entry ?? null) }
    case 'slot.granted':
      return t.pod === 'awaitingSlot' && isOwnGrant(t, event.entry) ? { to: 'starting' } : nothing
    case 'pod.working':
      if (t.pod !== 'starting' || !t.isOfPod(event)) return nothing
      return { to: 'working.busy', does: () => void put(t.c, { pod: { worked: true, startFailures: 0 } }) }
    case 'pod.final':
      return alive.test(t.pod) && t.isOfPod(event) ? { to: 'none', does: () => podEnded(t, event) } : nothing
    case 'turn.ended': {
      const isWork = t.pod === 'working.busy' && t.isOfPod(event) && event.purpose === 'work'
      return { ...(isWork ? { to: 'working.idle' } : {}), does: () => recordTurn(t, event) }
    }
    case 'turn.failed':
      return turnFailed(t, event)
    case 'note.written':
      return { does: () => writeNote(t, event) }
    case 'pod.noteMissing':
      return { does: () => writeOperatorNote(t, event) }
    case 'turn.accepted':
      return { does: () => tellUpTo(t, event.eventsUpTo) }
    case 'usage.reported': {
      const { fiveHour, weekly, reportedAt } = event
      const isNewest = reportedAt >= (t.c.turn.accountUsage?.reportedAt ?? 0)
      const does = (): void => void put(t.c, { turn: { accountUsage: { fiveHour, weekly, reportedAt } } })
      return isNewest ? { does } : nothing
    }
    case 'model.withheld':
    case 'model.served':
      return { does: () => void (t.c.pod.withheld = event.type === 'model.withheld') }
    case 'agent.asked':
      return t.isOfPod(event) ? { does: () => void (t.c.turn.asked = true) } : nothing
    default:
      return nothing
  }
}

/** What it does by itself. */
export function podAlways(t: TaskDraft): Move {
  const {
    stage: { wants, class: stageClass },
    pod: { respawnDelayMs, entry, withheld },
    turn: { nudged },
    journal: { pending },
  } = t.c
  if (t.pod === 'none') {
    if (stageClass === 'terminal') return { to: 'settled' }
    if (wants === null) return nothing
    return { to: respawnDelayMs > 0 ? 'backingOff' : 'awaitingSlot' }
  }
  if (t.pod === 'backingOff') return wants === null ? { to: 'none' } : nothing
  if (t.pod === 'awaitingSlot') return wants === null ? { to: 'none', does: () => withdrawEntry(t, entry) } : nothing
  if (!/^(starting|working)/.test(t.pod)) return nothing
  if (!t.serves) return { to: 'stopping' }
  const asks = t.pod === 'working.idle' && (nudged || pending.length > 0)
  // A turn that runs is let run; none is begun.
  if (withheld && (asks || t.pod === 'starting' || t.pod === 'working.resting')) return { to: 'stopping' }
  return asks ? { to: 'working.busy' } : nothing
}

function withdrawEntry(t: TaskDraft, entry: TaskContext['pod']['entry']): void {
  if (entry === null) return
  t.c.pod.entry = null
  t.tell(`queue:${t.c.config.project}`, 'queue.withdraw', { entry })
}
