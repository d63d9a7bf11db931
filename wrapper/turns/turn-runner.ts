import { createHash } from 'node:crypto'
import type { Logger } from '../../http/operational/logging.ts'
import type { Ids } from '../../http/ports.ts'
import { invalidInput, Problem } from '../../http/problems/problem.ts'
import type { AccountUsage, FailedPush, MessageRequest, TurnComplete } from '../../machines/turn/schema.ts'
import type { RunLifecycleHook } from '../boot/lifecycle-hooks.ts'
import { isoTime, type Clock } from '../clock.ts'
import type { WrapperMetrics } from '../metrics.ts'
import type { PodTrace } from '../pod-trace.ts'
import { sanitise } from '../terminal/sanitise.ts'
import type { Workspace } from '../workspace/outside/workspace.ts'
import type { CallbackSender } from './callback.ts'
import { callbackUrlFault } from './callback-url.ts'
import type { Conversation } from './conversation.ts'
import type { TurnJournal } from './journal.ts'
import { admit, completionOf, isEnded, liveTurn, type Turn, type TurnOutcome } from './ledger.ts'
import type { AgentOutcome } from './outcome.ts'
import { noUsage } from '../usage/usage.ts'
import { messageOf } from '../errors.ts'

interface TurnRunnerOptions {
  readonly journal: TurnJournal
  readonly conversation: Conversation
  readonly workspace: Workspace
  readonly callbacks: CallbackSender
  readonly runHook: RunLifecycleHook
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly metrics: WrapperMetrics
  readonly trace: PodTrace
  readonly identity: { readonly task: string; readonly pod: number }
  /** After this instant only the hand-off is taken (MESSAGES-3, MESSAGES-4). */
  readonly expiresAt: number
  readonly accountUsage: () => AccountUsage | undefined
  /** The agent process is gone: this pod can't go on. */
  readonly onAgentGone: () => void
}

/** Takes messages, runs them one at a time, records each result before anyone is told of it. */
export class TurnRunner {
  readonly #options: TurnRunnerOptions
  #performing: Promise<void> = Promise.resolve()
  #stopping = false

  constructor(options: TurnRunnerOptions) {
    this.#options = options
  }

  get turns(): readonly Turn[] {
    return this.#options.journal.ledger
  }

  get live(): Turn | undefined {
    return liveTurn(this.turns)
  }

  get isStopping(): boolean {
    return this.#stopping
  }

  find(turnId: string): Turn | undefined {
    return this.turns.find((turn) => turn.turnId === turnId)
  }

