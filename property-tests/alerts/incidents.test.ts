/** Firings of alerts in any order, with what the edge found before or after things ended, against the queues that get them (ALERTS-6). */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firingOf, type KnownIncident } from '../../edges/alerts/incident.ts'
import type { ProjectSettings } from '../../edges/forge/projects.ts'
import { drive, type Drive } from '../../machines/drive.ts'
import type { QueueContext } from '../../machines/queue/context.ts'
import { queueMachine } from '../../machines/queue/machine.ts'
import type { Delivery } from '../../runtime/runtime.ts'

const projects = ['alpha', 'beta'] as const
const fingerprints = ['f', 'g'] as const
const id = (project: string): string => `default/${project}`

/** `again`: the newest firing once more. `stale`: with what was found before the act in front of this one. */
const fires = fc.record({
  does: fc.constant('fires' as const),
  project: fc.constantFrom(...projects),
  fingerprint: fc.constantFrom(...fingerprints),
  how: fc.constantFrom('flaps' as const, 'earlier' as const, 'again' as const, 'other group' as const),
  stale: fc.boolean(),
})
const moves = fc.record({
  does: fc.constantFrom('slot' as const, 'ends' as const, 'files' as const, 'closes' as const),
  project: fc.constantFrom(...projects),
  fingerprint: fc.constantFrom(...fingerprints),
})
const act = fc.oneof({ weight: 3, arbitrary: fires }, { weight: 2, arbitrary: moves })
type Given<A> = A extends fc.Arbitrary<infer T> ? T : never
type Fires = Given<typeof fires>
type Moves = Given<typeof moves>

interface Life {
  readonly alert: string
  firings: number
  notes: number
  isMinted: boolean
  state: KnownIncident['state']
  issue?: { readonly repository: string; readonly number: number }
}

/** A fault of edge or queue: what it makes of a delivery. */
type Plant = (delivery: Delivery, incident: QueueContext['incidents']) => Delivery

class World {
  readonly breaches: string[] = []
  readonly #plant: Plant
  readonly #queues = new Map<string, Drive>(projects.map((name) => [id(name), drive(queueMachine, id(name))]))
  readonly #keys = new Set<string>()
  readonly #lives = new Map<string, Life>()
  readonly #sent = new Map<string, string[]>()
  #before = new Map<string, KnownIncident>()
  #issues = 0
  #clock = Date.UTC(2026, 10, 27)

  constructor(plant: Plant) {
    this.#plant = plant
    for (const queue of this.#queues.values()) {
      queue.send({ type: 'queue.configured', maxConcurrentAgents: 9, capacity: 9, alertCapacity: 0 })
      queue.send({ type: 'queue.opened' })
    }
  }

  do(one: Fires | Moves): void {
    const found = this.#found()
    if (one.does === 'fires') this.#fires(one, one.stale ? this.#before : found)
    else this.#moves(one)
    this.#before = found
  }

