/** Kills each loop of a whole orchestrator, one by one: each starts anew, and one that hangs stands in `degraded` and in a series. */
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../../http/operational/logging.ts'
import { serverClock } from '../../http/operational/server-clock.ts'
import { systemClock, type Clock } from '../../runtime/clock.ts'
import { startOrchestratorFixture, type OrchestratorFixture } from '../testing/fixture.ts'

/** The timers read on after half a minute. */
const bound = { timeout: 60_000, interval: 50 }
const longestMs = 3 * 6 * 3_600_000 + 1
const faults = new Map<string, 'throws' | 'hangs'>()
const turns = new Map<string, number>()
const ends: (() => void)[] = []
const logger = createLogger({ name: 'test', level: 'silent' })

/** By loop: each is looked at by a clock of its own, which can be put ahead. */
interface Watch {
  aheadMs: number
  readonly clock: WatchClock
}

type WatchClock = ReturnType<typeof watchClock>

const watches = new Map<string, Watch>()

function watchClock(aheadMs: () => number) {
  return serverClock({ ...systemClock, elapsed: () => systemClock.elapsed() + aheadMs() }, logger)
}

function watchOf(name: string): Watch {
  const known = watches.get(name)
  if (known) return known
  const made: Watch = { aheadMs: 0, clock: watchClock(() => made.aheadMs) }
  watches.set(name, made)
  return made
}

const clock: Clock & Pick<WatchClock, 'silences'> = {
  ...serverClock(systemClock, logger),
  // What comes seldom comes soon: nothing happens here that takes minutes.
  setTimer: (delayMs, run) => systemClock.setTimer(delayMs >= 60_000 ? 200 : delayMs, run),
  silences: () => [...watches.values()].flatMap(({ clock: { silences } }) => silences()),
  loops: {
    open(loop) {
      const watch = watchOf(loop.name).clock.loops.open(loop)
      const turn = <T>(run: () => Promise<T>): Promise<T> =>
        watch.turn(async () => {
          turns.set(loop.name, (turns.get(loop.name) ?? 0) + 1)
          const fault = faults.get(loop.name)
          if (fault === 'throws') throw new Error(`${loop.name} is killed`)
          if (fault === 'hangs') await new Promise((resolve) => void ends.push(() => resolve(undefined)))
          return run()
        })
      return { ...watch, turn }
    },
  },
}

let fixture: OrchestratorFixture
beforeAll(async () => {
  fixture = await startOrchestratorFixture({ standingComments: true }, { clock })
}, 120_000)
afterAll(async () => {
  mend()
  await fixture?.stop()
}, 60_000)

/** `effects` is watched while one is under way, and sets no turn. */
const known = [
  'forgetting',
  'inbox',
  'leases',
  'pod-sweep',
  'pod-watch',
  'retention',
  'status-comments',
  'timers',
  'webhook-inbox',
]
const vital = ['inbox', 'leases', 'timers']

test('every loop of the orchestrator is watched', async () => {
  expect([...watches.keys()].filter((name) => name !== 'effects').toSorted()).toEqual(known)
})

test.each(known)('the loop %s goes on after turns that throw, which are counted', async (name) => {
  fail(name, 'throws')
  await vi.waitFor(async () => expect(await counted(name, 'failed')).toBeGreaterThan(1), bound)
  mend()
  const before = await counted(name, 'done')
  await vi.waitFor(async () => expect(await counted(name, 'done')).toBeGreaterThan(before), bound)
})

test.each(known)('the loop %s that hangs is named, and refuses readiness where it is vital', async (name) => {
  const before = turns.get(name) ?? 0
  fail(name, 'hangs')
  await vi.waitFor(() => expect(turns.get(name) ?? 0).toBeGreaterThan(before), bound)
  watchOf(name).aheadMs += longestMs
  const line = expect.stringMatching(new RegExp(`^the loop ${name} has ended no turn for \\d+ s$`))
  const found = vital.includes(name)
    ? { status: 503, body: { reasons: expect.arrayContaining([line]) } }
    : { status: 200, body: { degraded: expect.arrayContaining([line]) } }
  await vi.waitFor(async () => expect(await fixture.call('/readyz')).toMatchObject(found), bound)
  expect(await series(`loop_silence_seconds{loop="${name}"`)).toBeGreaterThan(longestMs / 1000)
  mend()
  const isOver = async (): Promise<void> =>
    expect(JSON.stringify(await fixture.call('/readyz'))).not.toContain(`loop ${name}`)
  await vi.waitFor(isOver, bound)
})

function fail(name: string, how: 'throws' | 'hangs'): void {
  faults.set(name, how)
  onTestFinished(mend)
}

function mend(): void {
  faults.clear()
  for (const end of ends.splice(0)) end()
}

function counted(loop: string, outcome: 'done' | 'failed'): Promise<number> {
  return series(`loop_turns_total{loop="${loop}",outcome="${outcome}"`)
}

async function series(begin: string): Promise<number> {
  const text = await (await fetch(`${fixture.orchestrator.url}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(begin))
  return Number(line?.slice(line.lastIndexOf(' ')) ?? 0)
}