  submit(request: MessageRequest, idempotencyKey: string | undefined): Turn {
    const text = this.#validate(request)
    const textHash = createHash('sha256').update(request.text).digest('hex')
    const asked = { textHash, handoff: request.handoff ?? false, ...(idempotencyKey ? { idempotencyKey } : {}) }
    const admission = admit(this.turns, asked, this.#options.clock.now() >= this.#options.expiresAt)
    if (admission.kind === 'repeat') return admission.turn
    if (admission.kind !== 'accept') throw refusal(admission)
    if (this.#stopping) throw new Problem('not-ready', 'the session is stopping')
    return this.#accept(asked, request.callbackUrl, text)
  }

  /** Turns that an earlier process of this pod left open ended with it; unacknowledged results are told again. */
  recover(): void {
    const live = this.live
    if (live) this.#record(live.turnId, { ...lostWithProcess, pushed: [], failed: [] })
    for (const turn of this.turns) if (isEnded(turn) && !turn.acknowledged) this.#sendCompletion(turn)
  }

  /** Interrupts what runs and waits until its result is recorded. */
  async stop(limitMs: number): Promise<void> {
    this.#stopping = true
    await this.#options.conversation.shutDown(limitMs)
    await this.#performing
  }

  #validate(request: MessageRequest): string {
    const fault = request.callbackUrl ? callbackUrlFault(request.callbackUrl) : undefined
    const text = sanitise(request.text)
    const faults = [
      ...(fault ? [{ path: '/callbackUrl', message: fault }] : []),
      ...(text.trim() === '' ? [{ path: '/text', message: 'must contain visible text' }] : []),
    ]
    if (faults.length > 0) throw invalidInput(faults)
    return text
  }

  #accept(
    asked: { textHash: string; handoff: boolean; idempotencyKey?: string },
    callbackUrl: string | undefined,
    text: string,
  ): Turn {
    const turnId = `${this.#options.identity.pod}-${this.turns.length + 1}-${this.#options.ids.next().slice(-8)}`
    this.#options.journal.record({
      type: 'turn.accepted',
      at: this.#now(),
      turnId,
      ...asked,
      ...(callbackUrl ? { callbackUrl } : {}),
    })
    this.#options.logger.info(
      { turnId, characters: text.length, idempotencyKey: asked.idempotencyKey },
      'turn accepted',
    )
    this.#performing = this.#perform(turnId, text)
    return this.find(turnId)!
  }

  async #perform(turnId: string, text: string): Promise<void> {
    const { conversation, metrics, trace, clock, journal, runHook } = this.#options
    const startedAt = clock.now()
    metrics.turnInFlight(1)
    journal.record({ type: 'turn.started', at: this.#now(), turnId })
    const heads = this.#options.workspace.heads().catch(() => new Map<string, string>())
    const outcome = await conversation.run(turnId, text, heads)
    const published = await this.#publish(await heads, turnId)
    await runHook('agentTurnFinished')
    metrics.turnEnded(outcome)
    metrics.turnInFlight(0)
    trace.turnEnded(turnId, startedAt, clock.now(), outcome.stopReason)
    this.#record(turnId, { ...outcome, ...published, ...this.#account() })
    this.#sendCompletion(this.find(turnId)!)
    if (outcome.stopReason === 'agent_exited' || conversation.agentIsGone) this.#options.onAgentGone()
  }

  async #publish(
    heads: ReadonlyMap<string, string>,
    turnId: string,
  ): Promise<{ pushed: string[]; failed: FailedPush[] }> {
    try {
      const { pushed, failed } = await this.#options.workspace.publish(heads, turnId)
      return { pushed: [...pushed], failed: [...failed] }
    } catch (error) {
      const message = messageOf(error)
      return {
        pushed: [],
        failed: this.#options.workspace.repositories.map(({ name }) => ({ repo: name, error: message })),
      }
    }
  }

  #record(turnId: string, ended: TurnOutcome): void {
    const { refusedCalls } = this.#options.journal
    const outcome = refusedCalls.length === 0 ? ended : { ...ended, refusedCalls }
    this.#options.journal.record({ type: 'turn.ended', at: this.#now(), turnId, outcome })
    const { state, stopReason, usage, pushed, failed } = outcome
    this.#options.logger.info({ turnId, state, stopReason, usage, pushed, failed }, 'turn ended')
  }

  #sendCompletion(turn: Turn): void {
    const body: TurnComplete = completionOf(turn, this.#options.identity)
    this.#options.callbacks.send(body, turn.callbackUrl, () =>
      this.#options.journal.record({ type: 'turn.acknowledged', at: this.#now(), turnId: turn.turnId }),
    )
  }

  #account(): { accountUsage?: AccountUsage } {
    const accountUsage = this.#options.accountUsage()
    return accountUsage ? { accountUsage } : {}
  }

  #now(): string {
    return isoTime(this.#options.clock.now())
  }
}

const lostWithProcess: AgentOutcome = {
  state: 'failed',
  stopReason: 'agent_exited',
  finalText: '',
  usage: noUsage,
  error: { code: 'wrapper-restarted', message: 'the wrapper ended while the turn ran' },
}

function refusal(admission: Exclude<ReturnType<typeof admit>, { kind: 'accept' | 'repeat' }>): Problem {
  if (admission.kind === 'expired') return new Problem('ttl-passed')
  const { turnId, idempotencyKey } = admission.turn
  const members = { turn: { turnId, ...(idempotencyKey ? { idempotencyKey } : {}) } }
  if (admission.kind === 'in-flight') return new Problem('turn-in-flight', '', { members })
  return new Problem('conflict', 'the Idempotency-Key belongs to a turn with another text', { members })
}
