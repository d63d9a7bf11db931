import { expect, test } from 'vitest'
import { captureLog } from '../../../http/testing/fixture.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { errorOf, KubeError } from './answers.ts'
import type { KubeClient, KubeObject } from './api.ts'
import { createElection } from './lease.ts'
import { settle } from '../testing/scripted-client.ts'

const away = new KubeError({ code: 0, reason: 'NoAnswer', message: 'away' })

/** One Lease, as a server keeps it: a write of an older version is a conflict. */
class LeaseServer {
  lease: KubeObject | undefined
  #version = 0

  write(body: unknown): KubeObject {
    const { metadata } = body as KubeObject
    if (this.lease?.metadata.resourceVersion !== metadata.resourceVersion) throw errorOf(409, { reason: 'Conflict' })
    this.lease = { ...(body as KubeObject), metadata: { ...metadata, resourceVersion: `${++this.#version}` } }
    return this.lease
  }

  read(): KubeObject {
    if (this.lease === undefined) throw errorOf(404, { reason: 'NotFound' })
    return this.lease
  }
}

type Fault = 'none' | 'away' | 'hangs' | 'loses answers' | 'slow'

function scene() {
  const clock = simulatedClock(Date.UTC(2026, 0, 1))
  const server = new LeaseServer()
  const story: string[] = []
  const log = captureLog()
  const open = (identity: string, more: { readonly clock?: Clock; readonly hooks?: object } = {}) => {
    const link = { fault: 'none' as Fault, asked: 0 }
    const client: KubeClient = {
      ask: async <Answer>(method: string, _path: string, question: { body?: unknown; signal?: AbortSignal } = {}) => {
        link.asked++
        if (link.fault === 'away') throw away
        if (link.fault === 'hangs')
          return new Promise<Answer>((_resolve, reject) =>
            question.signal?.addEventListener('abort', () => reject(away)),
          )
        const answer = method === 'GET' ? server.read() : server.write(question.body)
        if (link.fault === 'slow') await new Promise<void>((resolve) => clock.setTimer(2_000, resolve))
        if (link.fault === 'loses answers' && method !== 'GET') throw away
        return answer as Answer
      },
      watch: () => {
        throw new Error('no Lease is watched')
      },
      close: async () => undefined,
    }
    const at = (): number => clock.elapsed() / 1_000
    const election = createElection({
      client,
      namespace: 'own',
      identity,
      clock,
      random: () => 0.5,
      logger: log.logger,
      onLeading: () => void story.push(`${identity} leads at ${at()}`),
      onLost: () => void story.push(`${identity} lost at ${at()}`),
      ...more,
      ...more.hooks,
    })
    return { election, link }
  }
  const run = async (seconds: number): Promise<void> => {
    await settle()
    for (let step = 0; step < seconds * 2; step++) {
      await settle(clock.advance(500))
    }
  }
  return { clock, server, story, log, open, run }
}

test('takes a Lease that nobody has, and renews it every 5 seconds under the same name', async () => {
  const { server, open, run, story } = scene()
  const { election, link } = open('one')
  expect([election.isLeading(), election.holder()]).toEqual([false, undefined])
  election.start()
  await settle(election.start())
  expect([election.isLeading(), election.holder(), story]).toEqual([true, 'one', ['one leads at 0']])
  const first = server.read()
  expect(first.spec).toEqual({
    holderIdentity: 'one',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:00:00.000000Z',
    leaseTransitions: 0,
  })
  await run(20)
  expect(server.read().spec).toEqual({ ...first.spec, renewTime: '2026-01-01T00:00:20.000000Z' })
  expect([link.asked, story.length]).toEqual([6, 1])
  await election.stop()
})

test('of several who try at once one leads, and the others see who (SERVICE-8)', async () => {
  const { open, run } = scene()
  const all = ['one', 'two', 'three'].map((name) => open(name).election)
  for (const one of all) one.start()
  await run(60)
  expect(all.filter((one) => one.isLeading()).length).toBe(1)
  const [leader] = all.filter((one) => one.isLeading())
  expect(new Set(all.map((one) => one.holder()))).toEqual(new Set([leader!.holder()]))
  await Promise.all(all.map((one) => one.stop()))
})

test.each(['away', 'hangs'] as const)(
  'a leader whose server %s has stepped down before another takes the Lease',
  async (fault) => {
    const { open, run, story, server } = scene()
    const one = open('one')
    const two = open('two')
    one.election.start()
    await run(1)
    two.election.start()
    await run(20)
    one.link.fault = fault
    await run(30)
    expect(story).toEqual(['one leads at 0', 'one lost at 30', expect.stringMatching(/^two leads at 3[5-9]/)])
    expect([one.election.isLeading(), two.election.isLeading()]).toEqual([false, true])
    expect(server.read().spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 })
    one.link.fault = 'none'
    await run(60)
    expect(story.length).toBe(3)
    expect(one.election.holder()).toBe('two')
    await Promise.all([one.election.stop(), two.election.stop()])
  },
)

