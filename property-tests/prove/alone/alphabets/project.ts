import { backlogWith, liveTask, settingsWith } from '../../../../machines/testing/a-project.ts'
import { runOf, type ProjectContext } from '../../../../machines/project/context.ts'
import { blockNames, type ScheduleSettings } from '../../../../machines/project/events.ts'
import type { TimelessEvent } from '../walk.ts'

const schedule = '0 3 * * *'
const later = '0 4 * * *'
const off: ScheduleSettings = settingsWith({})
const percents = { proactivePercent: 50, emergencyPercent: 90 }
const inherited = { proactivePercent: 0, emergencyPercent: 0 }
const window = {
  ...{ mode: 'customWindow' as const, ...percents, resetSchedule: '', windowMs: 3_600_000, tokenLimit: 100 },
  ...{ fiveHour: inherited, weekly: inherited },
}
const account = {
  ...window,
  mode: 'claudeSubscription' as const,
  weekly: { proactivePercent: 80, emergencyPercent: 20 },
}

const all: ScheduleSettings = settingsWith({
  ...{ maxNewTasksPerSweep: 2, maxOpenTasks: 4 },
  issueScan: { schedule, maxPerRepo: 1 },
  brainstorm: { schedule, targetOpenProposals: 3, minSessionIntervalMs: 86_400_000, guidance: 'be brief' },
  documentation: { schedule, maxPerRepo: 1 },
  upgrade: { schedule, maxOpenUpgrades: 1 },
})

const settings: readonly (ScheduleSettings | undefined)[] = [
  undefined,
  off,
  all,
  { ...all, issueScan: { ...all.issueScan, schedule: later }, upgrade: { ...all.upgrade, schedule: '' } },
  {
    ...all,
    brainstorm: { ...all.brainstorm, schedule: later },
    documentation: { ...all.documentation, schedule: later },
    upgrade: { ...all.upgrade, schedule: later },
  },
  { ...all, budget: { ...window, resetSchedule: schedule } },
  { ...off, budget: window },
  { ...off, budget: { ...window, resetSchedule: schedule } },
  { ...off, budget: { ...window, windowMs: 0 } },
  { ...off, budget: { ...window, resetSchedule: schedule, windowMs: 0 } },
  { ...off, budget: { ...window, tokenLimit: 0 } },
  { ...off, budget: { ...window, tokenLimit: 1000 } },
  { ...off, budget: account },
  { ...off, budget: { ...account, proactivePercent: 5 } },
  { ...off, budget: { ...account, resetSchedule: schedule } },
]

function applied(one: ScheduleSettings | undefined, index: number, maxConcurrentAgents = 2): TimelessEvent {
  const given = one === undefined ? {} : { settings: one }
  return {
    type: 'project.applied',
    generation: index % 2,
    ...(index % 3 === 0 ? { resources: { 'Project/demo': index } } : {}),
    maxConcurrentAgents,
    capacity: 2,
    alertCapacity: 1,
    ...given,
  }
}

export const projectBirths: readonly TimelessEvent[] = [
  ...settings.map((one, index) => applied(one, index)),
  applied(all, 1, 0),
]

const faultOf = (reason: string): object => ({ reason, message: 'm', blocks: reason === 'TokenRefused' })

const issues = ['lib', 'lib', 'app'].map((repository, n) => ({
  ...{ issue: `default/${repository}-${n}`, repository, print: `p${n}`, offerable: n !== 1 },
}))
const mergeRequests = ['s1', 's2'].map((headSha) => ({ mergeRequest: 'default/lib-mr-7', repository: 'lib', headSha }))

