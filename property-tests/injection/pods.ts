/**
 * Pods whose agent is a script: each has the wrapper's own side of the agent (broker, model proxy) before it, a token of its
 * own, and takes turns; a turn goes on until whoever plays the agent ends it.
 */
import type { PodTokens } from '../../edges/agents/pod-tokens.ts'
import { signHmac } from '../../http/auth/hmac.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { Clock, Fetch, Ids } from '../../http/ports.ts'
import type { HttpServer } from '../../http/server.ts'
import type { PodLog, PodObservation, PodPort, PodSpec } from '../../edges/ports/pods.ts'
import { callbackSecret } from '../../edges/pods/inbound.ts'
import { contractVersion } from '../../machines/turn/contract-version.ts'
import { Attestor } from '../../wrapper/attestation/attestor.ts'
import { createBroker, fixedToken, type Broker } from '../../wrapper/broker/broker.ts'
import { createWrapperMetrics } from '../../wrapper/metrics.ts'
import { ModelMeter } from '../../wrapper/model-proxy/meter.ts'
import { createModelServer } from '../../wrapper/sockets/model-server.ts'
import { canaries } from './canaries.ts'

export interface Turn {
  readonly turnId: string
  readonly text: string
  readonly key: string
  readonly handoff: boolean
  readonly startedAt: string
  completedAt?: string
  /** What its end reports of the safety push. */
  pushed?: readonly string[]
}

/** One request that the wrapper sent on for its agent. */
export interface Forwarded {
  readonly method: string
  readonly url: string
  readonly pod: string
}

export interface ScriptedPod {
  readonly spec: PodSpec
  readonly url: string
  readonly token: string
  readonly turns: readonly Turn[]
  readonly wrapper: WrapperSide
}

/** What a model that obeys has of the wrapper: each of its calls is its own decision, so none is attested here. */
export interface WrapperSide {
  readonly broker: Broker
  readonly model: HttpServer
}

interface Standing extends ScriptedPod {
  readonly turns: Turn[]
  isGone: boolean
}

export interface PodsOptions {
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly tokens: PodTokens
  readonly operatorUrl: () => string
  readonly uidOf: (project: string) => Promise<string | undefined>
  /** What the wrappers send on: to the orchestrator by a real connection, elsewhere as the scene says. */
  readonly fetch: Fetch
  readonly forwarded: (one: Forwarded) => void
  /** The wrapper's word that a turn has ended. */
  readonly callBack: (headers: Readonly<Record<string, string>>, body: string) => Promise<void>
}

export const memoryUrl = 'http://memory.test'
export const modelUrl = 'http://model.test'
const tokenLifeSeconds = 3600
const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0, byModel: {} }

function observationOf({ spec: { pod }, url, isGone }: Standing): PodObservation {
  return isGone ? { pod, state: 'gone', reason: 'stopped', detail: 'it was told to' } : { pod, state: 'ready', url }
}

export class ScriptedPods implements PodPort {
  readonly #options: PodsOptions
  readonly #pods = new Map<string, Standing>()
  readonly #watches = new Set<(observation: PodObservation) => Promise<void>>()
  readonly #heard = new Set<() => void>()

  constructor(options: PodsOptions) {
    this.#options = options
  }

  bindVolumes(): Promise<void> {
    return Promise.resolve()
  }

  deleteWorkspace(): Promise<void> {
    return Promise.resolve()
  }

