/** A collection that is followed on a real server: through its restart, a silent line, a version that is gone. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { captureLog } from '../../../http/testing/fixture.ts'
import { systemClock, type Clock } from '../../../runtime/clock.ts'
import { startControlPlane, type ControlPlane } from '../../../testing/control-plane.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { errorOf } from './answers.ts'
import { mergePatch, nameOf, pathOf, type KubeClient, type ObjectCache } from './api.ts'
import { createObjectCache } from './cache.ts'
import { configMap, configMaps, withRealServer, type RealServer } from '../testing/real-server.ts'
import { withTcpLink, type TcpLink } from '../testing/tcp-link.ts'

/** Every change that a cache gave, as `<name> <n>` by the object's data, or `<name> gone`. */
function storyOf(cache: ObjectCache): string[] {
  const story: string[] = []
  cache.subscribe((name, change) => {
    const short = name.split('/')[1]!
    // A ServiceAccount's bundle of authorities is put into every namespace.
    if (short !== 'kube-root-ca.crt')
      story.push(`${short} ${change === 'gone' ? 'gone' : cache.get(name)?.data?.['n']}`)
  })
  return story
}

function writerOf(client: KubeClient, namespace: string) {
  const at = (name: string) => pathOf(configMaps, { namespace, name })
  return {
    create: (name: string, n: number) =>
      client.ask('POST', pathOf(configMaps, { namespace }), { body: configMap(name, { n: `${n}` }) }),
    set: (name: string, n: number) =>
      client.ask('PATCH', at(name), { body: { data: { n: `${n}` } }, type: mergePatch }),
    remove: (name: string) => client.ask('DELETE', at(name)),
  }
}

/** The cache's client goes by a line of its own, the writer's does not. */
async function withFollower(
  plane: ControlPlane | undefined,
  use: (scene: { link: TcpLink; direct: RealServer; follower: RealServer }) => Promise<void>,
  watchSilenceMs = 90_000,
): Promise<void> {
  const given = plane === undefined ? {} : { plane }
  await withRealServer(async (direct) => {
    await withTcpLink(direct.plane.kubeconfig, (link) =>
      withRealServer((follower) => use({ link, direct, follower }), {
        ...given,
        kubeconfig: link.kubeconfig,
        watchSilenceMs,
      }),
    )
  }, given)
}

describeRequiring('kubernetes', 'a real API server', () => {
  test('gives what is there, then each change; an own write comes once', async () => {
    await withRealServer(async ({ plane, client, cacheOf }) => {
      const [namespace, other] = [await plane.ownNamespace(), await plane.ownNamespace()]
      const { create, set, remove } = writerOf(client, namespace)
      await create('a', 1)
      const cache = cacheOf(configMaps, [namespace])
      const story = storyOf(cache)
      await cache.start()
      expect(story).toEqual(['a 1'])
      await writerOf(client, other).create('x', 1)
      cache.put(await create('b', 1))
      await set('a', 2)
      await remove('b')
      await expect.poll(() => story).toEqual(['a 1', 'b 1', 'a 2', 'b gone'])
      const all = cacheOf(configMaps, [])
      await all.start()
      expect(all.list().map(nameOf)).toEqual(expect.arrayContaining([`${namespace}/a`, `${other}/x`]))
    })
  })

  test('where lists cannot be streamed they come in pages, and each change after them', async () => {
    await withRealServer(async ({ plane, client }) => {
      const namespace = await plane.ownNamespace()
      const { create, set } = writerOf(client, namespace)
      const ask = client.ask.bind(client)
      const older: KubeClient = {
        ask: (method, path, question) => ask(method, path, { ...question, query: { ...question?.query, limit: 2 } }),
        watch: (path, question) => {
          if (question.query?.['sendInitialEvents'] === true)
            throw errorOf(422, { message: 'sendInitialEvents is forbidden' })
          return client.watch(path, question)
        },
        close: async () => undefined,
      }
      for (const [at, name] of ['a', 'b', 'c', 'd', 'e'].entries()) await create(name, at)
      const { logger } = captureLog()
      // What is refused waits for half a minute otherwise.
      const clock: Clock = {
        ...systemClock,
        setTimer: (delay, callback) => systemClock.setTimer(delay / 100, callback),
      }
      const made = { client: older, resource: configMaps, namespaces: [namespace], clock, random: Math.random, logger }
      const cache = createObjectCache(made)
      const story = storyOf(cache)
      await cache.start()
      expect(story).toEqual(['a 0', 'b 1', 'c 2', 'd 3', 'e 4'])
      expect(cache.get(`${namespace}/a`)).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' })
      await set('b', 7)
      await expect.poll(() => story.at(-1)).toBe('b 7')
      await cache.stop()
    })
  })

  test('a line that is silent without an end is left, and what happened meanwhile is given', async () => {
    await withFollower(
      undefined,
      async ({ link, direct, follower }) => {
        const namespace = await direct.plane.ownNamespace()
        const { create, remove } = writerOf(direct.client, namespace)
        for (const name of ['a', 'b']) await create(name, 1)
        const cache = follower.cacheOf(configMaps, [namespace])
        const story = storyOf(cache)
        await cache.start()
        link.silence()
        await remove('a')
        await create('c', 1)
        link.mend()
        await expect.poll(() => story.slice(2).toSorted(), { timeout: 30_000 }).toEqual(['a gone', 'c 1'])
        expect(follower.log.lines()[0]).toMatchObject({ err: { reason: 'NoAnswer' } })
      },
      1_000,
    )
  })

  test('a restart of the server loses no event, a version that is gone is listed again, and stop is final', async () => {
    const plane = await startControlPlane()
    try {
      await withFollower(plane, async ({ link, direct, follower }) => {
        const { create, set, remove } = writerOf(direct.client, 'default')
        await expect.poll(() => create('a', 1).catch(() => undefined), { timeout: 30_000 }).toBeDefined()
        await create('b', 1)
        const cache = follower.cacheOf(configMaps, ['default'])
        const story = storyOf(cache)
        await cache.start()
        await set('a', 2)
        await expect.poll(() => story).toEqual(['a 1', 'b 1', 'a 2'])

        // After its restart the server has no changes from before it, so the version that the cache has reached is gone.
        link.cut()
        await set('a', 3)
        await remove('b')
        await plane.killApi()
        await plane.startApi()
        await create('c', 1)
        link.mend()
        await expect.poll(() => story.slice(3).toSorted(), { timeout: 60_000 }).toEqual(['a 3', 'b gone', 'c 1'])
        await set('c', 2)
        await expect.poll(() => story.at(-1), { timeout: 30_000 }).toBe('c 2')
        expect(follower.log.lines()).toContainEqual(expect.objectContaining({ msg: 'a collection is listed again' }))

        await cache.stop()
        const heard = story.length
        await set('c', 3)
        // Whoever follows it now has the change: a cache that still followed would have it too.
        const second = follower.cacheOf(configMaps, ['default'])
        await second.start()
        expect(second.get('default/c')?.data).toEqual({ n: '3' })
        await wait(50)
        expect([story.length, cache.get('default/c')?.data]).toEqual([heard, { n: '2' }])
      })
    } finally {
      await plane.stop()
    }
  })
})
