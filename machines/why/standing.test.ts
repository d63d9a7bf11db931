import type { AnyStateNode } from 'xstate'
import { describe, expect, test } from 'vitest'
import { reasons } from '../generated/reasons.ts'
import { newIssue } from '../issue/context.ts'
import { newModelKey } from '../model-key/context.ts'
import { newProject, newScheduled } from '../project/context.ts'
import { newQueue } from '../queue/context.ts'
import { allMachines } from '../registry.ts'
import { ATask, granted, inReview, merging, parkedBy } from '../testing/a-task.ts'
import { standingOf, wordFor, type Standing } from './standing.ts'

/** The active leaves, as the runtime writes them. */
function pathOf(value: unknown): string {
  if (typeof value === 'string') return value
  const regions = Object.entries(value as object)
  return regions.map(([name, inner]) => pathOf(inner).replaceAll(/(^| )/g, `$1${name}.`)).join(' ')
}

function standing(task: ATask): Standing {
  return standingOf({ kind: 'task', status: 'active', path: pathOf(task.value), context: task.context })
}

function leaves(node: AnyStateNode): readonly AnyStateNode[] {
  const children: readonly AnyStateNode[] = Object.values(node.states)
  return children.length === 0 ? [node] : children.flatMap(leaves)
}

test.each(allMachines)('every state of $kind has a word, or leaves it to another region', ({ kind, machine }) => {
  const without = leaves(machine.root).filter(({ path }) => wordFor(`${kind}/${path.join('.')}`) === undefined)
  expect(without.map(({ path }) => path.join('.'))).toEqual([])
})

test.each(allMachines)('where $kind begins, one of its regions has a word', ({ kind, machine }) => {
  expect(standingOf({ kind, status: 'active', path: pathOf(startOf(machine.root)) }).word).not.toBe('unknown')
})

function startOf(node: AnyStateNode): unknown {
  if (node.type === 'parallel')
    return Object.fromEntries(Object.entries(node.states).map(([key, child]) => [key, startOf(child)]))
  const key = String(node.config.initial)
  const child = node.states[key]!
  return Object.keys(child.states).length === 0 ? key : { [key]: startOf(child) }
}

test('every reason of a Task has a word', () => {
  const ofTasks = Object.keys(reasons).filter((key) => key.split('/').length > 2)
  expect(ofTasks.length).toBeGreaterThan(20)
  expect(ofTasks.filter((key) => wordFor(key) === undefined || wordFor(key) === null)).toEqual([])
})

test('only what goes on by itself is green: whoever waits for a person has another tone, sign and word', () => {
  for (const [key, { owner }] of Object.entries(reasons)) {
    const word = key.startsWith('task/') ? wordFor(key) : undefined
    if (word && ['human', 'maintainer', 'operator'].includes(owner)) expect([key, word.tone]).not.toEqual([key, 'goes'])
  }
})

describe('a Task', () => {
  test('that waits for the approval of its plan says so, who can give it, and how', () => {
    const asked = new ATask().mint().running().planned().send('agent.asked', { pod: 1, repository: 'lib', number: 1 })
    expect(standing(asked)).toMatchObject({ word: 'working', tone: 'goes', owner: 'agent' })
    expect(standing(asked.ended())).toMatchObject({
      word: 'waits for approval',
      tone: 'asks',
      owner: 'maintainer',
      reason: 'the plan waits for the approval of a maintainer',
      next: expect.stringContaining('`/approve`'),
    })
  })

  test('whose plan is newer than the approval waits for another one', () => {
    const asks = { pod: 1, repository: 'lib', number: 1 }
    // The first turn behind a grant is told to write code.
    const replanned = granted().ended().accepted().planned('note-2', 'another').send('agent.asked', asks).ended()
    expect(standing(replanned)).toMatchObject({ word: 'waits for approval', owner: 'maintainer' })
    const again = replanned.grant({ planHash: 'another' }).ended().accepted().send('agent.asked', asks).ended()
    expect(standing(again)).toMatchObject({ word: 'waits for an answer' })
  })

  test('that is parked is never green, and says for what', () => {
    expect(standing(parkedBy('operator-error'))).toMatchObject({ word: 'needs an operator', tone: 'trouble' })
    expect(standing(parkedBy('identity-unverified'))).toMatchObject({ word: 'parked', tone: 'asks' })
    const withheld = merging().mergeAnswer('mr.mergeRefused', { cause: 'withheld', reason: 'not yet' })
    expect(standing(withheld)).toMatchObject({ word: 'withheld', tone: 'asks' })
    const parked = standing(parkedBy('needs-maintainer'))
    expect(parked).toMatchObject({ word: 'waits for approval', owner: 'maintainer', tone: 'asks' })
    expect(parked.reason).toMatch(/^needs-maintainer/)
  })

  test('that waits for its pod, its slot or the forge is on its way, and not green', () => {
    expect(standing(new ATask().mint())).toMatchObject({ word: 'waits for a slot', tone: 'waits', owner: 'queue' })
    expect(standing(inReview().approve().final())).toMatchObject({ word: 'merging', tone: 'waits', owner: 'forge' })
  })

  test('names its place in the queue where it is known', () => {
    const task = new ATask().mint()
    const actor = { kind: 'task', status: 'active', path: pathOf(task.value), context: task.context } as const
    expect(standingOf(actor, { queue: { entry: 'e', position: 3, reason: 'no free slot' } }).reason).toBe(
      'waits for a slot; place 3: no free slot',
    )
  })

  test('that has ended says how, though its pod still stops', () => {
    const rejected = granted().send('task.close', { by: 'mira' })
    expect(standing(rejected)).toMatchObject({ word: 'cancelled', tone: 'rests' })
    expect(standing(rejected)).not.toHaveProperty('owner')
    expect(standing(rejected)).not.toHaveProperty('next')
    expect(standing(rejected).reason ?? '').not.toContain('decides what the Task is about')
  })

  test('is told by its path alone where nothing else is known, and then says no more than that', () => {
    const path = 'stage.live.active.implementing.clocked pod.working.idle'
    expect(standingOf({ kind: 'task', status: 'active', path })).toMatchObject({
      word: 'waits for an answer',
      tone: 'asks',
    })
    const parked = 'stage.live.parked.awaiting-human pod.stopping'
    expect(standingOf({ kind: 'task', status: 'active', path: parked })).toMatchObject({ word: 'parked', tone: 'asks' })
  })
})

