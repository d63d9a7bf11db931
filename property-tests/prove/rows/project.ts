/** The rows of a Project, event by event (SCHEDULE, docs/rules.md). */
import { newProject, type Block, type ProjectContext } from '../../../machines/project/context.ts'
import type { BlockName, ProjectEvent, ScheduleSettings } from '../../../machines/project/events.ts'
import type { Rows } from './draft.ts'
import * as blocks from './project/blocks.ts'
import * as budget from './project/budget.ts'
import { blockNames, ProjectDraft, type EventOf } from './project/draft.ts'

function become(p: ProjectDraft, state: 'ready' | 'notReady'): void {
  p.at.readiness = state
  if (state === 'ready') p.ask('resyncMirror', { project: p.c.id })
}

const emptyBlock: Block = {
  ...{ schedule: '', nextAt: null, refused: '', runs: 0, startedAt: null, last: null },
  ...{ mintedAt: null, task: '', awaited: [], trouble: '' },
}

/** What ran stays known when settings change, and when they go and come back; without any, all is off. */
function configure(p: ProjectDraft, settings: ScheduleSettings | undefined): void {
  const { scheduled } = p.c
  if (scheduled) {
    p.patchScheduled({ settings: settings ?? switchedOff(scheduled.settings) })
  } else if (settings) {
    p.c.scheduled = {
      settings,
      blocks: { issueScan: emptyBlock, brainstorm: emptyBlock, documentation: emptyBlock, upgrade: emptyBlock },
      refine: { task: '', minted: [], seen: [], last: null },
      offered: [],
      spending: { windowStart: null, windowTokens: 0, windowEnd: null, account: null, hold: 'open' },
    }
  }
}

function switchedOff(settings: ScheduleSettings): ScheduleSettings {
  const { budget: _budget, ...rest } = settings
  const off = Object.fromEntries(blockNames.map((name) => [name, { ...rest[name], schedule: '' }]))
  return { ...rest, ...off }
}

/** With anything to do by itself, each thing becomes a region of its own. */
function schedule(p: ProjectDraft, state: 'ready' | 'notReady'): void {
  p.isScheduled = true
  for (const name of blockNames) blocks.enter(p, name, 'off')
  budget.enter(p, 'off')
  become(p, state)
}

function applied(p: ProjectDraft, event: EventOf<'project.applied'>): void {
  const { generation, maxConcurrentAgents, capacity, alertCapacity, settings, resources = {} } = event
  const { isScheduled, isDeleted } = p
  const wasReady = p.c.reason === ''
  Object.assign(p.c, { generation, isPaused: maxConcurrentAgents === 0, applied: resources })
  configure(p, settings)
  p.tellQueue('queue.configured', { maxConcurrentAgents, capacity, alertCapacity })
  p.ask('checkProject', { project: p.c.id })
  p.isDeleted = false
  if (isScheduled) budget.hear(p, event)
  else if (settings !== undefined) schedule(p, wasReady && !isDeleted ? 'ready' : 'notReady')
  else if (isDeleted) become(p, 'notReady')
}

/** A check of an older generation says nothing about this one. */
function checked(p: ProjectDraft, event: EventOf<'project.checked'>): void {
  const { generation, ready, reason, message, faults = [] } = event
  if (generation !== p.c.generation || p.isDeleted) return
  const isReady = p.at.readiness === 'ready'
  // A check that changes nothing is no step of a ready Project.
  if (!(ready && isReady && p.c.checkedGeneration === generation)) p.c.observed = p.c.applied
  if (!ready) {
    Object.assign(p.c, { reason, message, faults })
    if (isReady) p.tellQueue('queue.closed', { reason })
    p.at.readiness = 'notReady'
  } else if (!isReady) {
    Object.assign(p.c, { reason: '', message, checkedGeneration: generation, faults })
    p.tellQueue('queue.opened')
    become(p, 'ready')
  } else if (p.c.checkedGeneration !== generation) {
    Object.assign(p.c, { message, checkedGeneration: generation, faults })
    p.ask('resyncMirror', { project: p.c.id })
  }
}

function deleted(p: ProjectDraft): void {
  if (p.isDeleted) return
  Object.assign(p, { isDeleted: true, isScheduled: false })
  Object.assign(p.c, { reason: 'Deleted', message: '', faults: [] })
  if (p.c.scheduled) {
    const { blocks, refine } = p.c.scheduled
    const idle = Object.fromEntries(Object.entries(blocks).map(([name, block]) => [name, { ...block, task: '' }]))
    p.c.scheduled = { ...p.c.scheduled, blocks: idle as typeof blocks, refine: { ...refine, task: '' }, offered: [] }
  }
  p.tellQueue('queue.closed', { reason: 'Deleted' })
}

/** Nobody listened for a while: what a ready Project knows is read back at once, and any is looked at again. */
function restarted(p: ProjectDraft): void {
  if (!p.isDeleted) again(p, p.at.readiness === 'ready' ? 'resync' : 'recheck')
}

function failed(p: ProjectDraft, { effect, reason }: EventOf<'effect.failed'>): void {
  if (p.isDeleted || p.at.readiness !== 'notReady' || effect !== 'checkProject') return
  Object.assign(p.c, { reason: 'CheckFailed', message: reason })
}

