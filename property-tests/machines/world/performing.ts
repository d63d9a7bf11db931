/** The handlers of the outbox, shrunk to what they decide: an effect becomes a fact of the world and events. */
import type { MachineEvent } from '../../../machines/definition.ts'
import type { OutboxEffectType } from '../../../machines/effect.ts'
import { idOf, issueIn, type Outstanding } from './trace.ts'
import type { Actors } from './actors.ts'
import type { Agents } from './agents.ts'
import { botLogin } from './people.ts'
import type { Forge, MergeRequestSubject } from './forge.ts'
import type { Process, Processes } from './processes.ts'

export interface Surroundings {
  readonly actors: Actors
  readonly forge: Forge
  readonly processes: Processes
  readonly agents: Agents
}

/** How the call went: `lost` is performed and asked again, `failed` is a terminal answer. */
export type Fate = 'done' | 'lost' | 'failed'

interface Call extends Surroundings {
  readonly effect: Outstanding
  readonly num: (name: string) => number
  readonly text: (name: string) => string
  /** An event back to the asker, under the effect's key (R6). */
  readonly answer: (type: string, fields?: Readonly<Record<string, unknown>>) => void
}

/** What came of it, for the trace. */
type Handler = (call: Call) => string

export function perform(surroundings: Surroundings, effect: Outstanding, fate: Fate): void {
  const { actors } = surroundings
  const answer = (type: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    const event: MachineEvent = { type, at: actors.now, ...fields }
    actors.post(effect.key, { to: effect.actor, key: `${effect.key}/${type}`, event })
  }
  const num = (name: string): number => Number(effect.params[name])
  const text = (name: string): string => String(effect.params[name])
  if (fate === 'failed') answer('effect.failed', { effect: effect.type, reason: 'refused for good', key: effect.key })
  else actors.record(effect, handlers[effect.type]({ ...surroundings, effect, num, text, answer }))
  if (fate !== 'lost') actors.settle(effect)
}

function done(): string {
  return 'done'
}

/** The worlds of schedules answer these; no Project of this world has one. */
function unasked(): string {
  return 'nothing there'
}

const handlers = {
  checkProject: ({ answer, forge }) => {
    answer('project.checked', { generation: forge.project.generation, ready: true, reason: 'Ready', message: '' })
    return done()
  },
  resyncMirror: ({ forge }) => {
    for (const subject of [...forge.issues, ...forge.mergeRequests]) subject.isDirty = true
    return done()
  },
  writeLabels: done,
  postReview: done,
  postComment: ({ forge, num, text }) => {
    const found =
      text('on') === 'issue'
        ? forge.issue(text('repository'), num('number'))
        : forge.mergeRequest(text('repository'), num('number'))
    if (found) forge.comment(found, botLogin, text('body'))
    return done()
  },
  closeIssue: ({ actors, effect, forge, num, text }) => {
    const found = forge.issue(text('repository'), num('number'))
    if (!found) return 'nothing there'
    forge.closeIssue(found, botLogin)
    const event = { type: 'issue.retired', at: actors.now, reason: text('comment') }
    if (effect.params['retires'] === true)
      actors.post(effect.key, { to: forge.actorOf(found), key: `${effect.key}/retired`, event })
    return done()
  },
  fileIssue: ({ forge, effect, text }) => {
    if (forge.filed.has(effect.key)) return 'found'
    forge.filed.add(effect.key)
    forge.openIssue(text('repository'), botLogin, false, true)
    return 'filed'
  },
  requestFold: ({ actors, answer, effect, text }) => {
    const { member, ...asked } = effect.params
    const event = { type: 'fold.requested', at: actors.now, ...asked }
    const isTaken = actors.ask({ to: `task:${text('member')}`, key: effect.key, event })
    if (!isTaken) answer('fold.refused', { task: String(member), reason: 'task-terminal' })
    return isTaken ? 'asked' : 'answered for'
  },
  openMergeRequest,
  mergeMergeRequest,
  deleteWorkspace: done,
  bindVolumes: ({ answer }) => {
    answer('pod.volumesBound')
    return done()
  },
  createPod,
  readSession: ({ answer, processes, num, text }) => {
    if (!processes.find(text('task'), num('ordinal'))) return 'no answer'
    answer('pod.session', { contractVersion: 4 })
    return done()
  },
  stopPod: removePod,
  forceDeletePod: (call) => {
    const done = removePod(call)
    if (done === 'nothing there') call.answer('pod.vanished', { reason: 'nothing of it runs' })
    return done
  },
  submitTurn,
  pollTurn,
  probeTurn: done,
  interruptTurn: ({ answer, effect, processes }) => {
    const process = ofUrl(processes, effect)
    if (process?.isAlive) processes.end(process, { stopReason: 'interrupted', pushed: [], failed: [] })
    else answer('turn.interruptRefused')
    return done()
  },
  planTick: unasked,
  readBacklog: unasked,
  fillMemory: unasked,
  reconcileMemoryStack: unasked,
} satisfies Record<OutboxEffectType, Handler>

