/** The cron blocks: due, then run, once for however many ticks were missed (CRON-3; SCHEDULE, docs/rules.md). */
import type { Backlog, BlockName } from '../../../../machines/project/events.ts'
import { taskName } from '../../../../machines/rules/names.ts'
import { blockNames, type EventOf, type ProjectDraft } from './draft.ts'

const minute = 60_000
const prepares: ReadonlySet<BlockName> = new Set(['issueScan', 'brainstorm'])

export function enter(p: ProjectDraft, name: BlockName, to: string): void {
  const isBegun = p.at[name].startsWith('running')
  if (to.startsWith('running') && !isBegun) {
    p.patch(name, { runs: p.block(name).runs + 1, startedAt: p.c.at, task: '', trouble: '' })
    p.delays['runEnds'] = 240 * minute
  }
  p.at[name] = to
  if (to === 'idle') p.delays[`${name}.tick`] = Math.max(0, (p.block(name).nextAt ?? p.c.at) - p.c.at)
  if (to === 'running.refining') p.delays['refineWait'] = 30 * minute
  if (to === 'resting') p.delays['brainstorm.floor'] = floorLeft(p)
  if (to === 'off') p.patch(name, { schedule: '', nextAt: null, refused: '', startedAt: null })
  if (to === 'planning') plan(p, name)
  if (to === 'running.refreshing') p.ask('resyncMirror', { project: p.c.id, run: p.run(name) })
  if (to === 'running.reading' || to === 'running.rereading')
    p.ask('readBacklog', { project: p.c.id, run: p.run(name) })
}

/** After the start of the newest run of this schedule: a tick that came meanwhile is one more run. */
function plan(p: ProjectDraft, name: BlockName): void {
  const { schedule = '' } = p.settings?.[name] ?? {}
  const { schedule: known, startedAt } = p.block(name)
  const after = known === schedule ? (startedAt ?? p.c.at) : p.c.at
  p.patch(name, { schedule, nextAt: null, refused: '' })
  if (schedule !== '') p.ask('planTick', { project: p.c.id, name, schedule, after })
}

function floorLeft(p: ProjectDraft): number {
  const { mintedAt } = p.block('brainstorm')
  return mintedAt === null ? 0 : Math.max(0, mintedAt + p.settings!.brainstorm.minSessionIntervalMs - p.c.at)
}

/** What a block does by itself; undefined: nothing. */
export function always(p: ProjectDraft, name: BlockName): string | undefined {
  const { schedule = '' } = p.settings?.[name] ?? {}
  const state = p.at[name]
  if (state === 'off') return schedule === '' ? undefined : 'planning'
  if (!['planning', 'refused', 'idle', 'due'].includes(state)) return undefined
  if ((state === 'planning' && schedule === '') || schedule !== p.block(name).schedule) return 'off'
  if (state !== 'due') return undefined
  if (name === 'brainstorm' && floorLeft(p) > 0) return 'resting'
  if (!p.mayRun) return undefined
  return prepares.has(name) ? 'running.refreshing' : 'running.reading'
}

type Heard = EventOf<
  'tick.planned' | 'tick.refused' | 'project.resynced' | 'backlog.read' | 'task.ended' | 'effect.failed'
>

export function hear(p: ProjectDraft, name: BlockName, event: Heard): void {
  const state = p.at[name]
  if (event.type === 'tick.planned' || event.type === 'tick.refused') {
    const isOurs = event.name === name && event.schedule === (p.settings?.[name].schedule ?? '')
    if (state === 'planning' && isOurs) planned(p, name, event)
  } else if (event.type === 'project.resynced') {
    if (state === 'running.refreshing' && event.run === p.run(name)) enter(p, name, 'running.reading')
  } else if (event.type === 'backlog.read') {
    if (/^running\.(re)?reading$/.test(state) && event.run === p.run(name)) read(p, name, event.backlog)
  } else if (event.type === 'task.ended') taskEnded(p, name, event)
  else failed(p, name, event)
}