const backlogs = [
  backlogWith({}),
  backlogWith({ issues, mergeRequests, documentation: 'docs' }),
  backlogWith({ issues: issues.map((one) => ({ ...one, offerable: true })), mergeRequests, openProposals: 3 }),
  backlogWith({
    ...{ issues, mergeRequests, documentation: 'docs', openProposals: 9 },
    tasks: [
      liveTask('implement', { repositories: ['lib'] }),
      liveTask('documentation', { repositories: ['docs'], open: false }),
      liveTask('upgrade', { open: false }),
      liveTask('review', {}),
    ],
  }),
  backlogWith({
    ...{ issues, documentation: 'docs' },
    tasks: [
      liveTask('implement', { repositories: ['lib'], open: false }),
      liveTask('upgrade', { repositories: ['docs'] }),
      liveTask('documentation', { repositories: ['lib'] }),
    ],
  }),
  backlogWith({ openProposals: 9 }),
  backlogWith({ issues, mergeRequests, documentation: 'docs', repositories: [] }),
  backlogWith({ mergeRequests, tasks: ['a', 'b', 'c'].map((name) => liveTask('review', { task: `default/${name}` })) }),
]

export function projectWords(context: object): readonly TimelessEvent[] {
  const c = context as ProjectContext
  const { scheduled, generation, at } = c
  const blocks = scheduled ? blockNames.map((name) => ({ name, ...scheduled.blocks[name], run: runOf(c, name) })) : []
  const runs = [...blocks.map(({ run }) => run), 'issueScan/99']
  const refine = scheduled?.refine.task ?? ''
  const awaited = blocks.flatMap((block) => block.awaited)
  const tasks = [refine, ...awaited, ...blocks.map(({ task }) => task), 'default/z'].filter((task) => task !== '')
  const mine = backlogWith({ issues, tasks: refine === '' ? [] : [liveTask('refine', { task: refine })] })
  const plans = [...blocks.map(({ name, schedule: text }) => ({ name, schedule: text })), { name: 'window', schedule }]
  return [
    ...projectBirths,
    ...[true, false].flatMap((ready) =>
      [generation, generation + 1].map((one) => ({
        type: 'project.checked',
        ...{ generation: one, ready, reason: ready ? '' : 'TokenRefused', message: 'm' },
        ...(ready ? {} : { faults: ['TokenRefused', 'NoMaintainers', 'NoMaintainers'].map(faultOf) }),
      })),
    ),
    { type: 'project.resynced' },
    { type: 'project.deleted' },
    { type: 'project.restarted' },
    ...runs.map((run) => ({ type: 'project.resynced', run })),
    ...plans.flatMap((plan): readonly TimelessEvent[] => [
      { type: 'tick.planned', ...plan, next: at + 3_600_000 },
      { type: 'tick.planned', ...plan, next: at + 1_800_000, previous: at - 9_000_000 },
      { type: 'tick.planned', ...plan, schedule: 'another', next: at + 3_600_000 },
      { type: 'tick.refused', ...plan, reason: 'never comes' },
    ]),
    ...runs.flatMap((run) => [...backlogs, mine].map((backlog) => ({ type: 'backlog.read', run, backlog }))),
    ...tasks.flatMap((task) =>
      ['delivered', 'failed'].map((stage) => ({ type: 'task.ended', task, stage, reason: 'because' })),
    ),
    ...[0, 30, 60].map((tokens) => ({ type: 'usage.spent', turn: 't', tokens })),
    ...[
      [10, 10],
      [60, 60],
      [95, 10],
      [10, 85],
    ].map(([five = 0, week = 0]) => ({
      type: 'usage.reported',
      fiveHour: { usedPercent: five, resetsAt: at + 3_600_000 },
      weekly: { usedPercent: week, resetsAt: at - 1 },
      reportedAt: at - 60_000,
    })),
    {
      type: 'usage.reported',
      fiveHour: { usedPercent: 99, resetsAt: at + 3_600_000 },
      weekly: { usedPercent: 99, resetsAt: at + 3_600_000 },
      reportedAt: at - 100 * 60_000,
    },
    {
      type: 'usage.reported',
      fiveHour: { usedPercent: 10, resetsAt: at + 3_600_000 },
      weekly: { usedPercent: 99, resetsAt: at + 3_600_000 },
      reportedAt: at,
    },
    ...['checkProject', 'resyncMirror', 'readBacklog'].map((effect) => ({
      type: 'effect.failed',
      effect,
      reason: 'no',
      key: 'k',
    })),
  ]
}
