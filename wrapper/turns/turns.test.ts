import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noUsage, sumUsage } from '../usage/usage.ts'
import { callbackUrlFault } from './callback-url.ts'
import { EvidenceCollector } from './evidence.ts'
import { TurnJournal } from './journal.ts'
import {
  admit,
  applyLedgerEvent,
  newestTurns,
  resultOf,
  summaryOf,
  type Ledger,
  type LedgerEvent,
  type TurnOutcome,
} from './ledger.ts'
import { outcomeOf, type TurnEvidence } from './outcome.ts'
import { Probes } from './probes.ts'
import { StallWatch } from './stall-watch.ts'
import { parseTranscriptLine } from './transcript.ts'

const at = '2026-11-21T12:00:00.000Z'
const done: TurnOutcome = {
  state: 'completed',
  stopReason: 'end_turn',
  finalText: 'ok',
  usage: noUsage,
  pushed: [],
  failed: [],
}
const accepted = (turnId: string, key?: string, handoff = false): LedgerEvent => ({
  type: 'turn.accepted',
  at,
  turnId,
  textHash: 'h',
  handoff,
  ...(key ? { idempotencyKey: key } : {}),
})
const ended = (turnId: string, outcome = done): LedgerEvent => ({ type: 'turn.ended', at, turnId, outcome })
const ledgerOf = (...events: LedgerEvent[]): Ledger => events.reduce(applyLedgerEvent, [] as Ledger)

describe('the ledger', () => {
  test('admits one turn at a time (WRAPPER-TURN-2)', () => {
    expect(admit([], { textHash: 'h', handoff: false }, false).kind).toBe('accept')
    expect(admit(ledgerOf(accepted('1')), { textHash: 'h', handoff: false }, false).kind).toBe('in-flight')
    expect(admit(ledgerOf(accepted('1'), ended('1')), { textHash: 'h', handoff: false }, false).kind).toBe('accept')
  })

  test('gives the same turn for the same key even after its end and past the TTL, and refuses another text (MESSAGES-5, WRAPPER-RULE-4)', () => {
    const ledger = ledgerOf(accepted('1', 'k'), ended('1'))
    expect(admit(ledger, { textHash: 'h', handoff: false, idempotencyKey: 'k' }, true)).toMatchObject({
      kind: 'repeat',
      turn: { turnId: '1' },
    })
    expect(admit(ledger, { textHash: 'other', handoff: false, idempotencyKey: 'k' }, false).kind).toBe('key-reused')
  })

  test('lists the last 1,000 turns, newest first (WRAPPER-RULE-5)', () => {
    const all = Array.from({ length: 1_002 }, (_, index) => ledgerOf(accepted(String(index)))[0]!)
    const listed = newestTurns(all).map(({ turnId }) => turnId)
    expect([listed.length, listed[0], listed.at(-1)]).toEqual([1_000, '1001', '2'])
  })

  test('takes exactly one hand-off past the TTL (MESSAGES-3, MESSAGES-4)', () => {
    expect(admit([], { textHash: 'h', handoff: false }, true).kind).toBe('expired')
    expect(admit([], { textHash: 'h', handoff: true }, true).kind).toBe('accept')
    expect(
      admit(ledgerOf(accepted('1', undefined, true), ended('1')), { textHash: 'h', handoff: true }, true).kind,
    ).toBe('expired')
  })

  test('shows a turn as running until it has ended, though it is only accepted at first (WRAPPER-RULE-9)', () => {
    const started: LedgerEvent = { type: 'turn.started', at, turnId: '1' }
    const failed = ended('1', { ...done, state: 'failed' })
    const ledgers = [
      [accepted('1')],
      [accepted('1'), started],
      [accepted('1'), started, ended('1')],
      [accepted('1'), failed],
    ]
    const turns = ledgers.map((events) => ledgerOf(...events)[0]!)
    expect(turns.map(({ phase }) => phase)).toEqual(['accepted', 'running', 'completed', 'failed'])
    expect(turns.map((turn) => summaryOf(turn).state)).toEqual(['running', 'running', 'completed', 'failed'])
  })

  test('records a result once', () => {
    const late = { ...done, state: 'failed', stopReason: 'interrupted' } as const
    expect(resultOf(ledgerOf(accepted('1'), ended('1'), ended('1', late))[0]!)).toMatchObject({
      state: 'completed',
      stopReason: 'end_turn',
    })
  })

  test('survives a restart and a half-written last line', () => {
    const dir = mkdtempSync(join(tmpdir(), 'journal-'))
    try {
      const first = new TurnJournal(dir)
      first.record(accepted('1', 'k'))
      first.record(ended('1'))
      const before = first.ledger
      first.close()
      appendFileSync(join(dir, 'turns.jsonl'), '{"type":"turn.acc')
      const second = new TurnJournal(dir)
      expect(second.ledger).toEqual(before)
      second.record(accepted('2'))
      second.close()
      const third = new TurnJournal(dir)
      expect(third.ledger.map(({ turnId }) => turnId)).toEqual(['1', '2'])
      third.close()
    } finally {
      rmSync(dir, { recursive: true })
    }
  })
})

