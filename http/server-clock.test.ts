import { expect, test } from 'vitest'
import { captureLog, testClock, withServer } from './testing/fixture.ts'
import { withFaultsCounted } from './timer-faults.ts'

test('what a timer calls may throw: it is logged and counted, it runs once, and the timers behind it run (HTTP-RULE-8)', async () => {
  const [log, bare] = [captureLog(), testClock()]
  const clock = withFaultsCounted(bare, log.logger)
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
