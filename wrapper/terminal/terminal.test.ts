import { describe, expect, test } from 'vitest'
import { testClock } from '../../http/testing/fixture.ts'
import { dialogOnScreen } from './screen.ts'
import { sanitise } from './sanitise.ts'
import { submit, typedLine } from './submit.ts'
import type { Terminal } from './terminal.ts'

describe('sanitising a message', () => {
  test.each([
    ['a tab', 'a\tb', 'a    b'],
    ['CR and CRLF', 'a\r\nb\rc', 'a\nb\nc'],
    ['an end of paste', 'a\u001b[201~b', 'ab'],
    ['colours and titles', '\u001b[31mred\u001b[0m\u001b]0;title\u0007', 'red'],
    ['NUL and BEL', 'a\u0000\u0007b', 'ab'],
    ['zero width and bidi', 'a\u200bb\u202ec\ufeff', 'abc'],
    ['line separators', 'a\u2028b', 'a\nb'],
    ['half a surrogate', 'a\ud800b', 'ab'],
    ['trailing newlines', 'a\n\n', 'a'],
    ['ordinary text', '!ls /x @y žluťoučký 🦆', '!ls /x @y žluťoučký 🦆'],
  ])('handles %s (WRAPPER-TURN-3)', (_what, text, expected) => {
    expect(sanitise(text)).toBe(expected)
    expect(sanitise(sanitise(text))).toBe(expected)
  })
})

describe('recognising a dialog', () => {
  test('sees the bypass warning through cursor moves, and not the status line of the prompt (WRAPPER-BOOT-11)', () => {
    expect(
      dialogOnScreen(
        'WARNING:\u001b[1CBypass\u001b[1CPermissions\u001b[1Cmode \u276f No,\u001b[1Cexit   Yes, I accept',
      ),
    ).toBe('bypass-permissions')
    expect(dialogOnScreen('\u23f5\u23f5 bypass permissions on (shift+tab to cycle)')).toBeUndefined()
  })
})

describe('submitting', () => {
  function recording(): { terminal: Terminal; written: string[] } {
    const written: string[] = []
    const terminal = {
      pid: 1,
      write: (bytes: string) => void written.push(bytes),
      kill: () => undefined,
      tail: () => '',
      lastOutputAt: () => 0,
      exited: () => undefined,
      onExit: () => undefined,
    }
    return { terminal, written }
  }
  /** Lets pending promises run between steps of the simulated time. */
  async function pass(clock: ReturnType<typeof testClock>, milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 10) {
      clock.advance(10)
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
    }
  }

  test('types the token, pastes the body once and repeats only a late Enter (WRAPPER-TURN-3, WRAPPER-TURN-4, CLI-FACT-2)', async () => {
    const clock = testClock()
    const { terminal, written } = recording()
    const accepted = Promise.withResolvers<void>()
    const done = submit(terminal, clock, { turnId: 't1', body: 'the body', accepted: accepted.promise })
    await pass(clock, 400)
    expect(written).toEqual([typedLine('t1'), '\u001b[200~\nthe body\u001b[201~', '\r'])
    await pass(clock, 2600)
    expect(written.slice(3)).toEqual(['\r'])
    accepted.resolve()
    expect(await done).toBe(true)
    expect(written.filter((bytes) => bytes.includes('the body'))).toHaveLength(1)
  })

  test.each([
    ['a folder of Windows', 'C:\\work\\'],
    ['decomposed letters', 'Open cafe\u0301.txt'],
    ['blanks at the end', 'two  '],
  ])('pastes %s behind line feeds, so that the CLI leaves the text as it is (WRAPPER-TURN-3)', async (_what, body) => {
    const clock = testClock()
    const { terminal, written } = recording()
    const done = submit(terminal, clock, { turnId: 't1', body, accepted: Promise.resolve() })
    await pass(clock, 400)
    expect(await done).toBe(true)
    expect(written[1]).toBe(`\u001b[200~\n\n\n${body}\u001b[201~`)
  })

  test('gives up when no Enter is taken', async () => {
    const clock = testClock()
    const { terminal } = recording()
    const done = submit(terminal, clock, { turnId: 't1', body: 'x', accepted: new Promise(() => undefined) })
    await pass(clock, 40_000)
    expect(await done).toBe(false)
  })
})