function planned(p: ProjectDraft, name: BlockName, event: EventOf<'tick.planned' | 'tick.refused'>): void {
  if (event.type === 'tick.planned') p.patch(name, { nextAt: event.next })
  else p.patch(name, { schedule: event.schedule, nextAt: null, refused: event.reason })
  enter(p, name, event.type === 'tick.planned' ? 'idle' : 'refused')
}

function failed(p: ProjectDraft, name: BlockName, { effect, reason }: EventOf<'effect.failed'>): void {
  const state = p.at[name]
  const isStale = state === 'running.refreshing' && effect === 'resyncMirror'
  const isUnread = /^running\.(re)?reading$/.test(state) && effect === 'readBacklog'
  if (!isStale && !isUnread) return
  p.patch(name, { trouble: reason })
  enter(p, name, isStale ? 'running.reading' : 'planning')
}

function taskEnded(p: ProjectDraft, name: BlockName, { task, stage, reason }: EventOf<'task.ended'>): void {
  const { awaited } = p.block(name)
  if (awaited.includes(task)) {
    p.patch(name, { awaited: awaited.filter((one) => one !== task) })
    p.patch(name, stage === 'delivered' ? { last: p.c.at } : { trouble: `its Task ended ${stage}: ${reason}` })
  }
  if (p.at[name] === 'running.refining' && task === p.refineTask) enter(p, name, 'running.rereading')
  if (p.at[name] !== 'running.working' || task !== p.block(name).task) return
  if (stage === 'delivered') p.patch(name, { last: p.c.at, task: '' })
  else p.patch(name, { trouble: `its Task ended ${stage}: ${reason}` })
  enter(p, name, 'planning')
}

/** A refine first, where anything that it would look at changed since the last one (SCHEDULE-7). */
function read(p: ProjectDraft, name: BlockName, backlog: Backlog): void {
  if (backlog.repositories.length === 0) {
    p.patch(name, { trouble: 'no Repository is enrolled' })
    return enter(p, name, 'planning')
  }
  const isPrepared = p.at[name] === 'running.rereading' || !prepares.has(name)
  const isChanged = backlog.issues.some(({ print }) => !p.scheduled.refine.seen.includes(print))
  if (!isPrepared && isChanged) {
    refineFirst(p, name, backlog)
    return enter(p, name, 'running.refining')
  }
  if (!isPrepared) p.patchScheduled({ refine: { ...p.scheduled.refine, last: p.c.at } })
  works[name](p, backlog)
}

function refineFirst(p: ProjectDraft, name: BlockName, backlog: Backlog): void {
  const { refine } = p.scheduled
  if (backlog.tasks.some(({ task }) => task === refine.task)) return
  const task = mint(p, name, backlog, 'refine', backlog.repositories, 80)
  p.patchScheduled({ refine: { ...refine, task, minted: backlog.issues.map(({ print }) => print) } })
}

function mint(
  p: ProjectDraft,
  name: BlockName,
  { config }: Backlog,
  kind: string,
  repositories: readonly string[],
  priority: number,
): string {
  const [namespace, project = ''] = p.c.id.split('/')
  const ref = p.run(name)
  const task = `${namespace}/${taskName(kind, project, p.block(name).runs, `${p.c.id}/${ref}/${kind}`)}`
  p.tellQueue('queue.enqueue', {
    ...{ entry: `mint/${task}`, sort: 'mint', task, class: 'normal', priority, kind },
    seed: {
      kind,
      goal: 'words',
      repositories,
      issues: [],
      mergeRequests: [],
      priority,
      origin: { kind: 'cron', ref },
      config,
    },
  })
  return task
}