/** A branch has at most one open merge request; a repeat finds it. */
function openMergeRequest({ forge, answer, effect, num, text }: Call): string {
  const repository = text('repository')
  const branch = text('branch')
  const place = { repository, attempt: num('attempt') }
  if (!forge.branches.has(`${repository}/${branch}`)) {
    answer('mr.openFailed', { ...place, reason: 'the branch is not on the forge' })
    return 'refused'
  }
  const there = forge.openOn(repository, branch)
  const subject = there ?? forge.openMergeRequest(repository, branch, botLogin)
  if (!there) {
    subject.closes = effect.params['closes'] as readonly number[]
    subject.task = idOf(effect.actor)
  }
  forge.tell(subject)
  const { number, headSha, headBranch, baseBranch, author, url } = subject.row.mergeRequest
  answer('mr.ready', {
    ...place,
    number,
    mergeRequest: idOf(forge.actorOf(subject)),
    headSha,
    headBranch,
    baseBranch,
    author: author.login,
    url,
  })
  return there ? 'found' : 'opened'
}

interface Obstacle {
  readonly type: string
  readonly reason: string
}

function obstacleOf(
  { mergeable, draft }: MergeRequestSubject['row']['mergeRequest'],
  { ci }: MergeRequestSubject['row']['notes'],
): Obstacle | undefined {
  if (draft) return { type: 'mr.mergeRefused', reason: 'it is a draft' }
  if (mergeable === false) return { type: 'mr.conflict', reason: 'it conflicts' }
  if (ci === 'failure') return { type: 'mr.ciRed', reason: 'test: failure' }
  if (ci === 'pending') return { type: 'mr.ciPending', reason: 'test: pending' }
  return mergeable === null ? { type: 'mr.notMergeableYet', reason: 'not known yet' } : undefined
}

/** LAW-18: the Issue's own word, read at the call. */
function mergeMergeRequest({ actors, forge, answer, effect, num, text }: Call): string {
  const place = { repository: text('repository'), number: num('number'), sha: text('sha'), attempt: num('attempt') }
  const found = forge.mergeRequest(place.repository, place.number)
  if (!found || found.row.mergeRequest.state !== 'open') return 'refused'
  const grants = effect.params['grants'] as readonly string[]
  const isGranted = grants.every((issue) => holds(actors, issue))
  const { headSha, baseBranch } = found.row.mergeRequest
  const isJudged = headSha === place.sha && baseBranch === effect.params['base']
  const moved = isJudged ? undefined : { type: 'mr.notMergeableYet', reason: 'head-moved' }
  const revoked = isGranted ? undefined : { type: 'mr.notMergeableYet', reason: 'approval-revoked' }
  const obstacle = moved ?? obstacleOf(found.row.mergeRequest, found.row.notes) ?? revoked
  if (obstacle) {
    answer(obstacle.type, { ...place, reason: obstacle.reason })
    return 'refused'
  }
  forge.merge(found, botLogin)
  forge.tell(found)
  return 'merged'
}

function holds(actors: Actors, issue: string): boolean {
  const snapshot = actors.snapshot(issue as `issue:${string}`)
  return snapshot !== undefined && issueIn(snapshot).grant !== null
}

function createPod({ answer, effect, forge, processes, agents, num, text }: Call): string {
  const repositories = effect.params['repositories'] as unknown as Process['repositories']
  const read = repositories.flatMap(({ name, branch, sha }) => {
    const number = forge.openOn(name, branch)?.row.number
    return sha === undefined || number === undefined ? [] : [{ repo: name, number, sha }]
  })
  const process = processes.create({
    task: text('task'),
    ordinal: num('ordinal'),
    kind: text('agentKind'),
    repositories,
    read,
  })
  agents.brief(process)
  answer('pod.created', { name: process.pod })
  processes.watch(process, 'pod.ready')
  return done()
}

function removePod({ processes, num, text }: Call): string {
  const process = processes.all.findLast((one) => one.task === text('task') && one.ordinal === num('ordinal'))
  if (!process) return 'nothing there'
  processes.vanish(process)
  return done()
}

/** A pod's url is its address here. */
function ofUrl(processes: Processes, { params }: Outstanding): Process | undefined {
  return processes.all.find((process) => process.pod === params['url'])
}

function submitTurn({ answer, effect, processes }: Call): string {
  const process = ofUrl(processes, effect)
  if (!process?.isAlive) return 'no answer'
  const said = processes.submit(process, effect)
  if (said.said === 'conflict') answer('submit.conflict', { liveTurnId: said.live })
  else answer('submit.accepted', { turnId: said.turnId })
  return said.said
}

function pollTurn({ actors, answer, effect, processes, text }: Call): string {
  const process = ofUrl(processes, effect)
  const turn = process?.turns.find(({ turnId }) => turnId === text('turnId'))
  if (!process?.isAlive || !turn) return 'no answer'
  if (!turn.end) answer('turn.activity', { lastActivityAt: actors.now })
  else {
    const { tokens, ...end } = turn.end
    const state = end.stopReason === 'end_turn' ? 'completed' : 'failed'
    const usage = tokens === undefined ? {} : { outputTokens: tokens }
    answer('turn.result', { turnId: turn.turnId, state, ...end, finalText: 'done', usage })
  }
  return done()
}