  async create(spec: PodSpec): Promise<{ readonly name: string }> {
    const name = spec.pod.replaceAll('/', '-')
    if (this.#pods.has(spec.pod)) return { name }
    const { task, project, ordinal, agentKind } = spec
    const projectUid = await this.#options.uidOf(project)
    const claims = { project, projectUid: projectUid ?? '', task, pod: ordinal, agentKind: agentKind as 'implement' }
    const token = await this.#options.tokens.mint(claims, tokenLifeSeconds)
    const wrapper = await this.#wrapperOf(spec, token)
    const url = `http://pod-${this.#pods.size + 1}.test`
    const pod: Standing = { spec, url, token, turns: [], wrapper, isGone: false }
    this.#pods.set(spec.pod, pod)
    this.#tell(pod)
    return { name }
  }

  remove(id: string): Promise<'ending' | 'gone'> {
    const pod = this.#pods.get(id)
    if (pod && !pod.isGone) {
      pod.isGone = true
      this.#tell(pod)
    }
    return Promise.resolve('gone')
  }

  look(id: string): Promise<PodObservation | undefined> {
    const pod = this.#pods.get(id)
    return Promise.resolve(pod ? observationOf(pod) : { pod: id, state: 'gone', reason: 'unknown' })
  }

  logOf(): Promise<PodLog> {
    return Promise.resolve({ state: 'gone' })
  }

  watch(listener: (observation: PodObservation) => Promise<void>): () => void {
    this.#watches.add(listener)
    for (const pod of this.#pods.values()) this.#tell(pod)
    return () => void this.#watches.delete(listener)
  }

  /** Told whenever a pod takes a turn. */
  onTurn(listener: () => void): () => void {
    this.#heard.add(listener)
    return () => void this.#heard.delete(listener)
  }

  of(task: string): readonly ScriptedPod[] {
    return [...this.#pods.values()].filter(({ spec }) => spec.task === task)
  }

  owns(url: URL): boolean {
    return /^pod-\d+\.test$/.test(url.host)
  }

  /** The wrapper's API, as the orchestrator calls it. */
  async answer(url: URL, method: string, headers: Headers, body: string): Promise<Response> {
    const pod = [...this.#pods.values()].find((one) => one.url === url.origin)
    if (!pod || pod.isGone) throw new TypeError('connection refused')
    const [status, said] = await this.#serve(pod, method, url.pathname, headers, body)
    return Response.json(said, { status })
  }

  async endTurn(pod: ScriptedPod, pushed: readonly string[] = []): Promise<void> {
    const turn = (pod as Standing).turns.find(({ completedAt }) => completedAt === undefined)
    if (!turn) return
    turn.completedAt = this.#now()
    turn.pushed = pushed
    const { task, ordinal, pod: id } = pod.spec
    const { handoff: _handoff, ...result } = resultOf(turn)
    const sent = JSON.stringify({ ...result, task, pod: ordinal })
    const signature = signHmac(callbackSecret(canaries.callbackMaster, id), sent)
    await this.#options.callBack({ 'content-type': 'application/json', 'x-platform-signature': signature }, sent)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pods.values()].map(({ wrapper }) => wrapper.model.close()))
  }

  async #serve(pod: Standing, method: string, path: string, headers: Headers, body: string): Promise<[number, object]> {
    if (path === '/v1/session' && method === 'DELETE') {
      await this.remove(pod.spec.pod)
      return [202, {}]
    }
    if (path === '/v1/session') return [200, this.#session(pod)]
    if (path === '/v1/messages' && method === 'POST') return this.#take(pod, headers.get('idempotency-key') ?? '', body)
    if (path === '/v1/messages') return [200, { items: pod.turns.toReversed().map(summaryOf) }]
    const turn = pod.turns.find(({ turnId }) => path === `/v1/messages/${turnId}`)
    return turn ? [200, resultOf(turn)] : [404, {}]
  }

  async #take(pod: Standing, key: string, body: string): Promise<[number, object]> {
    const known = pod.turns.find((turn) => turn.key === key)
    if (known) return [202, { turnId: known.turnId }]
    if (pod.turns.some(({ completedAt }) => completedAt === undefined)) return [409, {}]
    const { text, handoff } = JSON.parse(body) as { readonly text: string; readonly handoff?: boolean }
    const turnId = `turn-${pod.turns.length + 1}`
    const turn: Turn = { turnId, text, key, handoff: handoff === true, startedAt: this.#now() }
    pod.turns.push(turn)
    if (turn.handoff) queueMicrotask(() => void this.endTurn(pod))
    for (const listener of this.#heard) listener()
    return [202, { turnId }]
  }

  #session(pod: Standing): object {
    const running = pod.turns.some(({ completedAt }) => completedAt === undefined)
    return {
      state: running ? 'busy' : 'idle',
      turnsCompleted: pod.turns.filter(({ completedAt }) => completedAt !== undefined).length,
      model: '',
      repo: '',
      contractVersion,
      sessionId: pod.url,
      startedAt: this.#now(),
      lastActivityAt: this.#now(),
    }
  }

  async #wrapperOf(spec: PodSpec, token: string): Promise<WrapperSide> {
    const { clock, ids, logger, operatorUrl, fetch, forwarded } = this.#options
    const { task, project, ordinal, agentKind: profile } = spec
    const identity = { task, project, profile, pod: ordinal, contractVersion }
    const noted: Fetch = (url, init) => {
      forwarded({ method: init?.method ?? 'GET', url: String(url), pod: spec.pod })
      return fetch(url, init)
    }
    const model = await createModelServer({
      logger,
      clock,
      ids,
      model: {
        baseUrl: modelUrl,
        credential: { kind: 'api-key', value: canaries.modelKey },
        fetch: noted,
        meter: new ModelMeter(),
        requestBegan: (body) => new Attestor().requestBegan(body),
        onOutput: () => undefined,
        onFailure: () => undefined,
      },
      metrics: createWrapperMetrics(identity, ''),
      onAccountUsage: () => undefined,
    })
    const broker = createBroker({
      caller: identity,
      upstreams: {
        operator: { baseUrl: operatorUrl(), token: fixedToken(token), patienceMs: 0 },
        memory: { baseUrl: memoryUrl, token: fixedToken(canaries.memoryToken), patienceMs: 0 },
      },
      fetch: noted,
      clock,
      random: () => 0.5,
      logger,
      workspaceState: () => Promise.resolve('clean'),
    })
    return { broker, model }
  }

  #tell(pod: Standing): void {
    const seen = observationOf(pod)
    // Said again where the listener could not take it: it may be about to stop.
    for (const watch of this.#watches)
      void watch(seen).catch(() => this.#options.clock.setTimer(50, () => void watch(seen).catch(() => undefined)))
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString()
  }
}

function resultOf(turn: Turn): { readonly handoff: boolean } {
  const { turnId, key: idempotencyKey, handoff, startedAt, completedAt, pushed = [] } = turn
  const summary = { turnId, idempotencyKey, handoff, startedAt }
  if (completedAt === undefined) return { ...summary, state: 'running' } as never
  const ended = { state: 'completed', completedAt, finalText: 'Done.', stopReason: 'end_turn' }
  return { ...summary, ...ended, usage: noUsage, pushed, failed: [] } as never
}

function summaryOf({ turnId, startedAt, key: idempotencyKey, completedAt }: Turn): object {
  return { turnId, startedAt, idempotencyKey, state: completedAt === undefined ? 'running' : 'completed' }
}
