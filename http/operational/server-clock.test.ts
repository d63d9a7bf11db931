import { expect, test } from 'vitest'
import { captureLog, testClock, withServer } from '../testing/fixture.ts'
import { checkReadiness, type Readiness } from './readiness.ts'
import { serverClock } from './server-clock.ts'

test('what a timer calls may throw: it is logged and counted, it runs once, and the timers behind it run (HTTP-RULE-8)', async () => {
  const [log, bare] = [captureLog(), testClock()]
  const clock = serverClock(bare, log.logger)
  const ran: string[] = []
  clock.setTimer(10, () => {
    ran.push('first')
    throw new Error('EMFILE: too many open files, scandir')
  })
  clock.setTimer(20, () => ran.push('second'))
  clock.setTimer(20, () => ran.push('taken back')).cancel()
  bare.advance(30)
  expect(ran).toEqual(['first', 'second'])
  expect(log.lines()).toMatchObject([{ level: 50, err: { message: expect.stringContaining('EMFILE') } }])
  await withServer(
    () => undefined,
    async ({ url }) => {
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^timer_faults_total\{service="test"\} [1-9]/m)
    },
  )
})

test('a loop without a turn for three pauses is degraded, and refuses readiness where nothing can be served without it (HTTP-RULE-9)', async () => {
  const bare = testClock()
  const clock = serverClock(bare, captureLog().logger)
  const [sweep, leases] = [
    clock.loops.open({ name: 'sweep', everyMs: 300_000 }),
    clock.loops.open({ name: 'leases', everyMs: 5_000, isVital: true }),
  ]
  const readiness = async (): Promise<Readiness> => checkReadiness(clock, async () => ({ ready: true, reasons: [] }))
  await expect(sweep.turn(() => Promise.reject(new Error('the forge is away')))).rejects.toThrow('away')
  bare.advance(180_000)
  expect(await readiness()).toMatchObject({ ready: true, degraded: [] })
  leases.turned()
  bare.advance(180_000)
  leases.turned()
  bare.advance(541_000)
  expect(await readiness()).toEqual({ ready: false, reasons: ['the loop leases has ended no turn for 541 s'] })
  leases.close()
  expect(await readiness()).toMatchObject({ ready: true, degraded: ['the loop sweep has ended no turn for 901 s'] })
  await withServer(
    () => undefined,
    async ({ url }) => {
      const text = await (await fetch(`${url}/metrics`)).text()
      expect(text).toContain('loop_silence_seconds{loop="sweep",service="test"} 901')
      expect(text).toContain('loop_stopped{loop="sweep",service="test"} 1')
      expect(text).toContain('loop_turns_total{loop="sweep",outcome="failed",service="test"} 1')
      expect(text).toContain('loop_turns_total{loop="leases",outcome="done",service="test"} 2')
      expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({
        degraded: [expect.stringContaining('sweep')],
      })
    },
    { clock },
  )
})
