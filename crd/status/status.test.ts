import { describe, expect, test } from 'vitest'
import { reasons } from '../../machines/generated/reasons.ts'
import type { WaitingEntry } from '../../machines/queue/context.ts'
import { newIssue } from '../../machines/issue/context.ts'
import { newPod } from '../../machines/pod/context.ts'
import { newTurn } from '../../machines/turn/context.ts'
import { newQueue, type QueueContext } from '../../machines/queue/context.ts'
import { aMergeRequest } from '../../machines/testing/a-task.ts'
import { newTask, withChanges, type TaskPatch } from '../../machines/task/context.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { columnsOf } from '../columns.ts'
import { kinds } from '../kinds.ts'
import { lostBy } from '../testing/server-view.ts'
import { newProject, newScheduled, withBlock, type Scheduled } from '../../machines/project/context.ts'
import { projectStatus } from './project.ts'
import type { DerivedResource } from './shape.ts'
import { queuedEventResources } from './queued-event.ts'
import { taskResource } from './task.ts'

const at = Date.parse('2026-01-02T03:04:05Z')
const time = '2026-01-02T03:04:05.000Z'
const id = 'default/implement-a-1-x7f3q'

/** Of a Task that was minted. */
function taskOf(...given: Parameters<typeof taskResource>): DerivedResource {
  return taskResource(...given)!
}

function taskActor(change: TaskPatch = {}): Parameters<typeof taskResource>[0] {
  const blank = newTask(id)
  const context = withChanges(
    blank,
    {
      config: { ...blank.config, project: 'default/demo' },
      kind: 'implement',
      goal: 'Do it',
      origin: { kind: 'human', ref: 'uid' },
    },
    change,
  )
  return { id, path: 'stage.live.minted pod.none', seq: 7, context }
}

