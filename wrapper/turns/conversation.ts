import type { Hindrance, LastProbe } from '../../machines/turn/schema.ts'
import type { Logger } from '../../http/operational/logging.ts'
import { sleep, until, type Clock } from '../clock.ts'
import type { HookAnswer, HookEvent, HookInput } from '../hooks/hook-input.ts'
import type { WrapperMetrics } from '../metrics.ts'
import { tokensOf } from '../model-proxy/ceiling.ts'
import type { Attestor } from '../attestation/attestor.ts'
import type { ModelMeter } from '../model-proxy/meter.ts'
import { EscapeKey } from '../terminal/escape-key.ts'
import { submit } from '../terminal/submit.ts'
import type { MessageUsage } from '../usage/usage.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { EvidenceCollector } from './evidence.ts'
import { HindranceWatch } from './hindrance.ts'
import { outcomeOf, type AgentOutcome, type Ending, type TurnEvidence } from './outcome.ts'
import { Probes } from './probes.ts'
import { StallWatch } from './stall-watch.ts'
import { ToolCallCounter } from './tool-calls.ts'
import { TranscriptTail } from './transcript-tail.ts'
import { asText } from './transcript.ts'

interface ConversationOptions {
  readonly terminal: Terminal
  /** Of the CLI: its transcripts lie there. */
  readonly home: string
  /** As the command line gave it; the hooks tell when it changes. */
  readonly sessionId: string
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: WrapperMetrics
  readonly meter: ModelMeter
  readonly attestor: Pick<Attestor, 'turnBegan' | 'turnEnded'>
  readonly turnTimeoutMs: number
}

interface Running {
  readonly turnId: string
  readonly token: string
  readonly collector: EvidenceCollector
  readonly accepted: PromiseWithResolvers<void>
  readonly ended: PromiseWithResolvers<Ending>
  /** Used since the turn before, by turns that nobody asked for; some turn must account for it. */
  unasked: readonly MessageUsage[]
  promptId?: string
  isAccepted: boolean
  isOver: boolean
}

const tickMs = 200
/** Measured: the last line may come 20 ms after the Stop hook; half a second is ample. */
const settleMs = 500
const settlePollMs = 20
const interruptPollMs = 200
const interruptLimitMs = 30_000
/** An ESC before the first token leaves no marker and puts the text back into the input box (CLI-FACT-6). */
const restoredAfterMs = 3000
/** Two of these end the CLI: never sent twice within its 2 s. */
const clearBox = '\u0003'
const spontaneousLimitMs = 10_000

/** The one agent behind the terminal: gives it a turn, learns from hooks, transcript and model proxy how the turn ends. */
export class Conversation {
  readonly #options: ConversationOptions
  readonly transcript: TranscriptTail
  readonly #probes = new Probes()
  readonly #stall: StallWatch
  readonly #escape: EscapeKey
  readonly #hindrance = new HindranceWatch()
  readonly #tools: ToolCallCounter
  readonly #counted = new Set<string>()
  #running: Running | undefined
  #spontaneous: string | undefined
  #sessionId: string
  #closing = false

