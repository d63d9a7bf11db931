/** The senders: each repeats what was not acknowledged, under its key, at whatever process lives, until it is. */
import { RetryableError, TerminalError } from '../../../runtime/errors.ts'
import type { Receipt, Runtime } from '../../../runtime/runtime.ts'
import { dice } from './dice.ts'
import type { Dice } from './dice.ts'
import type { Evidence } from './evidence.ts'
import type { ClientPlan, OperatorStep, Plan, Question, Send } from './plan.ts'
import type { Process, Processes } from './processes.ts'
import { startAt } from './world.ts'
import type { World } from './world.ts'

export interface ClientsOptions {
  readonly world: World
  readonly plan: Plan
  readonly evidence: Evidence
  readonly processes: Processes
}

/** How long a sender waits for an answer before it asks another process. */
const patienceMs = 5000
const againMs = 150
/** What `overloaded` asks for is far longer than a queue of these sizes needs. */
const longestWaitMs = 500

/** Resolves when all that was planned has been acknowledged or refused for good. */
export async function runClients(options: ClientsOptions): Promise<void> {
  await Promise.all(options.plan.clients.map((plan) => new Client(options, plan).run()))
}

/** Sends these now and waits for all. */
export async function sendAll(options: ClientsOptions, name: string, sends: readonly Send[]): Promise<void> {
  await new Client(options, { name, steps: [{ kind: 'send', afterMs: 0, sends }] }).run()
}

class Client {
  readonly #options: ClientsOptions
  readonly #plan: ClientPlan
  readonly #dice: Dice
  /** Repeats under way: no step waits for them, but the schedule does not end before they are answered. */
  readonly #late: Promise<void>[] = []

  constructor(options: ClientsOptions, plan: ClientPlan) {
    this.#options = options
    this.#plan = plan
    this.#dice = dice(options.plan.seed, `choices of ${plan.name}`)
  }

  async run(): Promise<void> {
    for (const step of this.#plan.steps) {
      await this.#wait(step.afterMs)
      if (step.kind === 'operator') await this.#look(step)
      else await this.#burst(step.sends)
    }
    await Promise.all(this.#late)
  }

  /** To one process where that is possible, so that it has the order in which they were sent. */
  async #burst(sends: readonly Send[]): Promise<void> {
    const first = await this.#process()
    const replies = sends.map((send) => this.#insist(send, false, first))
    this.#late.push(...sends.flatMap((send) => send.again.map((afterMs) => this.#repeat(send, afterMs))))
    await Promise.all(replies)
  }

  async #repeat(send: Send, afterMs: number): Promise<void> {
    if (afterMs > 0) await this.#wait(afterMs)
    await this.#insist(send, true)
  }

  async #insist(send: Send, isDuplicate: boolean, first?: Process): Promise<void> {
    for (let process = first; ; process = undefined) {
      const to = process ?? (await this.#process())
      const waitMs = await this.#attempt(send, isDuplicate, to)
      if (waitMs === undefined) return
      await this.#wait(waitMs)
    }
  }

  /** How long to wait before the next attempt; undefined when none is needed. */
  #attempt(send: Send, isDuplicate: boolean, process: Process): Promise<number | undefined> {
    const { line } = process
    const { evidence, world } = this.#options
    const { key, to } = send
    evidence.sends(send, line.name)
    return new Promise((resolve) => {
      const replied = this.#deliver(process, send).then(
        (receipt) => {
          if (line.isCut) return
          evidence.replied({ key, to, receipt, isDuplicate })
          resolve(receipt.answer?.body['code'] === 'actor-quarantined' ? againMs : undefined)
        },
        (error: unknown) => {
          if (line.isCut) return
          if (error instanceof TerminalError) evidence.replied({ key, to, refused: error.reason, isDuplicate })
          resolve(error instanceof TerminalError ? undefined : retryAfter(error))
        },
      )
      void replied
      void line.died.then(() => resolve(againMs))
      world.after(patienceMs, () => resolve(0))
    })
  }

  #deliver({ line, runtime }: Process, { to, key, type, fields }: Send): Promise<Receipt> {
    const event = { type, at: startAt + Math.floor(this.#options.world.elapsed()), ...fields }
    return new Promise((resolve, reject) =>
      line.hear(() => void runtime.deliver({ to, key, event }).then(resolve, reject)),
    )
  }

  async #process(): Promise<Process> {
    for (;;) {
      const open = this.#options.processes.open()
      if (open.length > 0) return this.#dice.pick(open)
      await this.#wait(againMs)
    }
  }

  async #look({ asks }: OperatorStep): Promise<void> {
    const { line, runtime } = await this.#process()
    const { world, evidence } = this.#options
    for (const question of asks) {
      world.tell(`${this.#plan.name} asks ${line.name}: ${question}`)
      const looked = looks[question](runtime, evidence).catch(() => undefined)
      await Promise.race([looked, line.died, this.#wait(patienceMs)])
    }
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#options.world.after(delayMs, resolve))
  }
}

function retryAfter(error: unknown): number {
  const askedMs = error instanceof RetryableError ? error.retryAfterMs : undefined
  return Math.min(askedMs ?? againMs, longestWaitMs)
}

const looks: Readonly<Record<Question, (runtime: Runtime, evidence: Evidence) => Promise<unknown>>> = {
  list: (runtime) => runtime.list('task'),
  read: (runtime) => runtime.read('pod:a'),
  replay: (runtime) => runtime.replay('task:a'),
  effects: (runtime) => runtime.pendingEffects(),
  timers: (runtime) => runtime.pendingTimers(),
  letters: (runtime) => runtime.deadLetters(),
  async redeliver(runtime, evidence) {
    for (const { id } of await runtime.deadLetters()) await runtime.redeliver(id)
    for (const { key } of await runtime.pendingEffects({ state: 'dead' })) {
      evidence.revived.add(key)
      await runtime.redeliver(key)
    }
  },
}
