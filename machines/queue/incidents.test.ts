import { expect, test } from 'vitest'
import { drive, type Drive } from '../drive.ts'
import type { QueueContext } from './context.ts'
import type { FiredAlert } from './events.ts'
import { queueMachine } from './machine.ts'

const issue = { repository: 'lib', number: 4 }
const comment = { project: 'default/demo', ...issue, on: 'issue', body: expect.stringContaining('fired again') }

class Alerts {
  readonly #drive: Drive = drive(queueMachine, 'default/demo')
  #firing = 0

  constructor(alertCapacity = 1) {
    this.#drive.send({ type: 'queue.configured', maxConcurrentAgents: 2, capacity: 2, alertCapacity })
    this.#drive.send({ type: 'queue.opened' })
  }

  send(type: string, fields: object = {}): readonly unknown[] {
    return this.#drive.send({ type, ...fields }).map(({ type: name, params }) => ({ name, ...params }))
  }

  /** Each one under a name of its own, as the edge names it. */
  fire(found: Partial<FiredAlert> = {}): readonly unknown[] {
    this.#firing += 1
    const task = `default/t${this.#firing}`
    const seed = { kind: 'incident', goal: 'g', issues: [], mergeRequests: [], origin: { kind: 'alert', ref: '' } }
    const entry = { entry: `mint/${task}`, sort: 'mint', task, class: 'alert', priority: 0, kind: 'incident', seed }
    return this.send('queue.enqueue', { ...entry, alert: { fingerprint: 'f', ...found } })
  }

  filed(task = 'default/t1'): readonly unknown[] {
    return this.send('queue.filed', { task, ...issue })
  }

  get context(): QueueContext {
    return this.#drive.context as QueueContext
  }
}

const answer = (task: string, firings: number) => ({ name: 'answer', status: 202, body: { task, firings } })
const joined = { name: 'deliver', to: 'task:default/t1', event: { type: 'alert.joined' } }
const mint = (task: string) => ({
  name: 'deliver',
  to: `task:${task}`,
  event: expect.objectContaining({ type: 'task.minted', entry: `mint/${task}` }),
})

test('Queue incidents/joined: a firing of an open incident asks for no Task; the first is noted at the Task, the others only count (ALERTS-6)', () => {
  const alerts = new Alerts()
  expect(alerts.fire()).toEqual([answer('default/t1', 1), mint('default/t1')])
  expect(alerts.fire()).toEqual([answer('default/t1', 2), joined])
  expect(alerts.fire()).toEqual([answer('default/t1', 3)])
  expect(alerts.context.entries).toHaveLength(1)
})

test('of a Task that waits for its slot the note comes right behind the mint (ALERTS-6)', () => {
  const alerts = new Alerts(0)
  alerts.fire()
  expect(alerts.fire()).toEqual([answer('default/t1', 2)])
  expect(alerts.fire()).toEqual([answer('default/t1', 3)])
  const configured = { maxConcurrentAgents: 2, capacity: 2, alertCapacity: 1 }
  expect(alerts.send('queue.configured', configured)).toEqual([mint('default/t1'), joined])
})

test('Queue incidents/filed: while the issue is open the first firing that joins is noted there (ALERTS-6)', () => {
  const alerts = new Alerts()
  alerts.fire()
  expect(alerts.filed()).toEqual([])
  expect(alerts.fire({ ended: true })).toEqual([answer('default/t1', 2), { name: 'postComment', ...comment }])
  expect(alerts.fire({ ended: true })).toEqual([answer('default/t1', 3)])
})

test('a firing between the end of the Task and its issue is noted with the issue (ALERTS-6)', () => {
  const alerts = new Alerts()
  alerts.fire()
  expect(alerts.fire({ ended: true })).toEqual([answer('default/t1', 2)])
  expect(alerts.filed()).toEqual([{ name: 'postComment', ...comment }])
  expect(alerts.filed('default/other')).toEqual([])
})

test('after the incident is over a firing begins another one, and a word about one of before ends nothing (ALERTS-6)', () => {
  const alerts = new Alerts(2)
  alerts.fire()
  const over = { task: 'default/t1' }
  expect(alerts.fire({ over })).toEqual([answer('default/t2', 1), mint('default/t2')])
  expect(alerts.fire({ over })).toMatchObject([answer('default/t2', 2), { to: 'task:default/t2' }])
  alerts.filed('default/t2')
  expect(alerts.fire({ over: { task: 'default/t2' } })).toEqual([answer('default/t2', 3)])
  expect(alerts.fire({ over: { task: 'default/t2', issue } })[0]).toEqual(answer('default/t5', 1))
})

test('another alert is another incident, and none is known any more once the Project is deleted (ALERTS-6)', () => {
  const alerts = new Alerts(5)
  alerts.fire()
  expect(alerts.fire({ fingerprint: 'g' })[0]).toEqual(answer('default/t2', 1))
  alerts.send('queue.closed', { reason: 'Deleted' })
  expect(alerts.context.incidents).toEqual([])
})

test('it knows the 1000 incidents that fired last', () => {
  const alerts = new Alerts(0)
  for (let n = 0; n < 1001; n += 1) alerts.fire({ fingerprint: `f${n}` })
  const known = (alerts.context.incidents ?? []).map(({ fingerprint }) => fingerprint)
  expect([known.length, known[0], known.at(-1)]).toEqual([1000, 'f1', 'f1000'])
})