describe('a Task as a resource', () => {
  test('is named after its actor; its generation is the actor’s newest step', () => {
    const { apiVersion, kind, metadata, spec } = taskOf(taskActor())
    expect({ apiVersion, kind }).toEqual({ apiVersion: 'platform.dev/v1alpha1', kind: 'Task' })
    expect(metadata).toEqual({ name: 'implement-a-1-x7f3q', namespace: 'default', generation: 7 })
    expect(spec).toMatchObject({ projectRef: 'demo', kind: 'implement', goal: 'Do it', priority: 100 })
  })

  test('has a goal without the words of people where it came of a forge (TASK-RESOURCE-20)', () => {
    const mergeRequests = [aMergeRequest('a', 'sha-1', 12)].map(
      (mr) => ({ ...mr, state: 'open', mergeCommit: null }) as const,
    )
    const change = { goal: 'Review of a!12: Approve me', forge: { mergeRequests } }
    const goalOf = (kind: string): unknown => taskOf(taskActor({ ...change, origin: { kind, ref: '' } })).spec
    expect(goalOf('webhook')).toMatchObject({ goal: 'merge request a!12' })
    expect(goalOf('human')).toMatchObject({ goal: change.goal })
  })

  test('shows times as text, and none where nothing happened yet (TASK-RESOURCE-6)', () => {
    const { status } = taskOf(
      taskActor({
        stage: { enteredAt: at, workStartedAt: null, history: [{ stage: 'minted', at, reason: null }] },
        pod: { startedAt: at },
      }),
    )
    expect(status).toMatchObject({
      stageEnteredAt: time,
      podStartedAt: time,
      stages: [{ stage: 'minted', at: time }],
    })
    expect(status).not.toHaveProperty('stageWorkStartedAt')
    expect(taskOf(taskActor()).status).not.toHaveProperty('stageEnteredAt')
  })

  test('says why it rests, by the enum of reasons, and nothing once it has ended (TASK-RESOURCE-17)', () => {
    const whyOf = (path: string, change: TaskPatch): unknown =>
      (taskOf({ ...taskActor(change), path }).status as { why: unknown }).why
    const parked = { stage: { name: 'awaiting-human', class: 'parked', reason: 'ci-red' } } as const
    expect(whyOf('stage.live.parked.awaiting-human pod.none', parked)).toMatchObject({
      reason: 'task/awaiting-human/ci-red',
      owner: 'human',
    })
    const waits = { stage: { name: 'reviewing', class: 'active', wants: 'review' } } as const
    expect(whyOf('stage.live.active.reviewing.fresh pod.awaitingSlot', waits)).toMatchObject({
      reason: 'task/pod.awaitingSlot',
      owner: 'queue',
    })
    expect(whyOf('stage.delivered pod.none', { stage: { name: 'delivered', class: 'terminal' } })).toBeUndefined()
  })

  test('shows what a turn heard of the account, and null while none did (TASK-RESOURCE-12) (TASK-RESOURCE-12)', () => {
    const used = (usedPercent: number) => ({ usedPercent, resetsAt: at })
    const accountUsage = { fiveHour: used(40), weekly: used(10), reportedAt: at }
    expect(taskOf(taskActor({ turn: { accountUsage } })).status).toMatchObject({
      accountUsage: {
        fiveHour: { usedPercent: 40, resetsAt: time },
        sevenDay: { usedPercent: 10, resetsAt: time },
        reportedAt: time,
      },
    })
    expect(taskOf(taskActor()).status).not.toHaveProperty('accountUsage')
  })

  test('shows a pod while one lives, and whether it works yet', () => {
    const podOf = (change: TaskPatch): unknown => (taskOf(taskActor(change)).status as { pod: unknown }).pod
    expect(podOf({ pod: { ordinal: 2, alive: false } })).toBeUndefined()
    expect(podOf({ pod: { ordinal: 2, alive: true } })).toEqual({ ordinal: 2, phase: 'starting' })
    expect(podOf({ pod: { ordinal: 2, alive: true, worked: true } })).toEqual({
      ordinal: 2,
      phase: 'working',
    })
  })

  test('names the live pod, and the turn in flight with its state and when it was asked for (TASK-RESOURCE-8, TASK-RESOURCE-9)', () => {
    const pod = { id: `${id}/2`, path: 'live.ready', seq: 4, context: { ...newPod(`${id}/2`), name: 'pod-2' } }
    const turn = {
      id: `${id}/2/0`,
      path: 'open.running',
      seq: 2,
      context: { ...newTurn(`${id}/2/0`), turnId: 'turn-7' },
      startedAt: at,
    }
    const alive = taskActor({ pod: { ordinal: 2, alive: true, worked: true, startedAt: at } })
    expect(taskOf(alive, { pod, turn, issues: [] }).status).toMatchObject({
      podStartedAt: time,
      pod: { ordinal: 2, name: 'pod-2', phase: 'working' },
      turn: { id: 'turn-7', state: 'running', startedAt: time },
    })
    const asked = { ...turn, path: 'open.requested', context: newTurn(turn.id), startedAt: null }
    expect(taskOf(alive, { pod, turn: asked, issues: [] }).status).toHaveProperty('turn', { state: 'requested' })
    expect(taskOf(alive, { pod, issues: [] }).status).not.toHaveProperty('turn')
  })

  test('lists who approved which issue, for which plan: comments that stand and speak for a plan (TASK-RESOURCE-13)', () => {
    const stands = (commentId: string, author: string) => ({ commentId, author, bodyHash: 'b', at })
    const facts = { repository: 'a', number: 1, approvals: [stands('c-1', 'maya'), stands('c-2', 'otto')] }
    const context = { ...newIssue('default/a-1'), facts, boundPlans: { 'c-1': 'plan-1', 'c-0': 'plan-0' } }
    const issue = { id: 'default/a-1', path: 'known.approved', seq: 1, context }
    const unseen = { id: 'default/a-2', path: 'known.observed', seq: 1, context: newIssue('default/a-2') }
    const { status } = taskOf(taskActor(), { issues: [issue, unseen] as never })
    expect(status).toMatchObject({
      approvals: [{ repository: 'a', number: 1, commentId: 'c-1', author: 'maya', planHash: 'plan-1', at: time }],
    })
    expect((status as { approvals: unknown[] }).approvals).toHaveLength(1)
    expect(taskOf(taskActor()).status).toMatchObject({ approvals: [] })
  })

  test('shows the plan, how significant the change is, and in which order it merges (TASK-RESOURCE-14)', () => {
    const submission = { title: 't', body: 'b', significance: 'minor', mergeOrder: ['lib', 'app'] } as const
    expect(
      taskOf(taskActor({ journal: { planHash: 'plan-1' }, forge: { significance: 'minor', submission } })).status,
    ).toMatchObject({
      planHash: 'plan-1',
      changeSignificance: 'minor',
      mergeOrder: ['lib', 'app'],
    })
    for (const field of ['planHash', 'changeSignificance', 'mergeOrder'])
      expect(taskOf(taskActor()).status).not.toHaveProperty(field)
  })

  test('tells that an approval was granted, and nothing of whose words it rests on (TASK-RESOURCE-2)', () => {
    const grant = { commentId: 'c-1', author: 'maria', quote: 'Go ahead' }
    const issues = [
      { repository: 'a', number: 1, state: 'open', accepted: true, grant },
    ] as unknown as TaskContext['forge']['issues']
    const { status, spec } = taskOf(taskActor({ forge: { issues } }))
    expect(status).toMatchObject({
      issues: [{ repository: 'a', number: 1, state: 'open', accepted: true, granted: true }],
    })
    expect(spec).toMatchObject({ issues: [{ repository: 'a', number: 1 }] })
    expect(JSON.stringify(status)).not.toContain('Go ahead')
  })
})

