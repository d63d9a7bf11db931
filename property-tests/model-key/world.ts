/**
 * One key, the queues of a few Projects and Tasks that do nothing but ask for slots and turns, over mail in any order: the real tables
 * of key and queue, and the least that a Task does of its own (MODEL-KEY, docs/rules.md). Test code only.
 */
import { drive, type Drive, type DrivenEffect } from '../../machines/drive.ts'
import { modelKeyMachine } from '../../machines/model-key/machine.ts'
import type { ModelKeyContext } from '../../machines/model-key/context.ts'
import { queueMachine } from '../../machines/queue/machine.ts'
import type { QueueContext } from '../../machines/queue/context.ts'

interface Mail {
  readonly from: string
  readonly to: string
  readonly event: { readonly type: string; readonly [field: string]: unknown }
}

interface StandTask {
  readonly project: string
  entries: number
  /** Its slot: none, asked for, there, or given back once its turn has ended. */
  state: 'waits' | 'runs' | 'done'
  withheld: boolean
}

export class KeyWorld {
  readonly key: Drive = drive(modelKeyMachine, 'k')
  readonly queues = new Map<string, Drive>()
  readonly tasks = new Map<string, StandTask>()
  readonly breaches: string[] = []
  provider: 'answers' | 'refuses' = 'answers'
  #mail: Mail[] = []
  readonly #choose: (of: number) => number

  /** `choose`: which of so many lines of mail is read next. */
  constructor(projects: readonly string[], choose: (of: number) => number) {
    this.#choose = choose
    for (const project of projects) {
      const queue = drive(queueMachine, project)
      this.queues.set(project, queue)
      this.#to(`queue:${project}`, { type: 'queue.configured', maxConcurrentAgents: 2, capacity: 2, alertCapacity: 1 })
      this.#to(`queue:${project}`, { type: 'queue.opened' })
      this.#to(`queue:${project}`, { type: 'queue.keyed', key: 'k' })
    }
    this.settle()
  }

  get hold(): ModelKeyContext['hold'] {
    return (this.key.context as ModelKeyContext).hold
  }

  #queue(project: string): QueueContext {
    return this.queues.get(project)!.context as QueueContext
  }

  begin(project: string, more: object = {}): void {
    const name = `t${this.tasks.size}`
    this.tasks.set(name, { project, entries: 0, state: 'waits', withheld: false })
    this.#enqueue(name, more)
  }

  #enqueue(name: string, more: object = {}): void {
    const task = this.tasks.get(name)!
    task.state = 'waits'
    task.withheld = false
    task.entries += 1
    const entry = `${name}/${task.entries}`
    const asked = { entry, sort: 'spawn', task: name, class: 'normal', priority: 60, kind: 'implement', ...more }
    this.#post(`task:${name}`, `queue:${task.project}`, { type: 'queue.enqueue', ...asked })
  }

  pause(project: string, isPaused: boolean): void {
    const agents = isPaused ? 0 : 2
    this.#to(`queue:${project}`, {
      type: 'queue.configured',
      maxConcurrentAgents: agents,
      capacity: 2,
      alertCapacity: 1,
    })
  }

  close(project: string): void {
    this.#to(`queue:${project}`, { type: 'queue.closed', reason: 'Deleted' })
  }

  cancel(name: string): void {
    const task = this.tasks.get(name)
    if (task && task.state !== 'done') this.#leave(name, 'done')
  }

  /** What each start of the orchestrator, and each apply, tells a queue. */
  join(project: string, key = 'k'): void {
    this.#to(`queue:${project}`, { type: 'queue.keyed', key })
  }

  /** The pods of the Project had another key for a while. */
  changeKeyAndBack(project: string): void {
    this.join(project, 'another')
    this.join(project)
  }

  /** A Task with a slot has its turn, where it may have one. */
  turn(name: string): void {
    const task = this.tasks.get(name)
    if (task?.state !== 'runs' || task.withheld) return
    this.#judge(name, task)
    if (this.provider === 'answers') {
      if (this.hold !== null) this.#to('model-key:k', { type: 'key.served', task: name })
      return this.#leave(name, 'done')
    }
    this.#to('model-key:k', { type: 'key.withheld', task: name, cause: 'no_credit', message: '' })
    this.#leave(name, 'waits')
  }

  /** No turn but the one that tries, once the queue knows and the Task was told. */
  #judge(name: string, { project, entries }: StandTask): void {
    const { hold, probe } = this.#queue(project)
    if (this.#mail.some(({ to }) => to === `task:${name}`)) return
    if (hold !== null && probe !== `${name}/${entries}`) this.breaches.push(`${name} has a turn in spite of the hold`)
  }

  #leave(name: string, to: 'waits' | 'done'): void {
    const task = this.tasks.get(name)!
    const type = task.state === 'runs' ? 'queue.release' : 'queue.withdraw'
    this.#post(`task:${name}`, `queue:${task.project}`, { type, entry: `${name}/${task.entries}` })
    task.state = to
    if (to === 'waits') this.#enqueue(name)
  }

  /** The pause goes by, where one is. */
  due(): void {
    if (this.key.value === 'withheld') this.#send('model-key:k', this.key.fire('pause'))
  }

  settle(): void {
    for (let n = 0; this.#mail.length > 0; n += 1) {
      if (n > 5_000) throw new Error('mail goes round for ever')
      this.read()
    }
    const trying = [...this.queues.values()].filter(({ context }) => (context as QueueContext).probe !== '')
    if (trying.length > 1) this.breaches.push(`${trying.length} queues try the key at once`)
  }

  /** One line, the oldest of its pair. */
  read(): void {
    const firsts = this.#mail.filter(
      (one, n) => this.#mail.findIndex(({ from, to }) => from === one.from && to === one.to) === n,
    )
    const next = firsts[this.#choose(firsts.length)]
    if (next === undefined) return
    this.#mail = this.#mail.filter((one) => one !== next)
    this.#hear(next)
  }

  #hear({ to, event }: Mail): void {
    const [kind, id] = [to.slice(0, to.indexOf(':')), to.slice(to.indexOf(':') + 1)]
    if (kind === 'model-key') return id === 'k' ? this.#send(to, this.key.send(event)) : undefined
    if (kind === 'queue') return this.#send(to, this.queues.get(id)!.send(event))
    const task = this.tasks.get(id)
    if (task === undefined || task.state === 'done') return
    if (event.type === 'model.served') task.withheld = false
    if (event.type === 'slot.granted' && event['entry'] === `${id}/${task.entries}`) task.state = 'runs'
    if (event.type === 'model.withheld') {
      task.withheld = true
      if (task.state === 'runs') this.#leave(id, 'waits')
    }
  }

  #send(from: string, effects: readonly DrivenEffect[]): void {
    for (const { params } of effects) this.#post(from, params.to, params.event)
  }

  #to(to: string, event: Mail['event']): void {
    this.#post('outside', to, event)
  }

  #post(from: string, to: string, event: Mail['event']): void {
    this.#mail.push({ from, to, event })
  }
}
