/** Pods as their wrappers are: each takes one turn at a time, whatever its actor believes, and dies when told or by itself. */
import type { PodClaims } from '../../edges/agents/pod-tokens.ts'
import type { PodObservation, PodSpec } from '../../edges/ports/pods.ts'
import { contractVersion } from '../../machines/turn/contract-version.ts'
import type { TurnResult, Usage } from '../../machines/turn/schema.ts'
import { dice } from '../runtime/simulation/dice.ts'
import type { Lifeline } from '../runtime/simulation/lifeline.ts'
import type { World } from '../runtime/simulation/world.ts'
import type { Faults } from './faults.ts'
import type { Answered } from './forge.ts'
import type { Plan } from './plan.ts'
import { tokenOf } from './pod-tokens.ts'

/**
 * `writes`: more notes than a Task's row holds. `hangs`: works on a turn for ever. `lies`: speaks as another kind. `repeats`: submits everything twice, once changed.
 * `silent`: ends its turn without a word.
 */
export type Mood = 'honest' | 'writes' | 'hangs' | 'lies' | 'repeats' | 'silent'

export interface Turn {
  readonly result: TurnResult
  readonly text: string
  readonly key: string
  readonly handoff: boolean
}

export interface Pod {
  readonly spec: PodSpec
  readonly url: string
  readonly token: string
  readonly mood: Mood
  readonly startedAt: number
  readonly turns: Turn[]
  state: 'starting' | 'ready' | 'gone'
  reason: string
  /** The platform sees it gone, and its agent goes on. */
  isZombie: boolean
  lastActivityAt: number
  lastProbe: { readonly probeId: string; readonly deliveredAt: string; readonly answeredAt?: string } | undefined
  /** Repositories with work that the next end of a turn pushes. */
  readonly commits: Set<string>
}

export interface Taken {
  readonly task: string
  readonly podOrdinal: number
  /** Committed steps so far. */
  readonly place: number
}

export interface PodsOptions {
  readonly world: World
  readonly plan: Plan
  readonly faults: Faults
  /** Committed steps so far. */
  readonly place: () => number
  /** A turn was taken: the agent's part. */
  readonly work: (pod: Pod, turn: Turn) => Promise<void>
  readonly callBack: (pod: Pod, turn: Turn) => Promise<void>
}

const bootMs = 3000
const graceMs = 2000
const tokenLifeMs = 86_400_000
const perTurn = 1000
export const usage: Usage = {
  inputTokens: perTurn,
  outputTokens: perTurn,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0.01,
  byModel: {},
}

export class Pods {
  readonly #options: PodsOptions
  readonly #pods = new Map<string, Pod>()
  readonly deleted: { readonly task: string; readonly place: number }[] = []
  /** Turns that a wrapper accepted, each once. */
  readonly taken: Taken[] = []
  readonly #watches = new Set<{ readonly line: Lifeline; readonly tell: (observation: PodObservation) => void }>()

  constructor(options: PodsOptions) {
    this.#options = options
  }

