import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Registry } from 'prom-client'
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { testClock, type TestClock } from '../../http/testing/fixture.ts'
import { createWrapperMetrics } from '../metrics.ts'
import { Attestor } from '../attestation/attestor.ts'
import { ModelMeter } from '../model-proxy/meter.ts'
import { typedLine } from '../terminal/submit.ts'
import type { Terminal, TerminalExit } from '../terminal/terminal.ts'
import { rememberingLogger } from '../testing/quiet-log.ts'
import { Conversation } from './conversation.ts'
import type { AgentOutcome } from './outcome.ts'

const escape = '\u001b'
const clearBox = '\u0003'
const typed = typedLine('t1')

/** The CLI as the wrapper sees it: what is typed, and a transcript that the test writes. */
class Fixture {
  readonly clock: TestClock = testClock()
  readonly written: string[] = []
  readonly conversation: Conversation
  readonly #dir = mkdtempSync(join(tmpdir(), 'conversation-'))
  readonly #transcript = join(this.#dir, '.claude', 'projects', 'session.jsonl')
  readonly #registry = new Registry()
  readonly attestor = new Attestor()
  readonly meter = new ModelMeter(0)
  #exit: TerminalExit | undefined
  #onExit: (exit: TerminalExit) => void = () => undefined

  constructor() {
    mkdirSync(dirname(this.#transcript), { recursive: true })
    writeFileSync(this.#transcript, '')
    const { logger } = rememberingLogger()
    const identity = { task: 't', project: 'p', profile: 'implement', pod: 1, contractVersion: 4 }
    const metrics = createWrapperMetrics(identity, 'lib')
    metrics.exposeIn(this.#registry)
    const terminal: Terminal = {
      pid: 1,
      write: (bytes) => void this.written.push(bytes),
      kill: () => this.exit(137),
      tail: () => '',
      lastOutputAt: () => this.#lastOutputAt,
      exited: () => this.#exit,
      onExit: (listener) => void (this.#onExit = listener),
    }
    this.conversation = new Conversation({
      terminal,
      home: this.#dir,
      sessionId: 's',
      clock: this.clock,
      logger,
      metrics,
      meter: this.meter,
      attestor: this.attestor,
      turnTimeoutMs: 1_800_000,
    })
    this.conversation.onHook('PreToolUse', { session_id: 's', transcript_path: this.#transcript })
  }

  #lastOutputAt = this.clock.now()

  paint(): void {
    this.#lastOutputAt = this.clock.now()
  }

  exit(code: number): void {
    this.#exit = { code, signal: 0, at: this.clock.now() }
    this.#onExit(this.#exit)
  }

  /** Submits, and lets the CLI take it. */
  async begin(): Promise<{ readonly outcome: Promise<AgentOutcome> }> {
    const outcome = this.conversation.run('t1', 'the body', Promise.resolve())
    await this.pass(1)
    this.conversation.onHook('UserPromptSubmit', { prompt_id: 'p1', prompt: typed })
    await this.pass(1)
    return { outcome }
  }

  write(...lines: readonly object[]): void {
    for (const line of lines) appendFileSync(this.#transcript, `${JSON.stringify(line)}\n`)
  }

  say(text: string, id = 'm1'): void {
    const usage = { input_tokens: 3, output_tokens: 2 }
    const content = [{ type: 'text', text }]
    this.write({ type: 'assistant', message: { id, model: 'm', content, stop_reason: 'end_turn', usage } })
  }

  /** A call of a tool and its answer, as two lines. */
  call(id: string, name: string, input: object): void {
    const usage = { input_tokens: 3, output_tokens: 2 }
    const content = [{ type: 'tool_use', id, name, input }]
    this.write({ type: 'assistant', message: { id: `m-${id}`, model: 'm', content, stop_reason: 'tool_use', usage } })
    this.write({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'done' }] } })
  }

  mark(): void {
    const content = [{ type: 'text', text: '[Request interrupted by user]' }]
    this.write({ type: 'user', message: { content } }, { type: 'last-prompt' }, { type: 'mode' })
  }

  stop(promptId = 'p1', text = 'whole'): void {
    this.conversation.onHook('Stop', { prompt_id: promptId, last_assistant_message: text })
  }

  /** Files are read meanwhile, so each step gives the disk its time: as long as a reading of ours takes, twice. */
  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds * 10; passed += 1) {
      this.clock.advance(100)
      await new Promise((resolve) => setTimeout(resolve, 3))
      for (const path of [this.#transcript, this.#transcript]) await readFile(path).catch(() => undefined)
    }
  }

  /** For what a line of the transcript brings: the disk is as slow as it likes. */
  async passUntil(isSo: () => boolean): Promise<void> {
    for (let step = 0; step < 1000 && !isSo(); step += 1) await this.pass(0.1)
  }

  /** It goes on when the disk has answered, and then by the clock. */
  async ended<T>(outcome: Promise<T>): Promise<T> {
    let isOver = false
    void outcome.finally(() => (isOver = true))
    await this.passUntil(() => isOver)
    return outcome
  }

  async counted(metric: string): Promise<readonly object[]> {
    const found = (await this.#registry.getMetricsAsJSON()).find(({ name }) => name === metric)
    return ((found?.values ?? []) as { labels: object; value: number }[])
      .filter(({ value }) => value > 0)
      .map(({ labels, value }) => ({ ...labels, value }))
  }

  close(): void {
    rmSync(this.#dir, { recursive: true })
  }
}

async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol('open')
  return (await Promise.race([promise, Promise.resolve(open)])) === open
}

describe('what the model decides', () => {
  let fixture: Fixture
  beforeEach(() => void (fixture = new Fixture()))
  afterEach(() => fixture.close())

  const tools = [{ name: 'mcp__platform__note' }]
  const request = Buffer.from(JSON.stringify({ tools, messages: [{ content: 'go' }] }))
  /** The model answers a request with a block; is it good for a call? */
  const decided = (): string => {
    fixture.attestor.requestBegan(request).register({ id: 'toolu_1', tool: 'note', input: '{}' })
    return verdict()
  }
  const verdict = (): string => {
    const given = fixture.attestor.spend({ id: 'toolu_1', tool: 'note', arguments: {} })
    return given.kind === 'refused' ? given.reason : given.kind
  }
  const endings: Readonly<Record<string, () => unknown>> = {
    Stop: () => fixture.stop(),
    StopFailure: () => fixture.conversation.onHook('StopFailure', { prompt_id: 'p1', error: 'server_error' }),
    'the end of the process': () => fixture.exit(1),
    'a confirmed interrupt': async () => {
      fixture.conversation.interrupt()
      fixture.say('half')
      fixture.mark()
      await fixture.pass(1)
    },
    'the stop of the pod': async () => {
      const ended = fixture.conversation.shutDown(200)
      await fixture.pass(1)
      await ended
    },
  }

  test('counts from the moment that the CLI takes the turn', async () => {
    expect(decided()).toBe('no-turn')
    const { outcome } = await fixture.begin()
    expect(decided()).toBe('spent')
    fixture.say('whole')
    fixture.stop()
    await fixture.pass(1)
    await outcome
  })

  test.each(Object.entries(endings))('counts no more after %s, spent or not', async (_what, end) => {
    const { outcome } = await fixture.begin()
    fixture.attestor.requestBegan(request).register({ id: 'toolu_1', tool: 'note', input: '{}' })
    const over = fixture.attestor.turnOver
    await end()
    expect([verdict(), decided(), over.aborted]).toEqual(['no-turn', 'no-turn', true])
    await fixture.pass(1)
    await outcome
  })

  test('counts for nothing in a turn that the CLI began by itself', async () => {
    fixture.conversation.onHook('UserPromptSubmit', { prompt_id: 'p9', prompt: 'a notification' })
    expect(decided()).toBe('no-turn')
  })

  test('goes on when the Stop of another prompt comes', async () => {
    const { outcome } = await fixture.begin()
    fixture.stop('p9')
    expect(decided()).toBe('spent')
    fixture.say('whole')
    fixture.stop()
    await fixture.pass(1)
    await outcome
  })
})

describe('an interrupt', () => {
  let fixture: Fixture
  beforeEach(() => void (fixture = new Fixture()))
  afterEach(() => fixture.close())

  test('is one ESC byte, and ends the turn once its marker is the last line of user or assistant (INTERRUPT-1, INTERRUPT-6)', async () => {
    const { outcome } = await fixture.begin()
    fixture.say('half of')
    expect(fixture.conversation.interrupt()).toBe(true)
    await fixture.pass(5)
    expect(await isOpen(outcome)).toBe(true)
    fixture.mark()
    await fixture.pass(1)
    expect(await fixture.ended(outcome)).toMatchObject({
      state: 'failed',
      stopReason: 'interrupted',
      finalText: 'half of',
    })
    expect(fixture.written.filter((bytes) => bytes === escape)).toHaveLength(1)
    expect(await fixture.counted('ccw_interrupts_total')).toEqual([{ result: 'confirmed', value: 1 }])
  })

  test('before the first token is confirmed by nothing coming, and clears the text that was put back, once (INTERRUPT-7, CLI-FACT-6)', async () => {
    const { outcome } = await fixture.begin()
    fixture.conversation.interrupt()
    await fixture.pass(4)
    expect(await fixture.ended(outcome)).toMatchObject({ state: 'failed', stopReason: 'interrupted', finalText: '' })
    expect(fixture.written.filter((bytes) => bytes === clearBox)).toHaveLength(1)
    expect(await fixture.counted('ccw_interrupts_total')).toEqual([{ result: 'restored', value: 1 }])
  })

  test('that is not confirmed in 30 s leaves the turn alone, which may still end by itself (INTERRUPT-4, INTERRUPT-5, WRAPPER-METRICS-7)', async () => {
    const { outcome } = await fixture.begin()
    fixture.say('on and on')
    await fixture.pass(1)
    fixture.conversation.interrupt()
    await fixture.pass(29)
    expect(await fixture.counted('ccw_interrupts_total')).toEqual([])
    await fixture.pass(3)
    expect(await fixture.counted('ccw_interrupts_total')).toEqual([{ result: 'unconfirmed', value: 1 }])
    expect(await isOpen(outcome)).toBe(true)
    fixture.say('whole', 'm2')
    fixture.stop()
    await fixture.pass(1)
    expect(await fixture.ended(outcome)).toMatchObject({
      state: 'completed',
      stopReason: 'end_turn',
      finalText: 'whole',
    })
  })

  test('waits until the message was taken: the late Enter would start the turn after all', async () => {
    const outcome = fixture.conversation.run('t1', 'the body', Promise.resolve())
    await fixture.pass(1)
    fixture.conversation.interrupt()
    await fixture.pass(1)
    expect(fixture.written).not.toContain(escape)
    fixture.conversation.onHook('UserPromptSubmit', { prompt_id: 'p1', prompt: typed })
    await fixture.pass(5)
    expect(await fixture.ended(outcome)).toMatchObject({ stopReason: 'interrupted' })
    expect(fixture.written.indexOf(escape)).toBeGreaterThan(fixture.written.indexOf('\r'))
  })

  test('between turns is an ESC that nothing comes of, and without a live terminal it is refused (INTERRUPT-2)', async () => {
    expect(fixture.conversation.interrupt()).toBe(true)
    await fixture.pass(1)
    expect(fixture.written).toEqual([escape])
    expect(await fixture.counted('ccw_interrupts_total')).toEqual([{ result: 'idle', value: 1 }])
    fixture.exit(0)
    expect(fixture.conversation.interrupt()).toBe(false)
    expect(fixture.written).toEqual([escape])
  })

  test('just before a turn is left to the CLI until it painted: both in one go are the code of a key', async () => {
    fixture.conversation.interrupt()
    const outcome = fixture.conversation.run('t1', 'the body', Promise.resolve())
    await fixture.pass(0.5)
    expect(fixture.written).toEqual([escape])
    fixture.paint()
    await fixture.pass(0.5)
    expect(fixture.written.slice(0, 2)).toEqual([escape, typed])
    fixture.exit(0)
    await outcome
  })

  test('that swallowed the start of what was typed after it loses no turn', async () => {
    const outcome = fixture.conversation.run('t1', 'the body', Promise.resolve())
    await fixture.pass(1)
    fixture.conversation.onHook('UserPromptSubmit', { prompt_id: 'p1', prompt: typed.slice('[t'.length) })
    fixture.say('whole')
    fixture.stop()
    await fixture.pass(1)
    expect(await fixture.ended(outcome)).toMatchObject({ state: 'completed', finalText: 'whole' })
  })
})

describe('the end of a turn', () => {
  let fixture: Fixture
  beforeEach(() => void (fixture = new Fixture()))
  afterEach(() => fixture.close())

  test('is not told by the Stop of another prompt', async () => {
    const { outcome } = await fixture.begin()
    fixture.stop('p0', 'of another')
    await fixture.pass(2)
    expect(await isOpen(outcome)).toBe(true)
    fixture.say('whole')
    fixture.stop('p1')
    await fixture.pass(1)
    expect(await fixture.ended(outcome)).toMatchObject({ state: 'completed', finalText: 'whole' })
  })

  test('does not come of a model that only pings, which shows after two minutes and ends nothing (SESSION-4, SESSION-5, WRAPPER-METRICS-16)', async () => {
    const { outcome } = await fixture.begin()
    fixture.meter.requestStarted()
    await fixture.pass(1)
    fixture.meter.streamedOne('pings')
    await fixture.pass(121)
    expect(fixture.conversation.hindrance).toMatchObject({ kind: 'model-silent', pings: 1 })
    expect(await fixture.counted('ccw_turn_hindered_total')).toContainEqual({ kind: 'model-silent', value: 1 })
    expect(await isOpen(outcome)).toBe(true)
  })

  test('that no hook tells leaves the turn in flight and shows as a still screen; a stop of the pod ends it with its text (WRAPPER-TURN-16, WRAPPER-STOP-5, CLI-FACT-3)', async () => {
    const { outcome } = await fixture.begin()
    fixture.paint()
    fixture.say('all that was said')
    await fixture.pass(9)
    expect(fixture.conversation.hindrance).toBeUndefined()
    await fixture.pass(3)
    expect(fixture.conversation.hindrance).toMatchObject({ kind: 'screen-still' })
    expect(await fixture.counted('ccw_turn_hindered_total')).toEqual([{ kind: 'screen-still', value: 1 }])
    expect(await isOpen(outcome)).toBe(true)
    const stopped = fixture.conversation.shutDown(15_000)
    await fixture.pass(17)
    await stopped
    expect(await fixture.ended(outcome)).toMatchObject({
      state: 'failed',
      stopReason: 'shutdown',
      finalText: 'all that was said',
    })
  })

  test('comes with the last line, also when that is written after the Stop hook (WRAPPER-TURN-5, CLI-FACT-5)', async () => {
    const { outcome } = await fixture.begin()
    fixture.stop('p1', 'late')
    await fixture.pass(0.2)
    fixture.say('late')
    await fixture.pass(1)
    expect(await fixture.ended(outcome)).toMatchObject({
      finalText: 'late',
      usage: { inputTokens: 3, outputTokens: 2 },
    })
  })

  test('by a second refusal is a refusal, also when its line is written after the hook that tells of a failure', async () => {
    const { outcome } = await fixture.begin()
    fixture.conversation.onHook('StopFailure', { prompt_id: 'p1', error: 'invalid_request' })
    await fixture.pass(0.2)
    const content = [{ type: 'text', text: 'API Error: refused' }]
    const message = { id: 'e1', model: '<synthetic>', content, stop_reason: 'refusal' }
    fixture.write({ type: 'assistant', isApiErrorMessage: true, message })
    await fixture.pass(1)
    expect(await fixture.ended(outcome)).toMatchObject({ state: 'completed', stopReason: 'refusal' })
  })

  test('at a usage limit is followed by ESC, for the CLI would resume by itself at the reset (CLI-FACT-8)', async () => {
    const { outcome } = await fixture.begin()
    fixture.meter.responseStarted(429, new Headers({ 'anthropic-ratelimit-unified-status': 'rejected' }))
    fixture.conversation.onHook('StopFailure', { prompt_id: 'p1', error: 'rate_limit' })
    await fixture.pass(1)
    expect(await fixture.ended(outcome)).toMatchObject({ state: 'failed', stopReason: 'usage_limit' })
    expect(fixture.written.filter((bytes) => bytes === escape)).toHaveLength(1)
  })

  test('a message that no Enter submits ends the agent: the next would be appended to it', async () => {
    const outcome = fixture.conversation.run('t1', 'the body', Promise.resolve())
    await fixture.pass(35)
    expect(await fixture.ended(outcome)).toMatchObject({ state: 'failed', stopReason: 'agent_exited' })
    expect(fixture.conversation.agentIsGone).toBe(true)
    expect(fixture.written.filter((bytes) => bytes.includes('the body'))).toHaveLength(1)
    expect(fixture.written.filter((bytes) => bytes === '\r')).toHaveLength(12)
  })
})

describe('the tool calls of a transcript', () => {
  const report = 'mcp__platform__report_internal_issue'
  const input = { category: 'auth', severity: 'warn', description: 'no token' }

  test('are counted as they are read, a report of an internal issue by its own counter too (TOOL-REPORT-7, WRAPPER-METRICS-6)', async () => {
    const fixture = new Fixture()
    const { outcome } = await fixture.begin()
    fixture.call('1', report, input)
    fixture.say('whole')
    fixture.stop()
    await fixture.pass(1)
    await outcome
    expect(await fixture.counted('ccw_tool_calls_total')).toEqual([{ tool: report, outcome: 'ok', value: 1 }])
    expect(await fixture.counted('platform_wrapper_internal_issue_total')).toEqual([
      { category: 'auth', severity: 'warn', kind: 'implement', project: 'p', value: 1 },
    ])
    fixture.close()
  })

  test('are counted once where they come after the end of their turn (TOOL-REPORT-7)', async () => {
    const fixture = new Fixture()
    const first = await fixture.begin()
    fixture.say('whole')
    fixture.stop()
    await fixture.pass(1)
    await first.outcome
    fixture.call('1', report, input)
    const next = await fixture.begin()
    fixture.say('again', 'm2')
    fixture.stop('p1', 'again')
    await fixture.pass(1)
    await next.outcome
    expect(await fixture.counted('ccw_tool_calls_total')).toEqual([{ tool: report, outcome: 'ok', value: 1 }])
    fixture.close()
  })
})

describe('a probe', () => {
  const passMinutes = async (fixture: Fixture, minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute += 1) {
      fixture.clock.advance(60_000)
      await fixture.pass(0.3)
    }
  }

  test('reaches the model by the hook after a tool call; what comes until its answer is no activity (CLI-FACT-9, WRAPPER-RULE-7, WRAPPER-RULE-8)', async () => {
    const fixture = new Fixture()
    const { outcome } = await fixture.begin()
    fixture.conversation.probe('p1', 'there?')
    expect(fixture.conversation.onHook('PreToolUse', {})).toBeUndefined()
    const told = { hookEventName: 'PostToolUse', additionalContext: 'there?' }
    expect(fixture.conversation.onHook('PostToolUse', {})).toEqual({ hookSpecificOutput: told })
    await passMinutes(fixture, 20)
    fixture.conversation.onModelOutput()
    await passMinutes(fixture, 12)
    expect(fixture.conversation.stallSuspectedAt).toBeDefined()
    expect(fixture.conversation.lastProbe).not.toHaveProperty('answeredAt')
    fixture.say('yes')
    await fixture.passUntil(() => fixture.conversation.lastProbe?.answeredAt !== undefined)
    expect(fixture.conversation.lastProbe).toHaveProperty('answeredAt')
    expect(fixture.conversation.stallSuspectedAt).toBeDefined()
    fixture.stop()
    await fixture.pass(1)
    await outcome
    fixture.close()
  })
})

describe('a stall', () => {
  test('is suspected once, counted and logged, ends nothing, and is over with genuine activity (WRAPPER-STALL-1, WRAPPER-STALL-3, WRAPPER-METRICS-8)', async () => {
    const fixture = new Fixture()
    const { outcome } = await fixture.begin()
    for (let minute = 0; minute < 62; minute += 1) {
      fixture.clock.advance(60_000)
      await fixture.pass(0.3)
    }
    expect(fixture.conversation.stallSuspectedAt).toBeDefined()
    expect(await fixture.counted('ccw_turn_stall_suspected_total')).toEqual([{ value: 1 }])
    expect(await isOpen(outcome)).toBe(true)
    fixture.conversation.onModelOutput()
    expect(fixture.conversation.stallSuspectedAt).toBeUndefined()
    fixture.stop()
    await fixture.pass(1)
    await outcome
    fixture.close()
  })
})