describe('the transcript', () => {
  const assistant = (id: string, block: object, extra: object = {}): string =>
    JSON.stringify({
      type: 'assistant',
      message: {
        id,
        model: 'claude-sonnet-4-5',
        content: [block],
        stop_reason: 'end_turn',
        usage: { input_tokens: 10, output_tokens: 5 },
      },
      ...extra,
    })
  const read = (lines: readonly string[], counted = new Set<string>()): EvidenceCollector => {
    const collector = new EvidenceCollector(counted)
    for (const line of lines) {
      const entry = parseTranscriptLine(line)
      if (entry) collector.add(entry)
    }
    return collector
  }

  test('knows the last call of a tool, and whether it failed', () => {
    const use = (id: string, name: string): string => assistant(id, { type: 'tool_use', id, name, input: {} })
    const result = (id: string, isError: boolean): string =>
      JSON.stringify({
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: id, is_error: isError }] },
      })
    const lastTool = (...lines: readonly string[]): unknown => read(lines).evidence([]).lastTool
    expect(lastTool(assistant('m', { type: 'text', text: 'a' }))).toBe(undefined)
    expect(lastTool(use('a', 'Bash'), result('a', true), use('b', 'Edit'))).toEqual({ name: 'Edit', failed: false })
    expect(lastTool(use('a', 'Bash'), use('b', 'Edit'), result('b', true))).toEqual({ name: 'Edit', failed: true })
    expect(lastTool(use('a', 'Bash'), use('b', 'Edit'), result('a', true))).toEqual({ name: 'Edit', failed: false })
  })

  test('counts a message once, however many lines repeat its usage and whatever the proxy saw of it (MESSAGES-12, WRAPPER-TURN-17)', () => {
    const lines = [
      assistant('m1', { type: 'text', text: 'a' }),
      assistant('m1', { type: 'tool_use', id: 't', name: 'Bash', input: {} }),
      assistant('m2', { type: 'text', text: 'b' }),
    ]
    const proxied = [
      {
        id: 'm2',
        model: 'claude-sonnet-4-5',
        inputTokens: 10,
        outputTokens: 5,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
      },
    ]
    expect(sumUsage(read(lines).evidence(proxied).messages)).toMatchObject({
      inputTokens: 20,
      outputTokens: 10,
      costUsd: expect.closeTo(0.00021, 8),
    })
  })

  test('leaves a late line of an earlier turn to that turn', () => {
    expect(read([assistant('m1', { type: 'text', text: 'old' })], new Set(['m1'])).lastText).toBe('')
  })

  test('takes the interrupt marker only as the last line of user or assistant (INTERRUPT-4)', () => {
    const marker = JSON.stringify({
      type: 'user',
      message: { content: [{ type: 'text', text: '[Request interrupted by user for tool use]' }] },
    })
    const meta = JSON.stringify({ type: 'last-prompt', lastPrompt: 'x' })
    expect(read([marker, meta]).isInterrupted).toBe(true)
    expect(read([marker, assistant('m3', { type: 'text', text: 'on' })]).isInterrupted).toBe(false)
  })

  test.each([
    ['not json'],
    ['null'],
    ['[]'],
    ['{"type":"mode"}'],
    ['{"type":"assistant"}'],
    ['{"type":"assistant","message":{"content":5}}'],
  ])('reads %s without harm', (line) => {
    expect(() => read([line])).not.toThrow()
  })
})

