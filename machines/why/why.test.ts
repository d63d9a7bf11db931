import { describe, expect, test } from 'vitest'
import { drive } from '../drive.ts'
import type { QueueContext } from '../queue/context.ts'
import { queueMachine } from '../queue/machine.ts'
import { ATask, granted, inReview, merging, parkedBy, taskId } from '../testing/a-task.ts'
import { explain, type Actor, type Surroundings, type Why } from './why.ts'

const now = 2_000_000

/** The active leaves, as the runtime writes them. */
function pathOf(value: unknown): string {
  if (typeof value === 'string') return value
  return Object.entries(value as object)
    .flatMap(([name, inner]) =>
      pathOf(inner)
        .split(' ')
        .map((leaf) => `${name}.${leaf}`),
    )
    .join(' ')
}

function asActor<Context>({ value, context }: { readonly value: unknown; readonly context: Context }): Actor<Context> {
  return { value, path: pathOf(value), context }
}

function why(task: ATask, around: Partial<Surroundings> = {}): Why {
  return explain({ task: asActor(task), timers: [], now, ...around })
}

function queueWith(...entries: readonly string[]): Actor<QueueContext> {
  const queue = drive(queueMachine, 'default/demo')
  queue.send({ type: 'queue.configured', maxConcurrentAgents: 1, capacity: 1, alertCapacity: 0 })
  queue.send({ type: 'queue.opened' })
  for (const entry of entries)
    queue.send({
      type: 'queue.enqueue',
      entry,
      sort: 'spawn',
      task: entry,
      class: 'normal',
      priority: 60,
      kind: 'review',
    })
  return asActor(queue)
}

describe('the reason', () => {
  test('a park is said by the reason that it was entered for', () => {
    expect(why(parkedBy('needs-maintainer')).resting).toMatchObject({
      reason: 'task/awaiting-human/needs-maintainer',
      owner: 'maintainer',
    })
  })

  test('a stage that wants a pod is said by where its pod is', () => {
    expect(why(new ATask().mint()).resting?.reason).toBe('task/pod.awaitingSlot')
    expect(why(new ATask().mint().slot()).resting?.reason).toBe('task/pod.starting')
    expect(why(granted().final()).resting).toMatchObject({ reason: 'task/pod.awaitingSlot', owner: 'queue' })
  })

  test('a plan that no maintainer has approved is said as such while the agent rests, and as work while it works', () => {
    const waiting = new ATask().mint().running().planned()
    expect(why(waiting).resting?.reason).toBe('task/pod.working.busy')
    const asked = waiting.send('agent.asked', { pod: 1, repository: 'lib', number: 1 })
    expect(why(asked.ended()).resting).toMatchObject({
      reason: 'task/pod.working.idle/awaiting-approval',
      owner: 'maintainer',
      says: 'the plan waits for the approval of a maintainer',
    })
    expect(why(asked.grant()).resting?.reason).toBe('task/pod.working.busy')
  })

  test('a parked Task without a thread on the forge is moved by a command', () => {
    const byHand = { issues: [], origin: { kind: 'manual', ref: '' } }
    const parked = new ATask().mint(byHand).running().ended().ended().ended()
    expect(why(parked).resting?.unblocks).toMatch(
      /no thread on the forge: `statewright retry` or `statewright cancel`$/,
    )
    expect(why(parkedBy('needs-maintainer')).resting?.unblocks).not.toContain('statewright')
  })

  test('a stage that wants none is said by itself', () => {
    expect(why(inReview().approve().final()).resting).toMatchObject({
      reason: 'task/stage.live.active.merging.asked.outstanding',
      owner: 'forge',
    })
  })

  test('what has ended rests for nobody', () => {
    const ended = inReview().approve().final().merged()
    expect([why(ended).resting, why(ended).path]).toEqual([null, []])
  })

  test('names what is merged, and nothing where nothing is', () => {
    const ended = inReview().approve().final().merged()
    expect(why(ended).merged).toEqual([
      { name: 'lib!7', url: expect.stringContaining('/') as string, commit: 'merge-1' },
    ])
    expect(why(inReview())).not.toHaveProperty('merged')
  })

  test('while its pod lives, what pod and turn wait for is said below', () => {
    const pod = { value: { alive: 'busy' }, path: 'alive.busy', context: {} }
    const turn = { value: {}, path: 'open.running.poll.beat open.running.watch.probing.asked', context: {} }
    expect(why(granted(), { pod, turn }).below.map(({ reason }) => reason)).toEqual([
      'pod/alive.busy',
      'turn/open.running.watch.probing.asked',
    ])
    expect(why(granted().final(), { pod, turn }).below).toEqual([])
  })
})

