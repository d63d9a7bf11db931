/** Pods as they really are: processes with a wrapper that takes turns, whatever their actors believe. */
import type { ActorAddress } from '../../../machines/definition.ts'
import type { EffectParams } from '../../../machines/effect.ts'
import type { Actors } from './actors.ts'
import { idOf, type Outstanding } from './trace.ts'

interface Turn {
  readonly key: string
  readonly turnId: string
  readonly purpose: string
  readonly end?: TurnEnd
}

export interface TurnEnd {
  readonly stopReason: string
  readonly pushed: readonly string[]
  readonly failed: readonly { readonly repo: string; readonly error: string }[]
  /** What it used. */
  readonly tokens?: number
}

export interface ReadHead {
  readonly repo: string
  readonly number: number
  readonly sha: string
}

export interface Process {
  readonly pod: ActorAddress
  readonly task: string
  readonly ordinal: number
  readonly kind: string
  readonly repositories: EffectParams<'createPod'>['repositories']
  /** False: nothing of it runs any more. A zombie runs on though its platform believes it vanished. */
  isAlive: boolean
  isReady: boolean
  turns: readonly Turn[]
  /** Work that the next end of a turn pushes. */
  hasCommits: boolean
  hasPushed: boolean
  isClean: boolean
  hasDecided: boolean
  /** Heads as they were when the review began. */
  readonly read: readonly ReadHead[]
  /** What it sent last: an agent whose answer was lost sends it again. */
  sent: readonly { readonly type: string; readonly [field: string]: unknown }[]
}

export class Processes {
  readonly #actors: Actors
  readonly all: Process[] = []
  #posts = 0

  constructor(actors: Actors) {
    this.#actors = actors
  }

  /** The same moment again; processes are copied, for they change in place. */
  fork(actors: Actors): Processes {
    const other = new Processes(actors)
    other.all.push(...this.all.map((process) => ({ ...process })))
    other.#posts = this.#posts
    return other
  }

  get alive(): readonly Process[] {
    return this.all.filter(({ isAlive }) => isAlive)
  }

  find(task: string, ordinal: number): Process | undefined {
    return this.all.find((process) => process.task === task && process.ordinal === ordinal && process.isAlive)
  }

  create({
    task,
    ordinal,
    kind,
    repositories,
    read,
  }: Pick<Process, 'task' | 'ordinal' | 'kind' | 'repositories' | 'read'>): Process {
    const known = this.find(task, ordinal)
    if (known) return known
    const fresh = {
      isAlive: true,
      isReady: false,
      turns: [],
      hasCommits: false,
      hasPushed: false,
      isClean: true,
      hasDecided: false,
      sent: [],
    }
    const process: Process = { pod: `pod:${task}/${ordinal}`, task, ordinal, kind, repositories, read, ...fresh }
    this.all.push(process)
    return process
  }

  /** The platform sees it ready, or gone; nothing it says is repeated under another key. */
  watch(process: Process, type: 'pod.ready' | 'pod.vanished'): void {
    const at = this.#actors.now
    const event = type === 'pod.ready' ? { type, at, url: process.pod } : { type, at, reason: 'vanished' }
    process.isReady ||= type === 'pod.ready'
    this.#actors.post('watch', { to: process.pod, key: type, event })
  }

  vanish(process: Process, isZombie = false): void {
    process.isAlive = isZombie
    this.watch(process, 'pod.vanished')
  }

  running(process: Process): Turn | undefined {
    return process.turns.find(({ end }) => end === undefined)
  }

  /** POST /v1/messages: a key's turn is found again, and one turn runs at a time. */
  submit(
    process: Process,
    effect: Outstanding,
  ):
    | { readonly said: 'accepted' | 'found'; readonly turnId: string }
    | { readonly said: 'conflict'; readonly live: string } {
    const key = idOf(effect.actor)
    const mine = process.turns.find((turn) => turn.key === key)
    if (mine) return { said: 'found', turnId: mine.turnId }
    const live = this.running(process)
    if (live) return { said: 'conflict', live: live.turnId }
    const turnId = `turn-of-${key}`
    const purpose = String(effect.params['purpose'])
    process.turns = [...process.turns, { key, turnId, purpose }]
    // A review whose verdict was refused reads again what its next turn is told of.
    if (process.kind === 'review' && purpose === 'work') process.hasDecided = false
    return { said: 'accepted', turnId }
  }

  /** The turn is over at the wrapper; the callback is a hint and may come before the 202. */
  end(process: Process, end: TurnEnd): void {
    const running = this.running(process)
    if (!running) return
    process.turns = process.turns.map((turn) => (turn === running ? { ...turn, end } : turn))
    this.#actors.post(`callback:${process.pod}`, {
      to: `turn:${running.key}`,
      key: `callback/${running.turnId}`,
      event: { type: 'turn.callback', at: this.#actors.now, turnId: running.turnId },
    })
  }

  /** An agent's call: in its own order, and never under a key that was used. */
  call(process: Process, event: { readonly type: string; readonly [field: string]: unknown }): void {
    process.sent = [...process.sent, event]
    this.#posts += 1
    this.#actors.post(`agent:${process.pod}`, {
      to: `task:${process.task}`,
      key: `call/${this.#posts}`,
      event: { ...event, at: this.#actors.now },
    })
  }
}