  constructor(options: ConversationOptions) {
    this.#options = options
    this.#sessionId = options.sessionId
    this.transcript = new TranscriptTail(options.home)
    this.#escape = new EscapeKey(options.terminal, options.clock)
    this.#stall = new StallWatch(options.turnTimeoutMs, options.clock.now())
    this.#tools = new ToolCallCounter(options.metrics)
    options.terminal.onExit((exit) =>
      this.#end({
        kind: 'exited',
        message: `the agent process ended with ${exit.signal ? `signal ${exit.signal}` : exit.code}`,
      }),
    )
  }

  get sessionId(): string {
    return this.#sessionId
  }

  get lastActivityAt(): number {
    return this.#stall.lastActivityAt
  }

  get stallSuspectedAt(): number | undefined {
    return this.#stall.suspectedAt
  }

  get lastProbe(): LastProbe | undefined {
    return this.#probes.last
  }

  /** Looked at now: between turns nothing else looks. */
  get hindrance(): Hindrance | undefined {
    this.#lookForHindrance()
    return this.#hindrance.current
  }

  get agentIsGone(): boolean {
    return this.#options.terminal.exited() !== undefined
  }

  /** Called for every hook of the CLI; what it returns reaches the model. */
  onHook(event: HookEvent, input: HookInput): HookAnswer | undefined {
    if (input.session_id) this.#sessionId = input.session_id
    if (input.transcript_path) this.transcript.follow(input.transcript_path)
    if (event === 'UserPromptSubmit') this.#prompted(input)
    if (event === 'Stop') this.#finished({ kind: 'stop', input }, input)
    if (event === 'StopFailure')
      this.#finished({ kind: 'stop-failure', input, withheld: this.#options.meter.withheld }, input)
    if (event !== 'PostToolUse' && event !== 'PostToolUseFailure') return undefined
    this.#genuine()
    return this.#probeAnswer(event)
  }

  /** Bytes of the model on their way to the CLI. */
  onModelOutput(): void {
    this.#genuine()
  }

  probe(probeId: string, text: string): void {
    this.#probes.ask(probeId, text)
  }

  /** Submits one turn, whose Enter waits for `ready`, and resolves with how it ended. One at a time: the caller's ledger sees to that. */
  async run(turnId: string, body: string, ready: Promise<unknown>): Promise<AgentOutcome> {
    // Before the first await: an interrupt or a stop right after the 202 must find the turn.
    const running = this.#begin(turnId)
    await this.#endSpontaneous()
    await this.#escape.taken()
    await this.#drain()
    this.#takeUnasked(running)
    this.#stall.activity(this.#options.clock.now())
    const ticking = this.#tick(running)
    const ending = await this.#submitAndWait(running, body, ready)
    running.isOver = true
    await ticking
    await this.#settle(ending, running)
    const evidence = this.#evidenceOf(running)
    this.#leave(evidence)
    // The CLI would go on by itself once the limit is reset (CLI-FACT-8): nobody asked for that turn.
    if (ending.kind === 'stop-failure' && ending.withheld?.cause === 'usage_limit') this.#escape.press()
    return outcomeOf(ending, evidence)
  }

  /** One ESC byte. False when there is no live terminal. Resolution is watched in the background (INTERRUPT-4). */
  interrupt(): boolean {
    if (this.#options.terminal.exited()) return false
    void this.#interruptTurn({ kind: 'interrupted' })
    return true
  }

  /** Like an interrupt, but the turn's result says `shutdown`, and it is not left alone when the CLI won't confirm. */
  async shutDown(limitMs: number): Promise<void> {
    this.#closing = true
    const running = this.#running
    if (!running) return
    void this.#interruptTurn({ kind: 'shutdown' })
    await until(this.#options.clock, interruptPollMs, limitMs, () => running.isOver)
    this.#end({ kind: 'shutdown' })
  }

  #begin(turnId: string): Running {
    this.#running = {
      turnId,
      // Without what stands before it in the typed line: an ESC just before may have swallowed that.
      token: `${turnId}]`,
      collector: new EvidenceCollector(this.#counted),
      accepted: Promise.withResolvers<void>(),
      ended: Promise.withResolvers<Ending>(),
      unasked: [],
      isAccepted: false,
      isOver: false,
    }
    return this.#running
  }

  async #submitAndWait(running: Running, body: string, ready: Promise<unknown>): Promise<Ending> {
    const { terminal, clock } = this.#options
    if (terminal.exited()) return { kind: 'exited', message: 'the agent process is gone' }
    if (this.#closing) return { kind: 'shutdown' }
    const submitted = submit(terminal, clock, {
      turnId: running.turnId,
      body,
      accepted: running.accepted.promise,
      ready,
    })
    const first = await Promise.race([running.ended.promise, submitted])
    if (first === false && !terminal.exited()) {
      // The text may stand in the input box: another turn would be appended to it, so this agent takes none.
      terminal.kill('SIGKILL')
      return { kind: 'not-submitted' }
    }
    return typeof first === 'boolean' ? running.ended.promise : first
  }

  /** A turn of the CLI's own is told of in no result, so its tokens go into the next turn's: the sum stays exact. */
  #takeUnasked(running: Running): void {
    const { meter, logger } = this.#options
    running.unasked = meter.messages
    meter.reset()
    if (running.unasked.length > 0)
      logger.warn(
        { turnId: running.turnId, tokens: tokensOf(running.unasked) },
        'the model used tokens outside any turn',
      )
  }

  #evidenceOf({ collector, unasked }: Running): TurnEvidence {
    const { messages, ceiling } = this.#options.meter
    const ceilingReached = ceiling.wasEnforced ? ceiling.limit : undefined
    return collector.evidence([...unasked, ...messages], ceilingReached)
  }

  #leave({ messages }: TurnEvidence): void {
    for (const { id } of messages) this.#counted.add(id)
    this.#options.meter.turnEnded()
    this.#probes.turnEnded()
    this.#stall.turnEnded()
    this.#running = undefined
  }

  #prompted(input: HookInput): void {
    const running = this.#running
    this.#genuine()
    if (running && !running.isAccepted && asText(input.prompt).includes(running.token)) {
      running.isAccepted = true
      this.#options.attestor.turnBegan(running.turnId)
      if (input.prompt_id) running.promptId = input.prompt_id
      running.accepted.resolve()
      return
    }
    this.#spontaneous = input.prompt_id ?? 'unknown'
    this.#options.metrics.spontaneousTurn()
    this.#options.logger.warn({ promptId: input.prompt_id }, 'the CLI started a turn by itself')
  }

  #finished(ending: Ending, input: HookInput): void {
    const running = this.#running
    const isOurs =
      running?.isAccepted &&
      (running.promptId === undefined || input.prompt_id === undefined || running.promptId === input.prompt_id)
    if (isOurs) this.#end(ending)
    else this.#spontaneous = undefined
  }

  /** From here on nothing more is done in the agent's name, whatever the model decided before. */
  #end(ending: Ending): void {
    this.#options.attestor.turnEnded()
    this.#running?.ended.resolve(ending)
  }

  #genuine(): void {
    if (!this.#probes.isOpen) this.#stall.activity(this.#options.clock.now())
  }

  #probeAnswer(event: 'PostToolUse' | 'PostToolUseFailure'): HookAnswer | undefined {
    const text = this.#probes.deliver(this.#options.clock.now())
    return text === undefined ? undefined : { hookSpecificOutput: { hookEventName: event, additionalContext: text } }
  }

  async #tick(running: Running): Promise<void> {
    while (!running.isOver) {
      await this.#read(running)
      if (this.#stall.look(this.#options.clock.now())) {
        this.#options.metrics.stallSuspected()
        this.#options.logger.warn(
          { turnId: running.turnId, lastActivityAt: this.#stall.lastActivityAt },
          'the turn shows no activity',
        )
      }
      this.#lookForHindrance()
      await Promise.race([sleep(this.#options.clock, tickMs), running.ended.promise])
      if (await isSettled(running.ended.promise)) return
    }
  }

  #lookForHindrance(): void {
    const { meter, terminal, clock, metrics, logger } = this.#options
    const running = this.#running
    const { withheld, failures, openRequests, streamed } = meter
    const signs = {
      isRunning: running !== undefined && running.isAccepted && !running.isOver,
      lastOutputAt: terminal.lastOutputAt(),
      failures,
      usageLimit: withheld?.cause === 'usage_limit' ? withheld : undefined,
      model: { openRequests, ...streamed },
    }
    if (!this.#hindrance.look(signs, clock.now())) return
    const hindrance = this.#hindrance.current!
    metrics.hindered(hindrance.kind)
    logger.warn({ turnId: running?.turnId, ...hindrance }, 'something blocks the turn')
  }

  async #read(running: Running): Promise<void> {
    for (const entry of await this.transcript.read()) {
      this.#tools.add(entry)
      running.collector.add(entry)
      if (entry.type === 'assistant') this.#assistantSpoke()
      else this.#genuine()
    }
  }

  #assistantSpoke(): void {
    const now = this.#options.clock.now()
    if (this.#probes.isOpen) this.#probes.assistantSpoke(now)
    else this.#stall.activity(now)
  }

  /** A hook may come before the line that it is about. */
  async #settle({ kind, ...ending }: Ending, running: Running): Promise<void> {
    const { collector } = running
    const text = 'input' in ending ? asText(ending.input.last_assistant_message).trim() : ''
    const isThere: Readonly<Partial<Record<Ending['kind'], () => boolean>>> = {
      stop: () => collector.spoke && (text === '' || collector.lastText.trim() === text),
      'stop-failure': () => collector.isFailed,
    }
    await until(this.#options.clock, settlePollMs, settleMs, async () => {
      await this.#read(running)
      return isThere[kind]?.() ?? true
    })
  }

  /** Lines of earlier turns that came late are theirs. */
  async #drain(): Promise<void> {
    for (const entry of await this.transcript.read()) {
      this.#tools.add(entry)
      if (entry.type === 'assistant' && entry.message) this.#counted.add(entry.message.id)
    }
  }

  async #endSpontaneous(): Promise<void> {
    if (this.#spontaneous === undefined) return
    this.#escape.press()
    await until(
      this.#options.clock,
      interruptPollMs,
      spontaneousLimitMs,
      async () => this.#spontaneous === undefined || (await this.#sawInterrupt()),
    )
    this.#spontaneous = undefined
  }

  async #sawInterrupt(): Promise<boolean> {
    return (await this.transcript.read()).some((entry) => entry.type === 'user' && entry.interrupted)
  }

  async #interruptTurn(ending: Ending): Promise<void> {
    const { terminal, metrics, logger } = this.#options
    const running = this.#running
    if (!running) {
      this.#escape.press()
      return metrics.interrupt('idle')
    }
    // Before the CLI took the text an ESC would do nothing and the late Enter would start the turn after all.
    await Promise.race([running.accepted.promise, running.ended.promise])
    const askedAt = this.#escape.press()
    const result = await this.#interruptResult(running, askedAt)
    metrics.interrupt(result)
    if (result === 'unconfirmed')
      logger.warn({ turnId: running.turnId }, 'nothing confirmed the interrupt; the wrapper leaves the turn running')
    if (result === 'restored') terminal.write(clearBox)
    if (result !== 'unconfirmed') this.#end(ending)
  }

  async #interruptResult(running: Running, askedAt: number): Promise<'confirmed' | 'restored' | 'unconfirmed'> {
    const { clock, meter } = this.#options
    let result: 'confirmed' | 'restored' | 'unconfirmed' = 'unconfirmed'
    await until(clock, interruptPollMs, interruptLimitMs, async () => {
      await this.#read(running)
      const isRestored =
        !running.collector.spoke && meter.openRequests === 0 && clock.now() - askedAt >= restoredAfterMs
      if (running.collector.isInterrupted || running.isOver) result = 'confirmed'
      else if (isRestored) result = 'restored'
      return result !== 'unconfirmed'
    })
    return result
  }
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol('open')
  return (await Promise.race([promise, Promise.resolve(open)])) !== open
}