describe('how a turn ends', () => {
  const evidence = (extra: Partial<TurnEvidence> = {}): TurnEvidence => ({
    lastText: 'partial',
    lastStopReason: 'end_turn',
    transcriptRead: true,
    messages: [],
    ...extra,
  })

  test.each([
    [
      'a stop',
      { kind: 'stop', input: { last_assistant_message: 'all' } },
      {},
      { state: 'completed', stopReason: 'end_turn', finalText: 'all' },
    ],
    [
      'max_tokens',
      { kind: 'stop', input: {} },
      { lastStopReason: 'max_tokens' },
      { state: 'completed', stopReason: 'max_tokens', finalText: 'partial' },
    ],
    [
      'a refusal',
      { kind: 'stop', input: {} },
      { lastStopReason: 'refusal' },
      { state: 'completed', stopReason: 'refusal' },
    ],
    [
      'a stop without a transcript',
      { kind: 'stop', input: {} },
      { transcriptRead: false, lastText: '' },
      { state: 'failed', stopReason: 'transcript_unreadable' },
    ],
    [
      'an API error',
      {
        kind: 'stop-failure',
        input: { error: 'server_error', last_assistant_message: 'API Error: 500' },
        withheld: undefined,
      },
      {},
      {
        state: 'failed',
        stopReason: 'api_error',
        error: { code: 'server_error', message: 'API Error: 500' },
        finalText: 'partial',
      },
    ],
    [
      'a refusal that the CLI calls an API error',
      { kind: 'stop-failure', input: { error: 'invalid_request' }, withheld: undefined },
      { lastStopReason: 'refusal' },
      { state: 'completed', stopReason: 'refusal', finalText: 'partial' },
    ],
    [
      'a turn at its token ceiling',
      { kind: 'stop-failure', input: { error: 'authentication_failed' }, withheld: undefined },
      { ceilingReached: 1500 },
      { state: 'failed', stopReason: 'api_error', error: { code: 'token_ceiling' }, finalText: 'partial' },
    ],
    [
      'a used-up window',
      {
        kind: 'stop-failure',
        input: { last_assistant_message: 'You have hit your limit' },
        withheld: { cause: 'usage_limit', message: '', resetsAt: at },
      },
      {},
      {
        state: 'failed',
        stopReason: 'usage_limit',
        error: { code: 'usage_limit', message: 'You have hit your limit', resetsAt: at },
      },
    ],
    [
      'a key that the provider refuses',
      {
        kind: 'stop-failure',
        input: { error: 'authentication_failed', last_assistant_message: 'Please run /login' },
        withheld: { cause: 'key_refused', message: 'invalid x-api-key' },
      },
      {},
      { state: 'failed', stopReason: 'key_refused', error: { code: 'key_refused', message: 'invalid x-api-key' } },
    ],
    ['an interrupt', { kind: 'interrupted' }, {}, { state: 'failed', stopReason: 'interrupted', finalText: 'partial' }],
    ['a stop of the pod', { kind: 'shutdown' }, {}, { state: 'failed', stopReason: 'shutdown' }],
    [
      'the death of the agent',
      { kind: 'exited', message: 'signal 9' },
      {},
      { state: 'failed', stopReason: 'agent_exited' },
    ],
  ] as const)(
    '%s has its result (WRAPPER-TURN-6, WRAPPER-TURN-7, WRAPPER-TURN-8, CLI-FACT-3)',
    (_what, ending, extra, expected) => {
      expect(outcomeOf(ending, evidence(extra))).toMatchObject(expected)
    },
  )
})

describe('a per-turn callback address', () => {
  test.each([
    'ftp://example.com',
    'not a url',
    'http://localhost/x',
    'http://LOCALHOST.:8082/',
    'http://a.localhost/',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0.0.0.0/',
    'http://169.254.169.254/latest',
    'http://10.1.2.3/',
    'http://172.31.0.1/',
    'http://192.168.1.1/',
    'http://[::1]/',
    'http://[::]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[::ffff:127.0.0.1]/',
  ])('%s is refused (TURN-CALLBACK-3, TURN-CALLBACK-4)', (url) => expect(callbackUrlFault(url)).toBeTypeOf('string'))
  test.each(['https://example.com/cb', 'http://93.184.216.34/', 'http://operator.ns.svc:8082/internal/turn-complete'])(
    '%s is taken (TURN-CALLBACK-5)',
    (url) => expect(callbackUrlFault(url)).toBeUndefined(),
  )
})

describe('stalls and probes', () => {
  test('a stall is suspected once, and activity clears it (WRAPPER-STALL-2, WRAPPER-STALL-4)', () => {
    const watch = new StallWatch(1000, 0)
    expect([watch.look(999), watch.look(1000), watch.look(2000), watch.look(3000)]).toEqual([false, true, false, false])
    expect(watch.suspectedAt).toBe(1000)
    watch.activity(3100)
    expect(watch.suspectedAt).toBeUndefined()
    expect(watch.look(4100)).toBe(true)
  })

  test('a probe is delivered once and answered by the first line after it (PROBE-5, WRAPPER-STALL-4, WRAPPER-RULE-7)', () => {
    const probes = new Probes()
    probes.ask('p1', 'there?')
    probes.assistantSpoke(1)
    expect(probes.last).toEqual({ probeId: 'p1' })
    expect([probes.deliver(2), probes.deliver(3)]).toEqual(['there?', undefined])
    expect(probes.isOpen).toBe(true)
    probes.assistantSpoke(4)
    expect(probes.last).toMatchObject({ deliveredAt: new Date(2).toISOString(), answeredAt: new Date(4).toISOString() })
  })

  test('a probe that is asked again under its id is delivered once, answered or not, and also after a later one (PROBE-6)', () => {
    const probes = new Probes()
    const asked = (probeId: string, at: number): string | undefined => {
      probes.ask(probeId, `${probeId}?`)
      return probes.deliver(at)
    }
    probes.ask('p1', 'p1?')
    expect([asked('p1', 1), asked('p1', 2)]).toEqual(['p1?', undefined])
    probes.assistantSpoke(3)
    expect(asked('p1', 4)).toBeUndefined()
    expect(asked('p2', 5)).toBe('p2?')
    expect(asked('p1', 6)).toBeUndefined()
    probes.turnEnded()
    expect(asked('p2', 7)).toBeUndefined()
    expect(probes.last).toEqual({ probeId: 'p2', deliveredAt: new Date(5).toISOString() })
  })
})
