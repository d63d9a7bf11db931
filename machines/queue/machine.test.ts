import { describe, expect, test } from 'vitest'
import type { AnyStateNode } from 'xstate'
import { drive, type DrivenEffect } from '../drive.ts'
import type { TaskSeed } from '../task/events.ts'
import { positions } from './admission.ts'
import type { QueueContext } from './context.ts'
import { queueMachine } from './machine.ts'

const hour = 3_600_000

class AQueue {
  readonly #drive = drive(queueMachine, 'default/demo')
  #last: readonly DrivenEffect[] = []

  send(type: string, fields: { readonly [field: string]: unknown } = {}): this {
    this.#last = this.#drive.send({ type, ...fields })
    return this
  }

  configure(maxConcurrentAgents = 2, capacity = 10, alertCapacity = 1): this {
    return this.send('queue.configured', { maxConcurrentAgents, capacity, alertCapacity })
  }

  open(): this {
    return this.send('queue.opened')
  }

  add(entry: string, fields: { readonly [field: string]: unknown } = {}): this {
    return this.send('queue.enqueue', {
      entry,
      sort: 'spawn',
      task: `default/${entry}`,
      class: 'normal',
      priority: 60,
      kind: 'implement',
      ...fields,
    })
  }

  pass(milliseconds: number): this {
    this.#drive.pass(milliseconds)
    return this
  }

  get context(): QueueContext {
    return this.#drive.context as QueueContext
  }

  get value(): unknown {
    return this.#drive.value
  }

  /** Entries that the last step granted. */
  get granted(): readonly string[] {
    return this.#last.map(({ params }) => params.event.entry)
  }

  get effects(): readonly DrivenEffect[] {
    return this.#last
  }

  get admitted(): readonly string[] {
    return this.context.entries.filter(({ admittedAt }) => admittedAt !== null).map(({ entry }) => entry)
  }
}

const hold = (key = 'k') => ({ key, cause: 'no_credit', message: 'pay', since: 5, until: 9 })

const ready = (agents = 2, capacity = 10, alerts = 1) => new AQueue().configure(agents, capacity, alerts).open()

describe('admission', () => {
  test('a free slot is given to the Task of the entry', () => {
    const queue = ready().add('a')
    expect(queue.effects).toEqual([
      { type: 'deliver', params: { to: 'task:default/a', event: { type: 'slot.granted', entry: 'a' } } },
    ])
    expect(queue.context.entries[0]).toMatchObject({ entry: 'a', admittedAt: queue.context.at })
  })

  test('Queue entries/mint: a mint brings its Task into being, with the slot (QUEUE-9)', () => {
    const seed = { kind: 'implement', goal: 'g' } as unknown as TaskSeed
    const queue = ready().add('mint/t', { sort: 'mint', task: 'default/t', seed })
    expect(queue.effects[0]?.params).toEqual({
      to: 'task:default/t',
      event: { type: 'task.minted', seed, entry: 'mint/t' },
    })
  })

  test('Queue admission/caps: LAW-1: never more than the smaller of capacity and maxConcurrentAgents (PROJECT-4, PROJECT-QUEUE-3, ADMISSION-2)', () => {
    expect(ready(2, 10).add('a').add('b').add('c').admitted).toEqual(['a', 'b'])
    expect(ready(10, 1).add('a').add('b').admitted).toEqual(['a'])
  })

  test('a released slot goes to the next in the same step (ADMISSION-1)', () => {
    const queue = ready(1).add('a').add('b').send('queue.release', { entry: 'a' })
    expect(queue.granted).toEqual(['b'])
  })

  test('Queue admission/order: lower priority first, then who came first (TASK-RESOURCE-3, ADMISSION-1)', () => {
    const queue = ready(1)
      .add('running')
      .add('a', { priority: 60 })
      .add('b', { priority: 20 })
      .add('c', { priority: 20 })
    const order: string[] = []
    for (const entry of ['running', 'b', 'c']) order.push(...queue.send('queue.release', { entry }).granted)
    expect(order).toEqual(['b', 'c', 'a'])
  })

  test('QUEUE-2: an entry ages one class up per 2 h (FORGE-RULES-5)', () => {
    const build = (wait: number) =>
      ready(1)
        .add('running')
        .add('old', { priority: 100 })
        .pass(wait)
        .add('new', { priority: 60 })
        .send('queue.release', { entry: 'running' }).granted
    expect(build(4 * hour - 1)).toEqual(['new'])
    expect(build(4 * hour)).toEqual(['old'])
  })

  test('Queue admission/classes: QUEUE-3: alerts have slots of their own, and neither class uses those of the other (ADMISSION-2, ADMISSION-3)', () => {
    const queue = ready(1, 10, 1)
      .add('a')
      .add('alert-1', { class: 'alert', priority: 0 })
      .add('alert-2', { class: 'alert', priority: 0 })
    expect(queue.admitted).toEqual(['a', 'alert-1'])
    expect(queue.send('queue.release', { entry: 'a' }).granted).toEqual([])
    expect(queue.send('queue.release', { entry: 'alert-1' }).granted).toEqual(['alert-2'])
  })

  test('a full class holds back nobody of the other', () => {
    expect(
      ready(1).add('alert-1', { class: 'alert', priority: 0 }).add('alert-2', { class: 'alert', priority: 0 }).add('a')
        .admitted,
    ).toEqual(['alert-1', 'a'])
  })

  test('Queue admission/lowered: QUEUE-5: a lowered cap evicts nothing, and admits nothing until it fits (ADMISSION-3)', () => {
    const queue = ready(3).add('a').add('b').add('c').add('d').configure(1)
    expect(queue.admitted).toEqual(['a', 'b', 'c'])
    queue.send('queue.release', { entry: 'a' }).send('queue.release', { entry: 'b' })
    expect(queue.admitted).toEqual(['c'])
    expect(queue.send('queue.release', { entry: 'c' }).granted).toEqual(['d'])
  })

  test('a raised cap admits at once, in order', () => {
    expect(ready(1).add('a').add('b').add('c').configure(3).granted).toEqual(['b', 'c'])
  })
})