describe('the queue and the timers', () => {
  test('its own entry has a place there, and the reason why it is held', () => {
    const task = granted().final()
    const entry = task.context.pod.entry ?? ''
    expect(why(task, { queue: queueWith('other', 'before', entry) }).queue).toEqual({
      entry,
      position: 2,
      reason: 'no free slot',
    })
    expect(why(task, { queue: queueWith('other') }).queue).toBeNull()
  })

  test('the earliest timer is next, by the name of its wait', () => {
    const timers = [
      { id: 'xstate.after.implementingBudget.task.stage', dueAt: 9 },
      { id: 'xstate.after.turnDelay.task.pod.working.resting', dueAt: 5 },
    ]
    expect(why(granted(), { timers }).nextTimer).toEqual({ name: 'turnDelay', dueAt: 5 })
    expect(why(granted()).nextTimer).toBeNull()
  })
})

describe('the shortest way', () => {
  const events = (task: ATask) =>
    why(task).path?.map(({ event, timer }) => (event?.type === 'outcome' ? event.action : (event?.type ?? timer)))

  test('from a review it is the verdict, the end of its pod, and the merge', () => {
    expect(events(inReview())).toEqual(['approve', 'turn.ended', 'pod.final', 'mr.merged'])
  })

  test('from a park that waits for a go-ahead it is the go-ahead and the merge', () => {
    expect(events(parkedBy('needs-maintainer'))).toEqual(['mr.goAhead', 'mr.merged'])
  })

  test('from a word that withholds the merge it is a newer word: a retry asks once more while it stands (MERGE-11)', () => {
    const task = merging().mergeAnswer('mr.mergeRefused', { cause: 'withheld', reason: 'not yet' })
    expect(why(task).path?.[0]).toMatchObject({
      by: 'maintainer',
      does: 'lets it merge with `/approve` on lib#1 (GitLab: `approve`)',
    })
    expect(events(task)).not.toContain('task.retry')
    expect(why(task).resting?.unblocks).not.toContain('/retry')
  })

  test('from a question about optional checks it is the answer yes and the merge (MERGE-15)', () => {
    const task = merging()
    const red = { optional: ['codecov'] }
    for (let lap = 0; lap < 2; lap += 1) task.mergeAnswer('mr.ciRed', red).running().submitToMerge()
    expect(events(task.mergeAnswer('mr.ciRed', red))).toEqual(['mr.goAhead', 'mr.merged'])
    expect(why(task).resting?.unblocks).toContain('merges it in spite of these checks')
  })

  test('from the beginning it passes plan, approval, work and review, in the words of who does it', () => {
    const path = why(new ATask().mint()).path ?? []
    expect(path.filter(({ by }) => by === 'maintainer').map(({ does }) => does)).toEqual([
      'approves on lib#1 with `/approve` (GitLab: `approve`)',
    ])
    expect(path.at(-1)).toMatchObject({ by: 'forge', stage: 'delivered' })
    // Nobody knows the number of a merge request that is still to be opened.
    expect(path.at(-1)?.does).toBe('merges the merge request in lib')
    expect(path.filter(({ does }) => /[!#]0/.test(does))).toEqual([])
  })

  test('a declined Task has none', () => {
    expect(why(granted().outcome('declined', { decline_reason: 'no' }).final()).path).toBeNull()
  })

  test('forty issues and their approvals are within the bound', () => {
    const issues = Array.from({ length: 40 }, (_, index) => ({
      repository: 'lib',
      number: index + 1,
      issue: `default/lib-${index + 1}`,
      selfProposed: false,
      humanCommented: true,
    }))
    const path = why(new ATask().mint({ issues })).path ?? []
    expect(path.filter(({ event }) => event?.type === 'approval.granted')).toHaveLength(40)
  })

  test('it names the Task whose way it is', () => {
    expect(why(granted()).task).toBe(taskId)
  })
})