test('a short outage, and answers that are lost, end nobody’s lead', async () => {
  for (const fault of ['away', 'hangs', 'loses answers'] as const) {
    const { open, run, story } = scene()
    const { election, link } = open('one')
    election.start()
    await run(4)
    link.fault = fault
    await run(4)
    link.fault = 'none'
    await run(30)
    expect([story, election.isLeading()]).toEqual([['one leads at 0'], true])
    await election.stop()
  }
})

test('a renewal counts from when it was asked for, however late its answer comes', async () => {
  const { open, run, story } = scene()
  const { election, link } = open('one')
  election.start()
  await run(4)
  link.fault = 'slow'
  await run(4)
  link.fault = 'away'
  await run(30)
  expect(story).toEqual(['one leads at 0', 'one lost at 15'])
  await election.stop()
})

test('a stop leaves the Lease alone that another has taken by hand meanwhile', async () => {
  const { open, run, server } = scene()
  const { election } = open('one')
  election.start()
  await run(1)
  server.write({ ...server.read(), spec: { holderIdentity: 'hand', leaseDurationSeconds: 15 } })
  await election.stop()
  expect(server.read().spec).toMatchObject({ holderIdentity: 'hand' })
})

test('a stop steps down, then gives the Lease to whoever waits, within 5 seconds', async () => {
  const { open, run, story, server } = scene()
  const ended = Promise.withResolvers<void>()
  const one = open('one', { hooks: { onLost: () => ended.promise } })
  const two = open('two')
  await settle(one.election.start())
  two.election.start()
  await run(7)
  const stopped = one.election.stop()
  await run(3)
  expect(one.election.isLeading()).toBe(false)
  expect(server.read().spec).toMatchObject({ holderIdentity: 'one' })
  ended.resolve()
  await stopped
  expect(server.read().spec).toMatchObject({ holderIdentity: '' })
  await run(5)
  expect(story.at(-1)).toMatch(/^two leads/)
  await run(60)
  expect(one.link.asked).toBeLessThan(12)
  await two.election.stop()
})

test('a stop of who does not lead leaves the Lease alone, and one without a server ends too', async () => {
  const { open, run, story, server, log } = scene()
  const one = open('one')
  const two = open('two')
  await settle(one.election.start())
  two.election.start()
  await run(6)
  await two.election.stop()
  expect(server.read().spec).toMatchObject({ holderIdentity: 'one' })
  one.link.fault = 'away'
  await one.election.stop()
  expect(story).toEqual(['one leads at 0', 'one lost at 6'])
  expect(log.lines().at(-1)).toMatchObject({ msg: 'the Lease was not released: it expires' })
})

test('a Lease that somebody takes or deletes by hand ends the lead at the next renewal', async () => {
  for (const hand of ['takes', 'deletes'] as const) {
    const { open, run, story, server } = scene()
    const { election } = open('one')
    await settle(election.start())
    if (hand === 'deletes') server.lease = undefined
    else server.write({ ...server.read(), spec: { holderIdentity: 'hand', leaseDurationSeconds: 15 } })
    await run(5)
    expect(story).toEqual(['one leads at 0', 'one lost at 5'])
    await run(25)
    expect(story.at(-1)).toMatch(/^one leads/)
    await election.stop()
  }
})

test('a jump of the time of day takes no Lease of another; a machine that slept leads no more', async () => {
  const { clock, open, run, story } = scene()
  let jump = 0
  const jumping: Clock = { ...clock, now: () => clock.now() + jump }
  const one = open('one')
  const two = open('two', { clock: jumping })
  await settle(one.election.start())
  two.election.start()
  await run(4)
  jump = 3_600_000
  await run(10)
  expect(story).toEqual(['one leads at 0'])
  await one.election.stop()
  await run(5)
  expect(two.election.isLeading()).toBe(true)
  jump += 20_000
  expect(two.election.isLeading()).toBe(false)
  await two.election.stop()
})

test('a hook that throws is logged and ends nothing', async () => {
  const { open, run, log } = scene()
  const fail = (): never => {
    throw new Error('hook')
  }
  const { election } = open('one', { hooks: { onLeading: fail, onLost: fail } })
  election.start()
  await run(10)
  expect(election.isLeading()).toBe(true)
  await election.stop()
  expect(log.lines().filter(({ err }) => (err as Error | undefined)?.message === 'hook').length).toBe(2)
})

test('a Lease that may not be read is asked for again, and nobody leads', async () => {
  const { open, run, log, server } = scene()
  const { election, link } = open('one')
  server.read = () => {
    throw errorOf(403, { reason: 'Forbidden', message: 'leases is forbidden' })
  }
  election.start()
  await run(10)
  expect(election.isLeading()).toBe(false)
  expect(link.asked).toBeGreaterThan(5)
  expect(log.lines()[0]).toMatchObject({ err: { code: 403 } })
  await election.stop()
})