describe('holds', () => {
  test('nothing is admitted before the Project was configured and found ready', () => {
    const queue = new AQueue().add('a').configure()
    expect(queue.admitted).toEqual([])
    expect(queue.open().granted).toEqual(['a'])
  })

  test('SCHEDULE-1: a Project that is not ready spawns nothing, and what runs goes on (ADMISSION-7)', () => {
    const queue = ready().add('a').send('queue.closed', { reason: 'SecretMissingKeys' }).add('b')
    expect(queue.admitted).toEqual(['a'])
    expect(queue.open().granted).toEqual(['b'])
  })

  test('Queue admission/held: paused admits nothing of either class; a grant in flight stands (PROJECT-5, PROJECT-6, QUEUE-4)', () => {
    const queue = ready(1).add('a').configure(0).add('alert', { class: 'alert', priority: 0 }).add('b')
    expect([queue.admitted, queue.value]).toEqual([['a'], { readiness: 'ready', pause: 'paused', budget: 'open' }])
    expect(queue.configure(2).granted).toEqual(['alert', 'b'])
  })

  test('Queue admission/operator: QUEUE-10: an operator’s pause admits nothing until an operator resumes, whatever is applied', () => {
    const pause = (by: string) => ({ by, reason: 'a look at the forge' })
    const queue = ready(2).add('a').send('queue.paused', pause('ada'))
    expect(queue.value).toEqual({ readiness: 'ready', pause: 'paused', budget: 'open' })
    queue.add('alert', { class: 'alert', priority: 0 }).add('b').configure(3).send('queue.opened')
    expect(queue.admitted).toEqual(['a'])
    expect(positions(queue.context, queue.context.at)[0]?.reason).toBe('paused by ada: a look at the forge')
    // Another one's word leaves the first one's standing.
    queue.send('queue.paused', pause('bob'))
    expect(queue.context.pausedBy).toMatchObject(pause('ada'))
    expect(queue.send('queue.resumed', { by: 'bob', reason: '' }).granted).toEqual(['alert', 'b'])
    expect(queue.context.pausedBy).toBeNull()
  })

  test('Queue admission/operator: a pause ends with its Project, and one without a queue is a fact of the next', () => {
    const queue = ready().send('queue.paused', { by: 'ada', reason: 'x' }).send('queue.closed', { reason: 'Deleted' })
    expect(queue.context.pausedBy).toBeNull()
    const low = ready(0)
      .send('queue.paused', { by: 'ada', reason: 'x' })
      .send('queue.resumed', { by: 'ada', reason: '' })
    expect(low.value).toMatchObject({ pause: 'paused' })
  })

  test('Queue admission/held: normalHeld lets alerts through, allHeld nothing', () => {
    const queue = ready()
      .send('queue.budgeted', { state: 'normalHeld' })
      .add('a')
      .add('alert', { class: 'alert', priority: 0 })
    expect(queue.admitted).toEqual(['alert'])
    expect(ready().send('queue.budgeted', { state: 'allHeld' }).add('alert', { class: 'alert' }).admitted).toEqual([])
    expect(queue.send('queue.budgeted', { state: 'open' }).granted).toEqual(['a'])
  })

  test('Queue regions/budget: QUEUE-6: the budget changes while paused, and resuming does not forget it', () => {
    const queue = ready().configure(0).send('queue.budgeted', { state: 'allHeld' }).add('a').configure(2)
    expect(queue.admitted).toEqual([])
    expect(queue.value).toEqual({ readiness: 'ready', pause: 'running', budget: 'allHeld' })
  })

  test('Queue status/why: QUEUE-7: of several holds the first of not ready, paused, withheld model, emergency, proactive is said', () => {
    const queue = ready().send('queue.budgeted', { state: 'normalHeld' }).add('a')
    const why = () => positions(queue.context, queue.context.at)[0]?.reason
    expect(why()).toBe('token budget: proactive')
    queue.send('queue.budgeted', { state: 'allHeld' })
    expect(why()).toBe('token budget: emergency')
    queue.send('queue.keyed', { key: 'k' }).send('queue.withheld', hold())
    expect(why()).toBe('the account of the key has no credit; one Task tries again at 1970-01-01T00:00:00.009Z')
    queue.configure(0)
    expect(why()).toBe('paused')
    queue.send('queue.closed', { reason: 'TokenInvalid' })
    expect(why()).toBe('project not ready: TokenInvalid')
  })

  test('positions count within a class, in the order of admission (QUEUED-EVENT-4)', () => {
    const queue = ready(1, 10, 0)
      .add('x')
      .add('late', { priority: 100 })
      .add('soon', { priority: 20 })
      .add('alert', { class: 'alert', priority: 0 })
    expect(positions(queue.context, queue.context.at)).toEqual([
      { entry: 'alert', position: 1, reason: 'no free slot' },
      { entry: 'soon', position: 1, reason: 'no free slot' },
      { entry: 'late', position: 2, reason: 'no free slot' },
    ])
  })
})