  #queue(project: string): Drive {
    return this.#queues.get(project)!
  }

  /** What the edge reads: queue, Task and issue. */
  #found(): Map<string, KnownIncident> {
    const all = [...this.#queues].flatMap(([project, { context }]) =>
      ((context as QueueContext).incidents ?? []).map(({ fingerprint, task, issue }) => {
        const known = { task, state: this.#lives.get(task)!.state, ...(issue && { issue }) }
        return [`${project} ${fingerprint}`, known] as const
      }),
    )
    return new Map(all)
  }

  #startOf({ how }: Fires, alert: string): string {
    const sent = this.#sent.get(alert) ?? []
    const last = sent.at(-1)
    this.#clock += 300_000
    if (last === undefined || how === 'flaps') return new Date(this.#clock).toISOString()
    return how === 'earlier' ? new Date(Date.parse(last) - 2_903).toISOString() : last
  }

  #fires(one: Fires, found: ReadonlyMap<string, KnownIncident>): void {
    const project = { name: one.project, namespace: 'default', repositories: [], taskConfig: {} }
    const alert = `${id(one.project)} ${one.fingerprint}`
    const startsAt = this.#startOf(one, alert)
    const fired = { status: 'firing', labels: { alertname: 'A' }, startsAt, fingerprint: one.fingerprint }
    const about = { at: this.#clock, known: found.get(alert) }
    const group = one.how === 'other group' ? 'b' : 'a'
    const whole = firingOf(project as unknown as ProjectSettings, group, fired, about)
    const { context } = this.#queue(whole.to.slice('queue:'.length))
    const { to, key, event } = this.#plant(whole, (context as QueueContext).incidents)
    const queue = this.#queue(to.slice('queue:'.length))
    if (this.#keys.has(`${to} ${key}`)) return
    this.#keys.add(`${to} ${key}`)
    const isNew = !(this.#sent.get(alert) ?? []).includes(startsAt)
    this.#sent.set(alert, [...(this.#sent.get(alert) ?? []), startsAt])
    if (!isNew) this.breaches.push(`${alert} of ${startsAt} counts twice`)
    this.#heard(queue, alert, event)
  }

  #heard(queue: Drive, alert: string, event: Delivery['event']): void {
    const before = (queue.context as QueueContext).entries.length
    const effects = queue.send(event)
    if ((queue.context as QueueContext).entries.length > before) {
      const open = [...this.#lives.values()].filter((life) => life.alert === alert && life.state !== 'over')
      if (open.length > 0) this.breaches.push(`${alert} has another Task while one is open`)
      this.#lives.set(String(event['task']), { alert, firings: 0, notes: 0, isMinted: false, state: 'open' })
    }
    const answer = effects.find(({ type }) => type === 'answer')?.params.body
    const life = this.#lives.get(answer?.task)
    if (life?.alert !== alert) return void this.breaches.push(`${alert} went to ${answer?.task}`)
    if (life.state === 'over' && !this.#wasOpen(answer.task))
      this.breaches.push(`${alert} joined an incident that is over`)
    life.firings += 1
    if (answer.firings !== life.firings) this.breaches.push(`${alert}: ${answer.firings}, not ${life.firings}`)
    this.#notes(effects, queue)
  }

  /** Found before it was over: the firing came first. */
  #wasOpen(task: string): boolean {
    return [...this.#before.values()].some((known) => known.task === task && known.state !== 'over')
  }

  #notes(effects: ReturnType<Drive['send']>, queue: Drive): void {
    for (const { type, params } of effects) {
      const about =
        type === 'postComment'
          ? (queue.context as QueueContext).incidents?.find(({ issue }) => issue?.number === params.number)?.task
          : params.event?.type === 'alert.joined'
            ? params.to.slice('task:'.length)
            : undefined
      const life = this.#lives.get(about ?? '')
      if (life) life.notes += 1
      if (life && type === 'deliver' && !life.isMinted) this.breaches.push(`${about} is noted before it is minted`)
      if (params.event?.type === 'task.minted') this.#lives.get(params.to.slice('task:'.length))!.isMinted = true
    }
  }

  #moves({ does, project, fingerprint }: Moves): void {
    const queue = this.#queue(id(project))
    const known = (queue.context as QueueContext).incidents?.find((one) => one.fingerprint === fingerprint)
    const life = known && this.#lives.get(known.task)
    if (life === undefined || known === undefined) return
    if (does === 'slot') {
      for (const alertCapacity of [9, 0])
        this.#notes(queue.send({ type: 'queue.configured', maxConcurrentAgents: 9, capacity: 9, alertCapacity }), queue)
    } else if (does === 'ends' && life.isMinted && life.state === 'open') {
      // A false alarm leaves no issue; what is filed follows the end.
      life.state = this.#clock % 600_000 === 0 ? 'over' : 'ended'
      queue.send({ type: 'queue.release', entry: `mint/${known.task}` })
    } else if (does === 'files' && life.state === 'ended' && life.issue === undefined) {
      this.#issues += 1
      life.issue = { repository: 'lib', number: this.#issues }
      this.#notes(queue.send({ type: 'queue.filed', task: known.task, ...life.issue }), queue)
    } else if (does === 'closes' && life.issue !== undefined) life.state = 'over'
  }

  end(): readonly string[] {
    for (const [task, { firings, notes }] of this.#lives)
      if (notes > 1 || (notes === 1 && firings === 1))
        this.breaches.push(`${task}: ${notes} notes of ${firings} firings`)
    const counted = [...this.#lives.values()].reduce((sum, { firings }) => sum + firings, 0)
    const sent = [...this.#sent.values()].flat().length
    if (counted !== sent) this.breaches.push(`${counted} firings were counted, ${sent} were sent`)
    return this.breaches
  }
}

function breachesOf(plant: Plant = (delivery) => delivery): readonly string[] {
  let found: readonly string[] = []
  const law = fc.property(fc.array(act, { maxLength: 60, size: 'max' }), (acts) => {
    const world = new World(plant)
    for (const one of acts) world.do(one)
    if (world.end().length > 0) found = world.breaches
    return world.breaches.length === 0
  })
  const { failed } = fc.check(law, { numRuns: 200, seed: 56, endOnFailure: true })
  return failed ? found : []
}

test('in any order of firings, ends and closed issues an alert has one open incident, each firing counts once, and one note stands (ALERTS-6)', () => {
  expect(breachesOf()).toEqual([])
})

const rewritten = (delivery: Delivery, fields: object): Delivery => ({
  ...delivery,
  event: { ...delivery.event, alert: { ...(delivery.event['alert'] as object), ...fields } },
})

const mutants: readonly (readonly [string, Plant, RegExp])[] = [
  [
    'a word about an older incident ends the newer one',
    (delivery, incidents) => {
      const { fingerprint, over } = delivery.event['alert'] as { fingerprint: string; over?: object }
      const { task, issue } = incidents?.find((one) => one.fingerprint === fingerprint) ?? {}
      return over === undefined ? delivery : rewritten(delivery, { over: { task, issue } })
    },
    /another Task while one is open/,
  ],
  [
    'an incident ends with its Task, whatever it filed',
    (delivery, incidents) => {
      const { fingerprint, ended } = delivery.event['alert'] as { fingerprint: string; ended?: true }
      const { task, issue } = incidents?.find((one) => one.fingerprint === fingerprint) ?? {}
      return ended ? rewritten(delivery, { over: { task, issue } }) : delivery
    },
    /another Task while one is open/,
  ],
  ['an incident that is over is joined for ever', (delivery) => rewritten(delivery, { over: undefined }), /is over/],
  [
    'the group names a firing',
    (delivery) => ({ ...delivery, key: `${delivery.key}/${String(delivery.event['at'])}` }),
    /counts twice/,
  ],
  [
    'the fingerprint alone names an incident, whoever owns it',
    (delivery) => ({ ...delivery, to: 'queue:default/alpha' }),
    /went to|counts twice|firings were counted/,
  ],
]

test.each(mutants)('a mutant breaks it: %s', (_name, plant, breach) => {
  expect(breachesOf(plant).join('\n')).toMatch(breach)
})