  get all(): readonly Pod[] {
    return [...this.#pods.values()]
  }

  create(spec: PodSpec, projectUid: string | undefined): { readonly name: string } {
    const { world, plan, faults } = this.#options
    const name = spec.pod.replaceAll('/', '-')
    if (this.#pods.has(spec.pod)) return { name }
    const now = timeOf(world)
    const claims = {
      project: spec.project,
      ...(projectUid === undefined ? {} : { projectUid }),
      task: spec.task,
      pod: spec.ordinal,
      agentKind: spec.agentKind as PodClaims['agentKind'],
    }
    const pod: Pod = {
      spec,
      url: `http://pod-${this.#pods.size + 1}.test`,
      token: tokenOf(claims, now + tokenLifeMs),
      mood: this.#pods.size === 0 && plan.firstMood ? plan.firstMood : moodOf(plan, faults, spec.pod),
      startedAt: now,
      turns: [],
      state: 'starting',
      reason: '',
      isZombie: false,
      lastActivityAt: now,
      lastProbe: undefined,
      commits: new Set(),
    }
    this.#pods.set(spec.pod, pod)
    world.tell(`pod ${spec.pod} is made: ${spec.agentKind}, ${pod.mood}`)
    world.after(bootMs, () => {
      if (pod.state !== 'starting') return
      pod.state = 'ready'
      this.#tell(pod)
    })
    const fault = faults.nextPod()
    if (fault) world.after(bootMs + fault.afterMs, () => this.#vanish(pod, 'it died by itself', fault.isZombie))
    return { name }
  }

  remove(id: string, { force }: { readonly force: boolean }): 'ending' | 'gone' {
    const pod = this.#pods.get(id)
    if (!pod || pod.state === 'gone') return 'gone'
    if (force) this.#vanish(pod, 'it was killed')
    else this.#options.world.after(graceMs, () => this.#vanish(pod, 'it was stopped'))
    return 'ending'
  }

  deleteWorkspace(task: string): void {
    this.deleted.push({ task, place: this.#options.place() })
    this.#options.world.tell(`the workspace of ${task} is deleted`)
  }

  look(id: string): PodObservation | undefined {
    const pod = this.#pods.get(id)
    return pod ? observationOf(pod) : { pod: id, state: 'gone', reason: 'unknown' }
  }

  watch(line: Lifeline, listener: (observation: PodObservation) => Promise<void>): () => void {
    const { world } = this.#options
    const tell = (observation: PodObservation): void =>
      world.after(world.latency.fraction() * 50, () =>
        line.hear(() => void listener(observation).catch(() => world.after(1000, () => tell(observation)))),
      )
    const watch = { line, tell }
    this.#watches.add(watch)
    for (const pod of this.#pods.values()) {
      const seen = observationOf(pod)
      if (seen) tell(seen)
    }
    return () => void this.#watches.delete(watch)
  }

  answer(url: URL, method: string, headers: Readonly<Record<string, string>>, body: string | undefined): Answered {
    const pod = this.all.find((one) => one.url === url.origin)
    if (!pod || pod.state !== 'ready') throw new TypeError('connection refused')
    return this.#serve(pod, method, url.pathname, headers, JSON.parse(body ?? '{}') as Sent)
  }

  end(pod: Pod, turn: Turn, outcome: Partial<TurnResult>): void {
    const { world, callBack } = this.#options
    if (turn.result.state !== 'running') return
    const completed: TurnResult = {
      state: 'completed',
      stopReason: 'end_turn',
      finalText: 'Done.',
      usage,
      pushed: [],
      failed: [],
      ...outcome,
      turnId: turn.result.turnId,
      startedAt: turn.result.startedAt,
      idempotencyKey: turn.key,
      handoff: turn.handoff,
      completedAt: stamp(world),
    }
    Object.assign(turn.result, completed)
    world.tell(`${pod.spec.pod} ends ${turn.result.turnId}: ${completed.stopReason}`)
    void callBack(pod, turn)
  }

  #serve(pod: Pod, method: string, path: string, headers: Readonly<Record<string, string>>, sent: Sent): Answered {
    const running = pod.turns.find(({ result }) => result.state === 'running')
    if (path === '/v1/session' && method === 'DELETE') {
      this.#options.world.after(graceMs, () => this.#vanish(pod, 'it was stopped'))
      return json(202, {})
    }
    if (path === '/v1/session') return json(200, this.#session(pod, running !== undefined))
    if (path === '/v1/messages' && method === 'POST') return this.#take(pod, running, headers, sent)
    if (path === '/v1/messages')
      return json(200, { items: pod.turns.toReversed().map(({ result }) => summaryOf(result)) })
    if (path === '/v1/probe') return this.#probe(pod, running, String(sent.probeId))
    if (path === '/v1/interrupt') {
      if (running) this.end(pod, running, { state: 'failed', stopReason: 'interrupted' })
      return json(running ? 202 : 503, {})
    }
    const turn = pod.turns.find(({ result }) => path === `/v1/messages/${result.turnId}`)
    return turn ? json(200, turn.result) : json(404, {})
  }

  #take(pod: Pod, running: Turn | undefined, headers: Readonly<Record<string, string>>, sent: Sent): Answered {
    const { world, work } = this.#options
    const key = headers['idempotency-key'] ?? ''
    const mine = pod.turns.find((turn) => turn.key === key)
    if (mine) return json(202, { turnId: mine.result.turnId })
    if (running) return json(409, {})
    const turnId = `turn-${pod.turns.length + 1}`
    const result = { turnId, state: 'running' as const, startedAt: stamp(world), idempotencyKey: key }
    const turn: Turn = { result, text: String(sent.text), key, handoff: sent.handoff === true }
    pod.turns.push(turn)
    pod.lastActivityAt = timeOf(world)
    this.taken.push({ task: pod.spec.task, podOrdinal: pod.spec.ordinal, place: this.#options.place() })
    world.tell(`${pod.spec.pod} takes ${turnId}${turn.handoff ? ', its last' : ''}`)
    void work(pod, turn)
    return json(202, { turnId })
  }

  #probe(pod: Pod, running: Turn | undefined, probeId: string): Answered {
    if (!running) return json(409, {})
    pod.lastProbe = { probeId, deliveredAt: stamp(this.#options.world) }
    return json(202, { probeId })
  }

  #session(pod: Pod, isBusy: boolean): object {
    return {
      state: isBusy ? 'busy' : 'idle',
      turnsCompleted: pod.turns.filter(({ result }) => result.state !== 'running').length,
      model: '',
      repo: '',
      contractVersion,
      sessionId: pod.url,
      startedAt: new Date(pod.startedAt).toISOString(),
      lastActivityAt: new Date(pod.lastActivityAt).toISOString(),
      ...(pod.lastProbe ? { lastProbe: pod.lastProbe } : {}),
    }
  }

  #vanish(pod: Pod, reason: string, isZombie = false): void {
    if (pod.state === 'gone') return
    Object.assign(pod, { state: 'gone', reason, isZombie })
    this.#options.world.tell(`pod ${pod.spec.pod} is gone: ${reason}${isZombie ? ', and its agent goes on' : ''}`)
    this.#tell(pod)
  }

  #tell(pod: Pod): void {
    const seen = observationOf(pod)
    if (seen) for (const { tell } of this.#watches) tell(seen)
  }
}

interface Sent {
  readonly text?: unknown
  readonly handoff?: unknown
  readonly probeId?: unknown
}

function moodOf({ seed, agents }: Plan, { isCalm }: Faults, pod: string): Mood {
  if (agents === 'honest' || isCalm) return 'honest'
  return dice(seed, `mood of ${pod}`).weighted<Mood>([
    [12, 'honest'],
    [1, 'hangs'],
    [3, 'lies'],
    [3, 'repeats'],
    [1, 'silent'],
  ])
}

function observationOf({ spec: { pod }, state, url, reason }: Pod): PodObservation | undefined {
  if (state === 'starting') return undefined
  return state === 'ready' ? { pod, state, url } : { pod, state, reason }
}

function summaryOf({ turnId, state, startedAt, completedAt, idempotencyKey, handoff }: TurnResult): object {
  return {
    turnId,
    state,
    startedAt,
    ...(completedAt === undefined ? {} : { completedAt }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(handoff === undefined ? {} : { handoff }),
  }
}

function json(status: number, body: object): Answered {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** Whole milliseconds, as every clock of theirs shows. */
export function timeOf({ clock }: World): number {
  return Math.floor(clock.now())
}

export function stamp(world: World): string {
  return new Date(timeOf(world)).toISOString()
}