describe('repeats and strangers', () => {
  test('Queue entries/known: LAW-8: a known entry is enqueued once, waiting, admitted or gone (QUEUED-EVENT-8, QUEUE-8)', () => {
    const queue = ready(1).add('a').add('b').add('a').add('b')
    expect(queue.context.entries.length).toBe(2)
    queue.send('queue.release', { entry: 'a' }).add('a')
    expect(queue.context.entries.map(({ entry }) => entry)).toEqual(['b'])
  })

  test('Queue entries/unknown: withdraw and release of an unknown entry change nothing (QUEUE-8)', () => {
    const queue = ready().add('a').send('queue.withdraw', { entry: 'x' }).send('queue.release', { entry: 'x' })
    expect([queue.admitted, queue.context.finished]).toEqual([['a'], []])
  })

  test('Queue entries/withdraw: withdraw frees a waiting entry and an admitted one', () => {
    const queue = ready(1).add('a').add('b').add('c').send('queue.withdraw', { entry: 'b' })
    expect(queue.context.entries.map(({ entry }) => entry)).toEqual(['a', 'c'])
    expect(queue.send('queue.withdraw', { entry: 'a' }).granted).toEqual(['c'])
  })

  test('a mint that is admitted is not withdrawn: its Task uses the slot, or releases it', () => {
    const seed = {} as TaskSeed
    const queue = ready(1).add('mint/t', { sort: 'mint', seed }).add('b').send('queue.withdraw', { entry: 'mint/t' })
    expect(queue.admitted).toEqual(['mint/t'])
    expect(queue.send('queue.release', { entry: 'mint/t' }).granted).toEqual(['b'])
  })

  test('Queue status/states: what left is Done when it had its slot, else Dropped (QUEUED-EVENT-3)', () => {
    const queue = ready(1)
      .add('a')
      .add('b')
      .send('queue.withdraw', { entry: 'b' })
      .send('queue.release', { entry: 'a' })
    expect(queue.context.finished).toEqual([
      { entry: 'b', state: 'Dropped', reason: 'withdrawn' },
      { entry: 'a', state: 'Done', reason: 'released' },
    ])
  })

  test('a deleted Project drops what waits and leaves what runs (QUEUED-EVENT-8)', () => {
    const queue = ready(1).add('a').add('b').send('queue.closed', { reason: 'Deleted' })
    expect(queue.context.entries.map(({ entry }) => entry)).toEqual(['a'])
    expect(queue.context.finished).toMatchObject([{ entry: 'b', state: 'Dropped' }])
  })

  describe('ADMISSION-8: of a deleted Project', () => {
    const seedOf = (kind: string): object => ({
      origin: { kind, ref: '' },
      issues: [{ issue: 'default/lib-1' }],
      mergeRequests: [{ mergeRequest: 'default/lib-mr-2' }],
    })
    const told = (queue: AQueue): readonly unknown[] => queue.effects.map(({ params }) => [params.to, params.event])
    const released = ['issue:default/lib-1', { type: 'issue.projectDeleted' }]

    test('an issue and a merge request learn that their mint is dropped', () => {
      const queue = ready(0).add('m', { sort: 'mint', seed: seedOf('webhook') })
      expect(told(queue.send('queue.closed', { reason: 'Deleted' }))).toEqual([
        released,
        ['merge-request:default/lib-mr-2', { type: 'mr.released', task: 'default/m', reason: 'project-deleted' }],
      ])
      expect(queue.context.entries).toEqual([])
    })

    test('a Task that is admitted and on its way is closed, and its issue does not take that for a cancellation', () => {
      const queue = ready(1).add('m', { sort: 'mint', seed: seedOf('webhook') })
      expect(told(queue.send('queue.closed', { reason: 'Deleted' }))).toEqual([
        released,
        ['task:default/m', { type: 'task.close', by: 'the platform', reason: 'the Project was deleted' }],
      ])
    })

    test('a pod that would be next is asked for by its Task, and the issues of a Task by hand asked for nothing', () => {
      const queue = ready(0)
        .add('s')
        .add('m', { sort: 'mint', seed: seedOf('human') })
      queue.send('queue.closed', { reason: 'Deleted' })
      expect(queue.effects.map(({ params }) => params.to)).toEqual(['merge-request:default/lib-mr-2'])
    })

    test('one that is only not ready keeps everything and tells nobody', () => {
      const queue = ready(0).add('m', { sort: 'mint', seed: seedOf('webhook') })
      expect(told(queue.send('queue.closed', { reason: 'TokenRefused' }))).toEqual([])
      expect(queue.context.entries.map(({ entry }) => entry)).toEqual(['m'])
    })
  })

  test('it remembers at most 500 entries that left', () => {
    const queue = ready(1)
    for (let n = 0; n < 520; n += 1) queue.add(`e${n}`).send('queue.release', { entry: `e${n}` })
    expect([queue.context.finished.length, queue.context.finished[0]?.entry]).toEqual([500, 'e20'])
  })
})