/** Its end is heard whether a run waits for it or not; what it saw needs no other one until it changes. */
function refineEnded(p: ProjectDraft, { task, stage }: EventOf<'task.ended'>): void {
  const { refine } = p.scheduled
  if (p.at.refine !== 'living' || task !== refine.task) return
  const last = stage === 'delivered' ? p.c.at : refine.last
  p.patchScheduled({ refine: { task: '', minted: [], seen: refine.minted, last } })
  p.at.refine = 'none'
}

const forBlocks = 'tick.planned tick.refused project.resynced backlog.read task.ended effect.failed'.split(' ')

function hear(p: ProjectDraft, event: ProjectEvent): void {
  const wasScheduled = p.isScheduled
  if (event.type === 'project.applied') applied(p, event)
  if (event.type === 'project.checked') checked(p, event)
  if (event.type === 'project.deleted') deleted(p)
  if (event.type === 'project.restarted') restarted(p)
  if (event.type === 'effect.failed') failed(p, event)
  if (event.type === 'project.resynced' && !p.isDeleted) p.c.resyncedAt = event.at
  if (!wasScheduled || !p.isScheduled || event.type === 'project.applied') return
  const refineTask = p.scheduled.refine.task
  if (event.type === 'task.ended') refineEnded(p, event)
  p.refineTask = refineTask
  if (forBlocks.includes(event.type))
    for (const name of blockNames) blocks.hear(p, name, event as Parameters<typeof blocks.hear>[2])
  budget.hear(p, event)
}

const timed = /^xstate\.after\.([^.]+)(?:\.([^.]+))?.*?(issueScan|brainstorm|documentation|upgrade)?\./

function fire(p: ProjectDraft, type: string): void {
  const [, name = '', second = ''] = timed.exec(type) ?? []
  if (name === 'resync' || name === 'recheck') return again(p, name)
  if (name === 'budget') return budget.fire(p, second)
  const named = blockNames.find((one) => name === one || type.split('.').includes(one))
  if (named) blocks.fire(p, named as BlockName, name === named ? second : name)
}

/** Read back every 30 minutes, looked at again every 5. */
function again(p: ProjectDraft, name: 'resync' | 'recheck'): void {
  p.ask('checkProject', { project: p.c.id })
  if (name === 'resync') become(p, 'ready')
}

/** What the status shows beside `Ready`, by the names of the contract (PROJECT-STATUS-2, -14 to -16). */
function warningsOf({ faults, scheduled }: ProjectContext): readonly string[] {
  const words = { issueScan: 'IssueScan', brainstorm: 'Brainstorm', documentation: 'Documentation', upgrade: 'Upgrade' }
  const budget = scheduled?.settings.budget
  return [
    ...faults.map(({ reason }) => reason),
    ...blockNames.filter((name) => scheduled?.blocks[name].refused).map((name) => `${words[name]}Unscheduled`),
    ...blockNames.filter((name) => scheduled?.blocks[name].trouble).map((name) => `${words[name]}Incomplete`),
    ...(budget?.mode === 'customWindow' && !budget.resetSchedule && !budget.windowMs ? ['TokenBudgetUnbounded'] : []),
    ...(scheduled && scheduled.spending.hold !== 'open' ? ['TokenBudgetHeld'] : []),
  ]
}

function isReadyNow({ reason, generation, checkedGeneration }: ProjectContext): boolean {
  return reason === '' && generation === checkedGeneration
}

/** Each condition has the time of the step that made it what it is (RESOURCES-27). */
function dateConditions(p: ProjectDraft, was: ProjectContext): void {
  const dated = (type: string, isSame: boolean): [string, number] => [type, (isSame && was.since[type]) || p.c.at]
  p.c.since = Object.fromEntries([
    dated('Ready', isReadyNow(was) === isReadyNow(p.c)),
    ...warningsOf(p.c).map((type) => dated(type, warningsOf(was).includes(type))),
  ])
}

/** Every region at once, from what all of them left; again until nothing follows. */
function settle(p: ProjectDraft): void {
  for (let round = 0; round < 50; round++) {
    const moves = blockNames.flatMap((name) => {
      const to = blocks.always(p, name)
      return to === undefined ? [] : [[name, to] as const]
    })
    const isRefining = p.at.refine === 'none' && p.scheduled.refine.task !== ''
    if (isRefining) p.at.refine = 'living'
    const isBudget = budget.always(p)
    for (const [name, to] of moves) blocks.enter(p, name, to)
    if (moves.length === 0 && !isRefining && !isBudget) return
  }
}

export const projectRows: Rows = (before, event, id) => {
  const p = new ProjectDraft(before, id, event.at)
  if (event.type.startsWith('xstate.')) fire(p, event.type)
  else hear(p, event as unknown as ProjectEvent)
  if (p.isScheduled) settle(p)
  dateConditions(p, before ? (before.context as ProjectContext) : newProject(id))
  const own = p.isDeleted ? [] : [p.at.readiness === 'ready' ? 'resync' : 'recheck']
  const scheduled = p.isScheduled ? [...blocks.timersOf(p), ...budget.timersOf(p)] : []
  const timers = [...own, ...scheduled]
  const delays = Object.fromEntries(Object.entries(p.delays).filter(([name]) => timers.includes(name)))
  return { leaves: p.leaves, context: p.c, effects: p.effects, timers, delays }
}