test('RESOURCES-32: no Task is shown before it was minted', () => {
  expect(taskResource({ id, path: 'stage.live.minted pod.none', seq: 0, context: newTask(id) })).toBeUndefined()
})

describe('the entries of a queue as resources', () => {
  function entry(name: string, change: Partial<WaitingEntry> = {}): WaitingEntry {
    return {
      entry: `mint/default/${name}`,
      sort: 'mint',
      task: `default/${name}`,
      class: 'normal',
      priority: 100,
      kind: 'implement',
      sequence: 1,
      enqueuedAt: at,
      admittedAt: null,
      ...change,
    } as WaitingEntry
  }
  function resourcesOf(change: Partial<QueueContext>): ReturnType<typeof queuedEventResources> {
    const context = { ...newQueue('default/demo'), maxConcurrentAgents: 2, closedReason: null, ...change }
    return queuedEventResources({ id: 'default/demo', path: 'open', seq: 9, context })
  }

  test('say where they wait in the order of admission, and those that have a slot since when (PROJECT-QUEUE-3, QUEUED-EVENT-3, QUEUED-EVENT-5)', () => {
    const entries = [
      entry('late', { sequence: 4 }),
      entry('running', { sequence: 1, admittedAt: at }),
      entry('early', { sequence: 2 }),
      entry('urgent', { sequence: 3, priority: 10 }),
    ]
    expect(resourcesOf({ entries }).map(({ metadata, status }) => [metadata.name, status])).toEqual([
      ['mint-default-late', { state: 'Queued', position: 3, reason: 'no free slot' }],
      ['mint-default-running', { state: 'Admitted', admittedAt: time }],
      ['mint-default-early', { state: 'Queued', position: 2, reason: 'no free slot' }],
      ['mint-default-urgent', { state: 'Queued', position: 1, reason: 'no free slot' }],
    ])
  })

  describe('say at most what their Task costs, and what is taken for granted there', () => {
    const limits = { tokensPerTurn: 10, tokensPerTask: 5000, tokensPerDay: 0, tokensPerProject: 0, maxRaisePerDay: 0 }
    const config = { ...newTask(id).config, agentPodTTLSeconds: 3600, tokensPerTurn: 10 }
    const seed = { kind: 'brainstorm', config } as unknown as NonNullable<WaitingEntry['seed']>
    const costOf = (one: WaitingEntry, costs: Parameters<typeof queuedEventResources>[1]): unknown => {
      const context = { ...newQueue('default/demo'), maxConcurrentAgents: 2, closedReason: null, entries: [one] }
      const resources = queuedEventResources({ id: 'default/demo', path: 'open', seq: 9, context }, costs)
      return (resources[0]!.status as { worstCase?: object }).worstCase
    }
    const most = { laps: false, tokensAtMost: 5000, assumes: 'nobody comments, and no pod is lost' }

    test('before it is minted, by its seed and the limit of the ledger, also once it is admitted (QUEUED-EVENT-6)', () => {
      const [waiting, admitted] = [entry('a', { seed }), entry('a', { seed, admittedAt: at })]
      expect(costOf(waiting, { limits, tasks: new Map() })).toMatchObject(most)
      expect(costOf(admitted, { limits, tasks: new Map() })).toEqual(costOf(waiting, { limits, tasks: new Map() }))
    })

    test('of one that waits for its next pod, by what the Task itself says', () => {
      const spawn = entry('a', { sort: 'spawn' })
      const tasks = new Map([['default/a', { kind: 'brainstorm' as const, config }]])
      expect(costOf(spawn, { limits, tasks })).toEqual(costOf(entry('a', { seed }), { limits, tasks: new Map() }))
      expect(costOf(spawn, { tasks: new Map() })).toBeUndefined()
    })

    test('without a ledger nothing holds it (QUEUED-EVENT-6)', () => {
      expect(costOf(entry('a', { seed }), { tasks: new Map() })).not.toHaveProperty('tokensAtMost')
    })
  })

  test('say why nobody is admitted', () => {
    const reasonOf = (change: Partial<QueueContext>): unknown =>
      resourcesOf({ entries: [entry('a')], ...change }).map(({ status }) => (status as { reason: string }).reason)
    expect(reasonOf({ closedReason: 'SecretMissingKeys' })).toEqual(['project not ready: SecretMissingKeys'])
    expect(reasonOf({ maxConcurrentAgents: 0 })).toEqual(['paused'])
  })

  test('belong to the Project of their queue (QUEUED-EVENT-1)', () => {
    expect(resourcesOf({ entries: [entry('a', { sequence: 5 })] })).toMatchObject([
      {
        kind: 'QueuedEvent',
        metadata: { namespace: 'default', generation: 9 },
        spec: { projectRef: 'demo', sequence: 5, sort: 'mint', taskRef: 'default/a' },
      },
    ])
    expect(resourcesOf({ entries: [] })).toEqual([])
  })
})