describe('the key of the model', () => {
  const joined = () => ready().send('queue.keyed', { key: 'k' })
  const withheld = () => joined().send('queue.withheld', hold())
  const told = ({ effects }: AQueue) =>
    effects.map(({ params: { to, event } }) => [to, event.type, event.entry ?? event.task ?? event.project].join(' '))

  test('a queue joins its key, again at each start, and leaves it for another (MODEL-KEY-7)', () => {
    const queue = joined()
    expect(told(queue)).toEqual(['model-key:k key.joined default/demo'])
    expect(told(queue.send('queue.keyed', { key: 'k' }))).toEqual(['model-key:k key.joined default/demo'])
    queue.send('queue.withheld', hold()).add('a')
    expect(told(queue.send('queue.keyed', { key: 'other' }))).toEqual([
      'model-key:k key.left default/demo',
      'model-key:other key.joined default/demo',
      'task:default/a model.served ',
      'task:default/a slot.granted a',
    ])
    expect(queue.context.hold).toBeNull()
  })

  test('words of another key change nothing (MODEL-KEY-7)', () => {
    const queue = withheld().add('a')
    for (const type of ['queue.served', 'queue.probe', 'queue.withheld'])
      expect(told(queue.send(type, { ...hold('other'), cause: 'key_refused' }))).toEqual([])
    expect(queue.context.hold?.cause).toBe('no_credit')
  })

  test('Queue admission/held: while the model is withheld nothing is admitted, of neither class (MODEL-KEY-2)', () => {
    const queue = withheld()
      .add('a')
      .add('alert', { class: 'alert', priority: 0 })
      .send('queue.probe', { key: 'other' })
    expect([queue.admitted, queue.context.hold?.until]).toEqual([[], 9])
    expect(queue.send('queue.served', { key: 'k' }).admitted).toEqual(['a', 'alert'])
  })

  test('Tasks with a slot and Tasks that wait are told once, and a Task that is not minted yet is not (MODEL-KEY-2)', () => {
    const queue = joined()
      .add('a')
      .add('b')
      .add('c')
      .add('m', { sort: 'mint', seed: { kind: 'implement' } })
    expect(told(queue.send('queue.withheld', hold()))).toEqual([
      'task:default/a model.withheld ',
      'task:default/b model.withheld ',
      'task:default/c model.withheld ',
    ])
    expect(told(queue.send('queue.withheld', { ...hold(), until: 99 }))).toEqual([])
    expect(told(queue.add('d'))).toEqual(['task:default/d model.withheld '])
    expect(told(queue.send('queue.release', { entry: 'a' }))).toEqual(['model-key:k key.wanted default/demo'])
  })

  test('one entry tries the model, the most urgent, and hears that before its slot (MODEL-KEY-4)', () => {
    const queue = withheld().add('a').add('b', { priority: 20 })
    expect(told(queue.send('queue.probe', { key: 'k' }))).toEqual([
      'model-key:k key.probing default/b',
      'task:default/b model.served ',
      'task:default/b slot.granted b',
    ])
    expect([queue.admitted, told(queue.add('c'))]).toEqual([['b'], ['task:default/c model.withheld ']])
  })

  test('what is held back by something else does not try, and says so (MODEL-KEY-4)', () => {
    const idle = ['model-key:k key.idle default/demo']
    const probe = (queue: AQueue) => told(queue.send('queue.probe', { key: 'k' }))
    expect(probe(withheld())).toEqual(idle)
    expect(probe(withheld().add('a').send('queue.budgeted', { state: 'allHeld' }))).toEqual(idle)
    expect(probe(withheld().add('a').configure(0))).toEqual(idle)
    expect(probe(joined().add('a'))).toEqual(idle)
    const full = ready(1).send('queue.keyed', { key: 'k' }).add('a').send('queue.withheld', hold()).add('b')
    expect(probe(full)).toEqual(idle)
    expect(told(full.send('queue.release', { entry: 'a' }))).toEqual(['model-key:k key.wanted default/demo'])
  })

  test('the key hears of the first that waits for it, and of the end of the one that tried (MODEL-KEY-4, MODEL-KEY-5)', () => {
    const queue = withheld()
    expect(told(queue.add('a'))).toEqual(['task:default/a model.withheld ', 'model-key:k key.wanted default/demo'])
    queue.send('queue.probe', { key: 'k' }).add('b')
    expect(told(queue.send('queue.release', { entry: 'a' }))).toEqual([
      'model-key:k key.probeEnded default/a',
      'model-key:k key.wanted default/demo',
    ])
    expect(queue.context.probe).toBe('')
  })

  test('a restart during the try leaves its Task the try; only a new word of the key ends it (MODEL-KEY-4)', () => {
    const queue = withheld().add('a').send('queue.probe', { key: 'k' })
    const { hold } = queue.context
    const told = queue.send('queue.keyed', { key: 'k' }).send('queue.withheld', { key: 'k', ...hold, again: true })
    expect([told.context.probe, told.context.entries[0]?.admittedAt]).toEqual(['a', expect.any(Number)])
    expect(queue.send('queue.withheld', { key: 'k', ...hold }).context.probe).toBe('')
  })

  test('an ask that comes late finds the try that runs, and begins no other (MODEL-KEY-4)', () => {
    const queue = withheld().add('a').add('b').send('queue.probe', { key: 'k' }).send('queue.probe', { key: 'k' })
    expect(told(queue)).toEqual(['model-key:k key.probing default/a'])
    expect(queue.context.probe).toBe('a')
  })

  test('another key during the try: the old one hears that its try is over (MODEL-KEY-7)', () => {
    const queue = withheld().add('a').send('queue.probe', { key: 'k' })
    expect(told(queue.send('queue.keyed', { key: 'other' }))).toContain('model-key:k key.probeEnded default/a')
    expect(queue.context).toMatchObject({ key: 'other', hold: null, probe: '' })
  })

  test('a try that the provider refuses holds its Task back with the others (MODEL-KEY-5)', () => {
    const queue = withheld().add('a').send('queue.probe', { key: 'k' })
    expect(told(queue.send('queue.withheld', hold()))).toEqual(['task:default/a model.withheld '])
  })

  test('the queue of a deleted Project leaves its key (MODEL-KEY-7)', () => {
    const queue = withheld().send('queue.closed', { reason: 'Deleted' })
    expect(told(queue)).toEqual(['model-key:k key.left default/demo'])
    expect(queue.context).toMatchObject({ key: '', hold: null, probe: '' })
  })
})

test('every state says who can move it, why it rests, and what unblocks it', () => {
  const nodes = (node: AnyStateNode): readonly AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodes)]
  for (const { meta } of nodes(queueMachine.root as AnyStateNode)) {
    const said = meta as { owner: string; reason: string; unblocks: string }
    expect([said.owner, said.reason, said.unblocks].every((text) => text.length > 0)).toBe(true)
  }
})
