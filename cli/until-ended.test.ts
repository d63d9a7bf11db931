import { expect, it } from 'vitest'
import { createLogger } from '../http/operational/logging.ts'
import { simulatedClock } from '../runtime/simulated-clock.ts'
import { orchestratorReadiness } from '../orchestrator/wiring/readiness.ts'
import { untilEnded } from './until-ended.ts'

const never = new Promise<never>(() => undefined)

function scene(): {
  lines: string[]
  logger: ReturnType<typeof createLogger>
  clock: ReturnType<typeof simulatedClock>
} {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) } as never
  return { lines, logger: createLogger({ name: 'test', level: 'info', destination }), clock: simulatedClock(0) }
}

it('ends with 0 when it is asked to stop, and has stopped by then', async () => {
  const { logger, clock } = scene()
  let isStopped = false
  const running = { lost: never, stop: async () => void (isStopped = true) }
  expect(await untilEnded(running, { asked: Promise.resolve(), orphaned: never, logger, clock })).toBe(0)
  expect(isStopped).toBe(true)
})

it('ends with 1 and says why when its store is lost, also when its parts cannot be stopped', async () => {
  const { lines, logger, clock } = scene()
  const lost = Promise.resolve(new Error('the embedded store failed: could not fsync'))
  const failing = { lost, stop: () => Promise.reject(new Error('unreachable')) }
  expect(await untilEnded(failing, { asked: never, orphaned: never, logger, clock })).toBe(1)
  expect(lines.join('')).toContain('this process lost its store or its supervisor')
  expect(lines.join('')).toContain('could not fsync')
  const stuck = untilEnded({ lost, stop: () => never }, { asked: never, orphaned: never, logger, clock })
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(5000)
  expect(await stuck).toBe(1)
})

it('ends with 1 when its supervisor is gone, also when its parts cannot be stopped', async () => {
  const { lines, logger, clock } = scene()
  const orphaned = Promise.resolve()
  const stuck = untilEnded({ lost: never, stop: () => never }, { asked: never, orphaned, logger, clock })
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(5000)
  expect(await stuck).toBe(1)
  expect(lines.join('')).toContain('supervised')
})

it('is not ready while its store takes no writes, and says nothing of the disk', async () => {
  let isFull = true
  const probe = async (): Promise<void> => {
    if (isFull) throw new Error('ENOSPC: no space left on device, /srv/state')
  }
  const readiness = orchestratorReadiness({ sql: { probe }, isListening: () => true, degraded: async () => [] })
  expect(await readiness()).toEqual({ ready: false, reasons: ['the store accepts no writes'] })
  isFull = false
  expect(await readiness()).toMatchObject({ ready: true })
})

it('is ready while it listens, says what should be looked at, and is not ready on a lost store', async () => {
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error>()
  let isListening = false
  const readiness = orchestratorReadiness({
    sql: { lost },
    isListening: () => isListening,
    degraded: async () => ['1 task actor is quarantined'],
  })
  expect(await readiness()).toEqual({ ready: false, reasons: ['starting'] })
  isListening = true
  expect(await readiness()).toEqual({ ready: true, reasons: [], degraded: ['1 task actor is quarantined'] })
  lose(new Error('could not fsync'))
  await lost
  expect(await readiness()).toEqual({ ready: false, reasons: ['the embedded store failed'] })
})
