import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { CallRefusal, mostNamedRefusals, RefusedCalls } from '../../machines/turn/schema.ts'
import { noUsage } from '../usage/usage.ts'
import { TurnJournal } from './journal.ts'
import type { LedgerEvent, TurnOutcome } from './ledger.ts'
import { applyRefusals, countRefusal, isJournaled, sumOf, type RefusedCall } from './refused-calls.ts'

const at = '2026-11-21T12:00:00.000Z'
const reasons = CallRefusal.anyOf.map(({ const: reason }) => reason)
const note: RefusedCall = { tool: 'task_note', reason: 'no-block' }
const done: TurnOutcome = {
  state: 'completed',
  stopReason: 'end_turn',
  finalText: 'ok',
  usage: noUsage,
  pushed: [],
  failed: [],
}
const ended: LedgerEvent = { type: 'turn.ended', at, turnId: '1', outcome: done }

const summed = (calls: readonly RefusedCall[]): RefusedCalls => calls.reduce<RefusedCalls>(countRefusal, [])
const times = (count: number, call: RefusedCall = note): RefusedCall[] => Array.from({ length: count }, () => call)

describe('refused calls', () => {
  test('are summed by tool and reason', () => {
    expect(summed([note, { ...note, reason: 'no-turn' }, note, { ...note, tool: 'push' }])).toEqual([
      { ...note, count: 2 },
      { ...note, reason: 'no-turn', count: 1 },
      { ...note, tool: 'push', count: 1 },
    ])
  })

  test('of more tools than are named are summed by reason, and those that are named go on', () => {
    const tools = Array.from({ length: mostNamedRefusals + 3 }, (_, index) => ({ ...note, tool: `tool_${index}` }))
    const calls = summed([...tools, tools[0]!, tools.at(-1)!])
    expect(calls).toHaveLength(mostNamedRefusals + 1)
    expect(calls[0]).toEqual({ tool: 'tool_0', reason: 'no-block', count: 2 })
    expect(calls.at(-1)).toEqual({ tool: '', reason: 'no-block', count: 4 })
  })

  test.each(['', 'a b', '\u001b[2J', '`x`', 'x'.repeat(65), 'a\n'])(
    'by a name that no tool can have (%j) name none',
    (tool) => {
      expect(summed([{ ...note, tool }])).toEqual([{ tool: '', reason: 'no-block', count: 1 }])
    },
  )

  test('never fall out of the sum, nor out of the form that the wire has for them', () => {
    const call = fc.record({
      tool: fc.oneof(fc.constantFrom('task_note', 'push', ''), fc.string(), fc.stringMatching(/^[a-z]{1,2}$/)),
      reason: fc.constantFrom(...reasons),
    })
    fc.assert(
      fc.property(fc.array(call, { maxLength: 200 }), (calls) => {
        const sum = summed(calls)
        expect(Check(RefusedCalls, sum)).toBe(true)
        expect(new Set(sum.map(({ tool, reason }) => `${tool} ${reason}`)).size).toBe(sum.length)
        for (const reason of reasons)
          expect(sumOf(sum.filter((one) => one.reason === reason))).toBe(
            calls.filter((one) => one.reason === reason).length,
          )
      }),
    )
  })

  test('end with the result that tells of them', () => {
    const calls = summed([note])
    expect(applyRefusals([], { type: 'calls.refused', at, calls })).toEqual(calls)
    expect(applyRefusals(calls, { type: 'turn.started', at, turnId: '1' })).toEqual(calls)
    expect(applyRefusals(calls, ended)).toEqual([])
  })
})

describe('the journal of the turns', () => {
  function withJournals(use: (open: () => TurnJournal, path: string) => void): void {
    const dir = mkdtempSync(join(tmpdir(), 'journal-'))
    const opened: TurnJournal[] = []
    try {
      use(
        () => {
          opened.push(new TurnJournal(dir))
          return opened.at(-1)!
        },
        join(dir, 'turns.jsonl'),
      )
    } finally {
      for (const journal of opened) journal.close()
      rmSync(dir, { recursive: true })
    }
  }

  test('keeps what was refused over a restart and a half-written last line', () => {
    withJournals((open, path) => {
      const first = open()
      for (const call of [note, note, { ...note, tool: 'push' }]) first.callRefused(call, at)
      appendFileSync(path, '{"type":"calls.ref')
      expect(open().refusedCalls).toEqual([
        { ...note, count: 2 },
        { ...note, tool: 'push', count: 1 },
      ])
    })
  })

  test('counts on from there, and begins anew after a result', () => {
    withJournals((open) => {
      open().callRefused(note, at)
      const second = open()
      second.callRefused(note, at)
      expect(second.refusedCalls).toEqual([{ ...note, count: 2 }])
      second.record(ended)
      expect([second.refusedCalls, open().refusedCalls]).toEqual([[], []])
    })
  })

  test('reads one in which no wrapper ever wrote of refused calls', () => {
    withJournals((open, path) => {
      appendFileSync(path, `${JSON.stringify(ended)}\n`)
      expect(open().refusedCalls).toEqual([])
    })
  })

  test('has a line for each of the first calls and for each doubling of a flood', () => {
    withJournals((open, path) => {
      const journal = open()
      for (const call of times(5000)) journal.callRefused(call, at)
      expect(sumOf(journal.refusedCalls)).toBe(5000)
      expect(readFileSync(path, 'utf8').split('\n').filter(Boolean)).toHaveLength(256 + 4)
      expect(sumOf(open().refusedCalls)).toBe(4096)
    })
  })

  test('is asked for a line exactly where the sum says so', () => {
    const sumIs = (count: number): RefusedCalls => [{ ...note, count }]
    expect([1, 255, 256, 512, 65_536].map((count) => isJournaled(sumIs(count)))).toEqual(times(5).map(() => true))
    expect([257, 511, 513].map((count) => isJournaled(sumIs(count)))).toEqual([false, false, false])
  })
})