test.each(['review-loop-exhausted', 'pod-recreation-exhausted'])(
  'TASK-RESOURCE-18: no Task rests for %s any more (TASK-RESOURCE-18)',
  (gone) => {
    expect(Object.keys(reasons).filter((reason) => reason.includes(gone))).toEqual([])
    expect(Object.keys(reasons)).toContain('task/operator-error/residency-cap')
  },
)

test('every column of a kind that only actors write finds its field', () => {
  const shown = {
    Task: taskOf(taskActor({ stage: { reason: 'ci-red' } })),
    QueuedEvent: queuedEventResources({
      id: 'default/demo',
      path: 'open',
      seq: 1,
      context: {
        ...newQueue('default/demo'),
        entries: [
          {
            entry: 'e',
            sort: 'mint',
            task: 't',
            class: 'normal',
            priority: 1,
            kind: 'implement',
            sequence: 1,
            enqueuedAt: 0,
            admittedAt: null,
          },
        ],
      },
    })[0],
  }
  for (const [kind, resource] of Object.entries(shown)) {
    expect(kinds.map((one) => one.kind)).toContain(kind)
    for (const { path } of columnsOf(kind)) {
      const value = path
        .split('.')
        .slice(1)
        .reduce<unknown>((from, name) => (from as Record<string, unknown> | undefined)?.[name], resource)
      expect(value, `${kind} ${path}`).not.toBeUndefined()
    }
  }
})