describe('what is no Task', () => {
  const of = (kind: Parameters<typeof standingOf>[0]['kind'], path: string, context: object): Standing =>
    standingOf({ kind, status: 'active', path, context })

  test('a Project that is not ready says its condition in words', () => {
    const failed = { ...newProject('default/demo'), reason: 'ForgeUnreachable', message: 'the forge answers 502' }
    expect(of('project', 'notReady', failed)).toEqual({
      sign: '▲',
      word: 'not ready',
      tone: 'asks',
      reason: 'ForgeUnreachable: the forge answers 502',
      owner: 'human',
      next: 'what the reason names; checked again every 5 minutes',
    })
    expect(of('project', 'notReady', newProject('default/demo')).reason).toBe('NotChecked')
  })

  test('a Project that is ready names what else is wrong', () => {
    const settings = { budget: { mode: 'customWindow', resetSchedule: '', windowMs: 0 } } as Parameters<
      typeof newScheduled
    >[0]
    const ready = { ...newProject('default/demo'), reason: '', scheduled: newScheduled(settings) }
    const { word, reason } = of('project', 'scheduled.readiness.ready scheduled.budget.unbounded', ready)
    expect([word, reason]).toEqual(['ready', expect.stringContaining('limits nothing')])
  })

  test('a queue says who paused it and why, or that its model is withheld', () => {
    const queue = { ...newQueue('default/demo'), closedReason: null }
    const running = 'readiness.ready pause.running budget.open'
    const paused = { ...queue, pausedBy: { by: 'ina', reason: 'a release', at: 0 } }
    expect(of('queue', 'readiness.ready pause.paused budget.open', paused)).toMatchObject({
      word: 'paused',
      tone: 'asks',
      reason: 'paused by ina: a release',
    })
    expect(of('queue', running, queue)).toMatchObject({ word: 'open', tone: 'goes' })
    const hold = { cause: 'usageLimit', message: 'the weekly limit is used up', since: 0, until: 0 }
    expect(of('queue', running, { ...queue, hold })).toMatchObject({
      word: 'model withheld',
      tone: 'asks',
      reason: expect.stringContaining(hold.message),
    })
    expect(of('model-key', 'withheld', { ...newModelKey('a'), hold })).toMatchObject({
      word: 'withheld',
      reason: expect.stringContaining(hold.message),
    })
  })

  test('an Issue that is done is not active, and one whose plan is written waits for a maintainer', () => {
    const issue = { ...newIssue('default/lib-1'), status: 'refined' }
    expect(of('issue', 'live.done', issue)).toMatchObject({ word: 'done', tone: 'rests' })
    expect(of('issue', 'live.refined', issue)).toMatchObject({ word: 'waits for a plan', tone: 'waits' })
    const planned = { ...issue, plans: [{ noteId: 'n', hash: 'h', at: 1 }] }
    expect(of('issue', 'live.refined', planned)).toMatchObject({ word: 'waits for approval', tone: 'asks' })
  })

  test('whatever this version cannot load is in quarantine', () => {
    expect(standingOf({ kind: 'task', status: 'quarantined', path: 'stage.live' })).toMatchObject({
      word: 'quarantined',
      tone: 'trouble',
      owner: 'operator',
    })
  })
})
