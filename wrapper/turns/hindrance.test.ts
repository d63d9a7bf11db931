import { expect, test } from 'vitest'
import { HindranceWatch, type Signs } from './hindrance.ts'

const calm: Signs = {
  isRunning: true,
  lastOutputAt: 0,
  failures: { inRow: 0, status: 0 },
  usageLimit: undefined,
  model: { openRequests: 0, events: 0, pings: 0 },
}
const iso = (at: number): string => new Date(at).toISOString()

test('a turn that works is hindered by nothing', () => {
  const watch = new HindranceWatch()
  expect([watch.look(calm, 9_999), watch.current]).toEqual([false, undefined])
})

test('failures of the model are named from the third in a row, once, with their number going up (SESSION-5)', () => {
  const watch = new HindranceWatch()
  const failing = (inRow: number): Signs => ({ ...calm, failures: { inRow, status: 529 } })
  expect([2, 3, 4].map((inRow) => watch.look(failing(inRow), inRow * 100))).toEqual([false, true, false])
  expect(watch.current).toEqual({ kind: 'model-retries', attempts: 4, status: 529, since: iso(300) })
  expect([watch.look(calm, 500), watch.current]).toEqual([false, undefined])
  expect(watch.look(failing(3), 600)).toBe(true)
})

test('a screen that stands still is a dialog since its last repaint, and a repaint ends it (SESSION-5, CLI-FACT-11)', () => {
  const watch = new HindranceWatch()
  expect(watch.look({ ...calm, lastOutputAt: 1_000 }, 11_000)).toBe(true)
  expect(watch.current).toEqual({ kind: 'screen-still', since: iso(1_000) })
  watch.look({ ...calm, lastOutputAt: 11_100 }, 11_200)
  expect(watch.current).toBeUndefined()
})

test('a request whose stream only pings for two minutes is a silent model since its last event, and an event ends it (SESSION-5)', () => {
  const watch = new HindranceWatch()
  const asked = (now: number, events: number, pings: number, openRequests = 1): boolean =>
    watch.look({ ...calm, lastOutputAt: now, model: { openRequests, events, pings } }, now)
  expect([asked(1_000, 4, 7), asked(120_999, 4, 9), watch.current]).toEqual([false, false, undefined])
  expect(asked(121_000, 4, 10)).toBe(true)
  expect([asked(121_200, 4, 11), watch.current]).toEqual([false, { kind: 'model-silent', since: iso(1_000), pings: 4 }])
  expect([asked(121_400, 5, 11), watch.current]).toEqual([false, undefined])
  expect([asked(241_400, 5, 11), watch.current]).toEqual([
    true,
    { kind: 'model-silent', since: iso(121_400), pings: 0 },
  ])
  expect([asked(241_600, 5, 11, 0), asked(900_000, 5, 11, 0), watch.current]).toEqual([false, false, undefined])
})

test('a used-up window is told until it is reset, the turn that met it being over', () => {
  const watch = new HindranceWatch()
  const limited = { ...calm, isRunning: false, usageLimit: { resetsAt: iso(60_000) } }
  expect(watch.look(limited, 59_999)).toBe(true)
  expect(watch.current).toEqual({ kind: 'usage-limit', since: iso(59_999), resetsAt: iso(60_000) })
  expect([watch.look(limited, 60_000), watch.current]).toEqual([false, undefined])
})

test('between turns neither a still screen, an old failure nor an old silence counts', () => {
  const watch = new HindranceWatch()
  const silent: Signs = { ...calm, lastOutputAt: 900_000, model: { openRequests: 1, events: 4, pings: 7 } }
  for (const [isRunning, now] of [
    [true, 0],
    [false, 1],
    [true, 900_000],
  ] as const)
    expect(watch.look({ ...silent, isRunning }, now)).toBe(false)
  expect(watch.look({ ...calm, isRunning: false, failures: { inRow: 9, status: 500 } }, 90_000)).toBe(false)
  expect(watch.current).toBeUndefined()
})