describe('a Project’s status', () => {
  const off = { schedule: '' }
  const settings = {
    maxNewTasksPerSweep: 5,
    maxOpenTasks: 6,
    issueScan: { ...off, maxPerRepo: 1 },
    brainstorm: { ...off, targetOpenProposals: 3, minSessionIntervalMs: 0, guidance: '' },
    documentation: { ...off, maxPerRepo: 1 },
    upgrade: { ...off, maxOpenUpgrades: 1 },
  }
  const ready = {
    ...newProject('default/demo'),
    ...{ at, reason: '', generation: 77, checkedGeneration: 77, observed: { 'Project/demo': 2 } },
  }
  const resource = { name: 'demo', createdAt: at }
  const statusOf = (scheduled: Scheduled | null) => projectStatus({ context: { ...ready, scheduled } }, resource)
  const conditionsOf = (scheduled: Scheduled): readonly string[] =>
    statusOf(scheduled).conditions.map(({ type }) => type)

  test('is Ready of what is applied now, with a schedule or without (PROJECT-STATUS-3)', () => {
    expect(statusOf(null)).toMatchObject({ ready: true, conditions: [{ type: 'Ready', status: 'True' }] })
    expect(statusOf(newScheduled(settings))).toMatchObject({ ready: true })
    expect(projectStatus({ context: { ...ready, generation: 78 } }, resource)).toMatchObject({ ready: false })
    expect(projectStatus(undefined, resource)).toMatchObject({ ready: false, reason: 'NotChecked' })
  })

  test('says everything that is wrong under its own name (PROJECT-STATUS-2)', () => {
    const fault = { reason: 'SecretMissingKeys', message: 'no token', blocks: true }
    const status = projectStatus({ context: { ...ready, reason: fault.reason, faults: [fault] } }, resource)
    expect(status.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'SecretMissingKeys' },
      { type: 'SecretMissingKeys', status: 'True', message: 'no token' },
    ])
  })

  test('says what a run could not do, and a schedule that cannot be followed (PROJECT-CRON-2, PROJECT-STATUS-15)', () => {
    const troubled = withBlock(newScheduled(settings), 'issueScan', { trouble: 'the refine was held', last: at })
    expect(conditionsOf(withBlock(troubled, 'upgrade', { refused: 'never comes' }))).toEqual([
      'Ready',
      'IssueScanIncomplete',
      'UpgradeUnscheduled',
    ])
  })

  test('PROJECT-STATUS-10: shows when each block was last completed, and nothing where it never was', () => {
    const last = /^last/
    const shownOf = (scheduled: Scheduled): object =>
      Object.fromEntries(Object.entries(statusOf(scheduled)).filter(([name]) => last.test(name)))
    const none = newScheduled(settings)
    expect(shownOf(none)).toEqual({})
    const blocks = ['issueScan', 'brainstorm', 'documentation', 'upgrade'] as const
    const each = blocks.map((name, hours) => shownOf(withBlock(none, name, { last: at + hours * 3_600_000 })))
    expect([...each, shownOf({ ...none, refine: { ...none.refine, last: at } })]).toEqual([
      { lastIssueScan: time },
      { lastBrainstorm: '2026-01-02T04:04:05.000Z' },
      { lastDocumentation: '2026-01-02T05:04:05.000Z' },
      { lastUpgrade: '2026-01-02T06:04:05.000Z' },
      { lastRefine: time },
    ])
  })

  test('RESOURCES-27: every condition has a type of its own, a reason, a message and a time; the same snapshot gives the same', () => {
    const found = (message: string) => ({ reason: 'NoMaintainers', message, blocks: false })
    const faults = [found('lib has none'), found('app has none')]
    const since = { Ready: at - 3000, NoMaintainers: at - 2000 }
    const context = { ...ready, faults, since, scheduled: null }
    const shown = projectStatus({ context }, { name: 'demo', createdAt: at - 5000 })
    expect(shown.conditions).toEqual([
      {
        ...{ type: 'Ready', status: 'True', reason: 'Checked', message: '' },
        ...{ lastTransitionTime: '2026-01-02T03:04:02.000Z', observedGeneration: 2 },
      },
      {
        ...{ type: 'NoMaintainers', status: 'True', reason: 'NoMaintainers', message: 'lib has none; app has none' },
        ...{ lastTransitionTime: '2026-01-02T03:04:03.000Z', observedGeneration: 2 },
      },
    ])
    expect(projectStatus({ context }, { name: 'demo', createdAt: at - 5000 })).toEqual(shown)
    expect(lostBy('Project', shown)).toEqual([])
  })

  test('RESOURCES-28: observedGeneration is that of the resource, and is left out before anything was checked', () => {
    expect(statusOf(null)).toMatchObject({ observedGeneration: 2 })
    const unchecked = projectStatus({ context: { ...ready, observed: {} } }, resource)
    expect(unchecked).not.toHaveProperty('observedGeneration')
    expect(unchecked.conditions[0]).not.toHaveProperty('observedGeneration')
  })

  test('RESOURCES-27: a message of any length is cut to 4096 characters', () => {
    const message = `${'😀'.repeat(5000)}`
    const context = { ...ready, faults: [{ reason: 'NoMaintainers', message, blocks: false }] }
    const [, warned] = projectStatus({ context }, resource).conditions
    expect(warned!.message.length).toBe(4096)
    expect(warned!.message.endsWith('…')).toBe(true)
    expect(warned!.message.isWellFormed()).toBe(true)
  })

  test('shows the window of a metered budget, what it holds, and that it has none; a server keeps all of it (RESOURCES-26, PROJECT-BUDGET-16, PROJECT-STATUS-8, PROJECT-STATUS-9, PROJECT-STATUS-16)', () => {
    const percents = { proactivePercent: 50, emergencyPercent: 80 }
    const budget = {
      ...percents,
      mode: 'customWindow' as const,
      resetSchedule: '',
      windowMs: 5,
      tokenLimit: 10,
      fiveHour: percents,
      weekly: percents,
    }
    const metered = newScheduled({ ...settings, budget })
    const held = {
      ...metered,
      spending: { ...metered.spending, windowStart: at, windowTokens: 9, hold: 'allHeld' as const },
    }
    expect(statusOf(held)).toMatchObject({ tokenBudget: { windowStart: time, windowTokens: 9 } })
    const { tokenBudget } = statusOf(held) as unknown as { tokenBudget: object }
    expect(Object.keys(tokenBudget)).toEqual(['windowStart', 'windowTokens'])
    const shown = { ...statusOf(held), webhookURL: 'http://platform/hook', memory: { endpoint: 'http://memory' } }
    expect(lostBy('Project', shown)).toEqual([])
    expect(conditionsOf(held)).toEqual(['Ready', 'TokenBudgetHeld'])
    expect(conditionsOf(newScheduled({ ...settings, budget: { ...budget, windowMs: 0 } }))).toEqual([
      'Ready',
      'TokenBudgetUnbounded',
    ])
  })
})

