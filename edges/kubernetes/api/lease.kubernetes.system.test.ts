/** The Lease on a real server, by a clock that stands still while a request is under way. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { captureLog } from '../../../http/testing/fixture.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { KubeError } from './answers.ts'
import { pathOf, type KubeClient } from './api.ts'
import { createElection } from './lease.ts'
import { withRealServer } from '../testing/real-server.ts'

const leases = { apiVersion: 'coordination.k8s.io/v1', plural: 'leases' }

function electionsOn(client: KubeClient, namespace: string) {
  const clock = simulatedClock(Date.UTC(2026, 0, 1, 0, 0, 0, 123))
  const story: string[] = []
  const dead = new Set<string>()
  const requests = { underWay: 0 }
  const open = (identity: string) =>
    createElection({
      client: {
        watch: client.watch.bind(client),
        close: async () => undefined,
        ask: async (...asked) => {
          if (dead.has(identity)) throw new KubeError({ code: 0, reason: 'NoAnswer', message: 'away' })
          requests.underWay++
          return client.ask<never>(...asked).finally(() => requests.underWay--)
        },
      },
      namespace,
      identity,
      clock,
      random: Math.random,
      logger: captureLog().logger,
      onLeading: () => void story.push(`${identity} leads`),
      onLost: () => void story.push(`${identity} lost`),
    })
  const answered = async (): Promise<void> => {
    do await wait(2)
    while (requests.underWay > 0)
  }
  const run = async (seconds: number): Promise<void> => {
    await answered()
    for (let step = 0; step < seconds; step++) {
      clock.advance(1_000)
      await answered()
    }
  }
  return { open, run, story, dead }
}

describeRequiring('kubernetes', 'a real API server', () => {
  test('of three that race for the Lease one leads, and all see who', async () => {
    await withRealServer(async ({ plane, client }) => {
      const { open, run, story } = electionsOn(client, await plane.ownNamespace())
      const all = ['one', 'two', 'three'].map(open)
      for (const one of all) one.start()
      await run(12)
      const leaders = all.filter((one) => one.isLeading())
      expect(leaders.length).toBe(1)
      expect(story.length).toBe(1)
      for (const one of all) expect(`${one.holder()} leads`).toBe(story[0])
      await Promise.all(all.map((one) => one.stop()))
    })
  })

  test('one that reaches the server no more has stepped down before the other takes over; a stop releases', async () => {
    await withRealServer(async ({ plane, client }) => {
      const namespace = await plane.ownNamespace()
      const path = pathOf(leases, { namespace, name: 'statewright-orchestrator' })
      const { open, run, story, dead } = electionsOn(client, namespace)
      const [one, two] = ['one', 'two'].map(open) as [ReturnType<typeof open>, ReturnType<typeof open>]
      one.start()
      await run(1)
      two.start()
      await run(11)
      const { spec } = await client.ask('GET', path)
      expect(spec).toMatchObject({
        holderIdentity: 'one',
        acquireTime: '2026-01-01T00:00:00.123000Z',
        leaseTransitions: 0,
      })
      dead.add('one')
      await run(40)
      expect(story).toEqual(['one leads', 'one lost', 'two leads'])
      expect([one.isLeading(), two.isLeading()]).toEqual([false, true])
      dead.delete('one')
      await run(6)
      expect(one.holder()).toBe('two')
      expect((await client.ask('GET', path)).spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 })
      await two.stop()
      expect((await client.ask('GET', path)).spec?.['holderIdentity'] ?? '').toBe('')
      await run(6)
      expect(story.slice(3)).toEqual(['two lost', 'one leads'])
      await one.stop()
    })
  })

  test('the server refuses a time of three fraction digits, as a Date prints it', async () => {
    await withRealServer(async ({ plane, client }) => {
      const namespace = await plane.ownNamespace()
      const spec = { holderIdentity: 'x', leaseDurationSeconds: 15, renewTime: new Date(0).toISOString() }
      const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'x' }, spec }
      await expect(client.ask('POST', pathOf(leases, { namespace }), { body })).rejects.toMatchObject({ code: 400 })
    })
  })
})
