import { expect, test } from 'vitest'
import { createOutage } from './outage.ts'
import { simulatedClock } from './simulated-clock.ts'

interface Line {
  readonly level: string
  readonly message: string
  readonly fields: object
}

function fixture(random = 1) {
  const clock = simulatedClock(0)
  const lines: Line[] = []
  const logger = {
    info: (fields: object, message: string) => void lines.push({ level: 'info', message, fields }),
    warn: (fields: object, message: string) => void lines.push({ level: 'warn', message, fields }),
  }
  const outage = createOutage({ clock, random: () => random, logger, failing: 'it fails', over: 'it is over' })
  return { clock, lines, outage }
}

test('the pauses double up to a minute, and begin anew after an answer (O1)', () => {
  const { outage } = fixture()
  const pauses = Array.from({ length: 9 }, () => outage.failed(new Error('away')))
  expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
  outage.answered()
  expect(outage.failed(new Error('away'))).toBe(500)
})

test('a hundred failures are seven lines, with their number, and one line says that they are over (O2)', () => {
  const { outage, lines, clock } = fixture()
  for (let at = 0; at < 100; at += 1) {
    outage.failed(new Error('away'), { shard: 3 })
    clock.advance(10)
  }
  outage.answered({ shard: 3 })
  expect(lines.slice(0, -1).map(({ fields }) => fields)).toEqual(
    [1, 2, 4, 8, 16, 32, 64].map((failures) => ({ shard: 3, failures, error: 'away' })),
  )
  expect(lines.at(-1)).toEqual({
    level: 'info',
    message: 'it is over',
    fields: { shard: 3, failures: 100, afterMs: 1000 },
  })
})

test('answers without a failure before them are not logged (O2)', () => {
  const { outage, lines } = fixture()
  outage.answered()
  outage.failed(new Error('away'))
  outage.answered()
  outage.answered()
  expect(lines.map(({ level }) => level)).toEqual(['warn', 'info'])
})