test('an entry that left says what became of it', () => {
  const queue = {
    ...newQueue('default/demo'),
    finished: [{ entry: 'mint/a', state: 'Dropped', reason: 'project deleted' }],
  }
  expect(queuedEventResources({ id: 'default/demo', path: '', seq: 1, context: queue as never })).toMatchObject([
    { metadata: { name: 'mint-a' }, status: { state: 'Dropped', reason: 'project deleted' } },
  ])
})

describe('a model that is withheld', () => {
  const hold = { cause: 'key_refused', message: 'invalid x-api-key', since: at, until: at + 60_000 } as const
  const conditionsOf = (given: { readonly message?: string } | null, createdAt = 0): readonly object[] =>
    projectStatus(undefined, { name: 'demo', createdAt }, { hold: given && { ...hold, ...given } }).conditions

  test('is a condition of the Project, since it is withheld, in the words of the provider (MODEL-KEY-8, RESOURCES-27)', () => {
    expect(conditionsOf({})).toEqual([
      expect.objectContaining({ type: 'Ready' }),
      {
        type: 'ModelWithheld',
        status: 'True',
        reason: 'KeyRefused',
        message:
          'The provider says "invalid x-api-key". No pod starts; one Task tries again at 2026-01-02T03:05:05.000Z.',
        lastTransitionTime: time,
      },
    ])
    expect(conditionsOf({ message: '' })[1]).toMatchObject({ message: expect.stringMatching(/^No pod starts;/) })
  })

  test('is no older than the Project, and none is shown where the key is served', () => {
    expect(conditionsOf({}, at + 5)[1]).toMatchObject({ lastTransitionTime: '2026-01-02T03:04:05.005Z' })
    expect(conditionsOf(null)).toHaveLength(1)
  })
})

test('an operator’s pause is a condition of the Project, with who and why (PROJECT-STATUS-18)', () => {
  const pausedBy = { by: 'ada', reason: 'the forge is down', at }
  const shown = (createdAt: number) => projectStatus(undefined, { name: 'demo', createdAt }, { pausedBy }).conditions
  expect(shown(0).slice(1)).toEqual([
    {
      type: 'Paused',
      status: 'True',
      reason: 'Operator',
      message: 'ada paused it: the forge is down. No pod starts until somebody resumes it: statewright resume.',
      lastTransitionTime: time,
    },
  ])
  expect(projectStatus(undefined, { name: 'demo', createdAt: 0 }, { pausedBy: null }).conditions).toHaveLength(1)
})