/** Oldest first, within the size of a sweep and the lane of each repository; all of it, or nothing where it is too much. */
function handOut(p: ProjectDraft, { tasks, issues, mergeRequests }: Backlog): void {
  const { maxNewTasksPerSweep, maxOpenTasks, issueScan } = p.settings!
  let room = Math.min(maxNewTasksPerSweep, maxOpenTasks)
  const lanes: Record<string, number> = {}
  for (const { open, kind, repositories } of tasks)
    if (open && kind === 'implement') for (const one of new Set(repositories)) lanes[one] = (lanes[one] ?? 0) + 1
  const chosen: (() => void)[] = []
  for (const { issue, repository, offerable } of issues) {
    if (!offerable || room <= 0 || (lanes[repository] ?? 0) >= issueScan.maxPerRepo) continue
    lanes[repository] = (lanes[repository] ?? 0) + 1
    room -= 1
    chosen.push(() => p.tell(`issue:${issue}`, 'issue.offered'))
  }
  const offered = [...p.scheduled.offered]
  for (const { mergeRequest, headSha } of mergeRequests) {
    const name = `${mergeRequest}@${headSha}`
    if (room <= 0 || p.scheduled.offered.includes(name)) continue
    room -= 1
    chosen.push(() => {
      offered.push(name)
      p.tell(`merge-request:${mergeRequest}`, 'mr.offered', { headSha })
    })
  }
  if (chosen.length <= maxOpenTasks - tasks.filter(({ open }) => open).length) for (const offer of chosen) offer()
  p.patchScheduled({ offered: offered.slice(-500) })
  p.patch('issueScan', { last: p.c.at })
  enter(p, 'issueScan', 'planning')
}

function brainstorm(p: ProjectDraft, backlog: Backlog): void {
  if (backlog.openProposals >= p.settings!.brainstorm.targetOpenProposals) {
    p.patch('brainstorm', { last: p.c.at, task: '' })
    return enter(p, 'brainstorm', 'planning')
  }
  const task = mint(p, 'brainstorm', backlog, 'brainstorm', backlog.repositories, 100)
  p.patch('brainstorm', { task, mintedAt: p.c.at })
  enter(p, 'brainstorm', 'running.working')
}

/** The run is over, and complete once this Task is delivered. */
function handOver(p: ProjectDraft, name: BlockName, task: string): void {
  p.patch(name, { mintedAt: p.c.at, awaited: [...p.block(name).awaited, task].slice(-50) })
}

function document(p: ProjectDraft, backlog: Backlog): void {
  const { documentation: repository, tasks } = backlog
  const lane = tasks.filter(
    ({ kind, repositories }) => kind === 'documentation' && repositories.includes(repository ?? ''),
  )
  if (repository === undefined || lane.length >= p.settings!.documentation.maxPerRepo)
    p.patch('documentation', {
      trouble: repository === undefined ? 'documentation.repo is not enrolled as a Repository' : '',
    })
  else {
    handOver(p, 'documentation', mint(p, 'documentation', backlog, 'documentation', [repository], 100))
  }
  enter(p, 'documentation', 'planning')
}

/** Parked ones count: at most so many live and unminted. */
function upgrade(p: ProjectDraft, backlog: Backlog): void {
  const live = backlog.tasks.filter(({ kind }) => kind === 'upgrade').length
  if (live < p.settings!.upgrade.maxOpenUpgrades) {
    handOver(p, 'upgrade', mint(p, 'upgrade', backlog, 'upgrade', backlog.repositories, 100))
  }
  enter(p, 'upgrade', 'planning')
}

const works: Readonly<Record<BlockName, (p: ProjectDraft, backlog: Backlog) => void>> = {
  issueScan: handOut,
  brainstorm,
  documentation: document,
  upgrade,
}

/** `name` is the block's whose timer it is; `runEnds` and `refineWait` have one name for all. */
export function fire(p: ProjectDraft, name: BlockName, timer: string): void {
  if (timer === 'tick') enter(p, name, 'due')
  if (timer === 'floor') enter(p, name, 'due')
  if (timer === 'runEnds') {
    p.patch(name, { trouble: 'the run got no answer in 4 hours' })
    enter(p, name, 'planning')
  }
  if (timer !== 'refineWait') return
  p.patch(name, { trouble: 'the refine before it did not end in 30 minutes' })
  enter(p, name, 'running.rereading')
}

export function timersOf(p: ProjectDraft): readonly string[] {
  return blockNames.flatMap((name) => {
    const state = p.at[name]
    if (state === 'idle') return [`${name}.tick`]
    if (state === 'resting') return [`${name}.floor`]
    if (!state.startsWith('running')) return []
    return state === 'running.refining' ? ['runEnds', 'refineWait'] : ['runEnds']
  })
}
