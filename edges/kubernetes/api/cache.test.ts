import { expect, test } from 'vitest'
import { captureLog } from '../../../http/testing/fixture.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { errorOf, KubeError } from './answers.ts'
import { nameOf, type WatchEvent } from './api.ts'
import { createObjectCache } from './cache.ts'
import { added, anObject, bookmark, deleted, modified, scriptedClient, settle } from '../testing/scripted-client.ts'

const resource = { apiVersion: 'platform.dev/v1alpha1', plural: 'tasks' }

function cacheUnderTest(given: { readonly namespaces?: readonly string[]; readonly labelSelector?: string } = {}) {
  const client = scriptedClient()
  const clock = simulatedClock(1_000_000)
  const log = captureLog()
  const cache = createObjectCache({
    client,
    resource,
    namespaces: [],
    clock,
    random: () => 1,
    logger: log.logger,
    ...given,
  })
  const heard: string[] = []
  cache.subscribe((name, change) =>
    heard.push(`${change} ${name} ${cache.get(name)?.metadata.resourceVersion ?? ''}`.trim()),
  )
  return {
    client,
    clock,
    log,
    cache,
    heard,
    names: () => cache.list().map(nameOf),
    last: () => client.watches.at(-1)!,
    /** Starts, with a first list at version 10. */
    listed: async (...events: readonly WatchEvent[]) => {
      const started = cache.start()
      client.watches.at(-1)!.send(...events, bookmark(10, true))
      await started
      await settle()
    },
    /** What has waited for so long goes on. */
    wait: async (milliseconds: number) => {
      await settle(clock.advance(milliseconds))
    },
  }
}

test('lists by a stream, and is started once the whole list is there', async () => {
  const { cache, client, heard, names, last } = cacheUnderTest({ labelSelector: 'a=b' })
  let isStarted = false
  const started = cache.start().then(() => (isStarted = true))
  void cache.start()
  expect(last().path).toBe('/apis/platform.dev/v1alpha1/tasks')
  expect(last().query).toEqual({
    labelSelector: 'a=b',
    allowWatchBookmarks: true,
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
  })
  await settle(last().send(added('team/b', 4), added('team/a', 3), added('team/x', 5), deleted('team/x', 6)))
  expect([isStarted, names(), heard]).toEqual([false, [], []])
  last().send(bookmark(10, true))
  await started
  expect(names()).toEqual(['team/a', 'team/b'])
  expect(heard.toSorted()).toEqual(['changed team/a 3', 'changed team/b 4'])
  expect(client.watches.length).toBe(1)
  await cache.stop()
})

test('gives each change once, and forgets what was deleted', async () => {
  const { cache, heard, listed, last, names } = cacheUnderTest()
  await listed(added('team/a', 3))
  await settle(last().send(modified('team/a', 11), added('team/b', 12), bookmark(13), deleted('team/a', 14)))
  expect(heard).toEqual(['changed team/a 3', 'changed team/a 11', 'changed team/b 12', 'gone team/a'])
  expect(names()).toEqual(['team/b'])
  await cache.stop()
})

test('goes on from the version it has reached, by a bookmark too, after the watch ended', async () => {
  const { cache, client, listed, last, heard, wait } = cacheUnderTest()
  await listed(added('team/a', 3))
  await settle(last().send(bookmark(25)))
  await settle(last().end())
  await wait(200)
  expect(client.watches.length).toBe(2)
  expect(last().query).toEqual({ allowWatchBookmarks: true, resourceVersion: '25' })
  await settle(last().send(modified('team/a', 26)))
  expect(heard.at(-1)).toBe('changed team/a 26')
  await cache.stop()
})

test.each([
  ['as the status of the answer', 'fail', errorOf(410, { reason: 'Expired' })],
  ['inside a 200', 'send', { type: 'ERROR', object: { code: 410, reason: 'Expired', metadata: {} } }],
] as const)(
  'a version that is gone, %s, is listed again: what vanished meanwhile is told',
  async (_name, act, what) => {
    const { cache, listed, last, heard, wait, names } = cacheUnderTest()
    await listed(added('team/a', 3), added('team/b', 4), added('team/c', 5))
    if (act === 'fail') last().fail(what)
    else last().send(what as unknown as WatchEvent)
    await settle()
    await wait(200)
    expect(last().query['sendInitialEvents']).toBe(true)
    await settle(last().send(added('team/a', 3), added('team/b', 40)))
    expect(names()).toEqual(['team/a', 'team/b', 'team/c'])
    await settle(last().send(bookmark(50, true)))
    expect(heard.slice(3)).toEqual(['gone team/c', 'changed team/b 40'])
    await cache.stop()
  },
)

test('a server that is away is tried again with pauses that grow to ten seconds, from the version reached', async () => {
  const { cache, client, listed, last, wait, clock, log } = cacheUnderTest()
  await listed()
  clock.advance(60_000)
  for (const [at, pause] of [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000].entries()) {
    await settle(last().fail(new KubeError({ code: 0, reason: 'NoAnswer', message: 'refused' })))
    await wait(pause - 1)
    expect(client.watches.length).toBe(at + 1)
    await wait(1)
    expect(client.watches.length).toBe(at + 2)
    expect(last().query['resourceVersion']).toBe('10')
  }
  expect(log.lines().at(-1)).toMatchObject({
    path: '/apis/platform.dev/v1alpha1/tasks',
    failures: 8,
    retryInMs: 10_000,
  })
  await cache.stop()
})

test('watches that end at once are begun again more and more slowly', async () => {
  const { cache, client, listed, last, wait } = cacheUnderTest()
  await listed()
  for (let times = 0; times < 50; times++) {
    await settle(last().end())
    await wait(1_000)
  }
  expect(client.watches.length).toBeLessThan(12)
  await cache.stop()
})

test('a pause that the server asks for is kept, and a refusal is asked again after 30 seconds', async () => {
  for (const [failure, pause] of [
    [errorOf(429, {}, '7'), 7_000],
    [errorOf(404, { reason: 'NotFound', message: 'tasks is not there' }), 30_000],
  ] as const) {
    const { cache, client, last, wait, log } = cacheUnderTest()
    void cache.start()
    await settle(last().fail(failure))
    await wait(pause - 1)
    expect(client.watches.length).toBe(1)
    await wait(1)
    expect(client.watches.length).toBe(2)
    expect(log.lines()[0]).toMatchObject({ err: { code: failure.code, message: failure.message } })
    await cache.stop()
  }
})

test.each([
  ['refuses a streamed list', 'fail', errorOf(422, { message: 'sendInitialEvents is forbidden' })],
  ['gives it up', 'send', { type: 'ERROR', object: { code: 500, message: 'no progress', metadata: {} } }],
  ['ends it', 'end', undefined],
] as const)('where the server %s, it lists in pages and watches from there', async (_name, act, what) => {
  const { cache, client, last, wait, heard } = cacheUnderTest()
  const started = cache.start()
  if (act === 'fail') last().fail(what)
  else if (act === 'end') last().end()
  else last().send(what as unknown as WatchEvent)
  await settle()
  await wait(30_000)
  const page = (name: string, version: string, more: object) => ({
    apiVersion: 'platform.dev/v1alpha1',
    kind: 'TaskList',
    metadata: { resourceVersion: version, ...more },
    items: [{ metadata: anObject(name, 3).metadata }],
  })
  await settle(client.asks[0]!.answer(page('team/a', '20', { continue: 'next' })))
  expect(heard).toEqual([])
  expect(client.asks[1]!.question.query).toEqual({ limit: 500, continue: 'next' })
  client.asks[1]!.answer(page('team/b', '20', {}))
  await started
  expect(cache.get('team/b')).toMatchObject({ apiVersion: 'platform.dev/v1alpha1', kind: 'Task' })
  await settle()
  expect(last().query).toEqual({ allowWatchBookmarks: true, resourceVersion: '20' })
  await cache.stop()
})

test('a list in pages whose rest has expired is begun anew, soon', async () => {
  const { cache, client, last, wait } = cacheUnderTest()
  void cache.start()
  await settle(last().end())
  await wait(200)
  client.asks[0]!.answer({ kind: 'TaskList', metadata: { resourceVersion: '20', continue: 'next' }, items: null })
  await settle()
  await settle(client.asks[1]!.fail(errorOf(410, {})))
  await wait(400)
  expect(client.asks[2]!.question.query).toEqual({ limit: 500 })
  await cache.stop()
})

test('a watch without a word for 150 seconds is a dead socket: it is ended, and the collection listed again', async () => {
  const { cache, client, listed, last, wait, log } = cacheUnderTest()
  await listed()
  await wait(100_000)
  await settle(last().send(bookmark(20)))
  await wait(149_999)
  expect(client.watches[0]!.isAborted()).toBe(false)
  await wait(1)
  expect(client.watches[0]!.isAborted()).toBe(true)
  await wait(200)
  expect(client.watches.length).toBe(2)
  expect(log.lines()[0]).toMatchObject({ msg: 'a watch was silent for too long and is begun again' })
  await cache.stop()
})

test('a server that is silent about a version it has not reached again is asked for a list (restored store)', async () => {
  const { cache, listed, last, wait, heard, names } = cacheUnderTest()
  await listed(added('team/a', 3), added('team/b', 4), added('team/c', 9))
  await settle(last().end())
  await wait(200)
  await wait(90_000)
  await settle(last().fail(new KubeError({ code: 0, reason: 'NoAnswer', message: 'silent' })))
  await wait(200)
  expect(last().query['sendInitialEvents']).toBe(true)
  await settle(last().send(added('team/a', 3), added('team/b', 2), bookmark(5, true)))
  expect(names()).toEqual(['team/a', 'team/b'])
  expect(heard.slice(3)).toEqual(['gone team/c', 'changed team/a 3', 'changed team/b 2'])
  await settle(last().send(modified('team/a', 6)))
  expect(cache.get('team/a')?.metadata.resourceVersion).toBe('6')
  await cache.stop()
})

test('an own write counts at once, unless the watch has brought something newer', async () => {
  const { cache, listed, last, heard } = cacheUnderTest()
  await listed(added('team/a', 3))
  cache.put(anObject('team/a', 20))
  expect(heard.at(-1)).toBe('changed team/a 20')
  await settle(last().send(modified('team/a', 15), modified('team/a', 20)))
  expect(cache.get('team/a')?.metadata.resourceVersion).toBe('20')
  expect(heard.length).toBe(2)
  cache.put(anObject('team/a', 19))
  await settle(last().send(deleted('team/a', 21)))
  cache.put(anObject('team/a', 20))
  expect(cache.get('team/a')).toBeUndefined()
  expect(heard.slice(2)).toEqual(['gone team/a'])
  await cache.stop()
})

test('an own write is not gone by a list that is older, nor by the end of an earlier object of its name', async () => {
  const { cache, listed, last, wait, names } = cacheUnderTest()
  await listed(added('team/a', 3))
  cache.put(anObject('team/a', 30, { uid: 'another' }))
  cache.put(anObject('team/b', 31))
  await settle(last().send(deleted('team/a', 12)))
  expect(names()).toEqual(['team/a', 'team/b'])
  await settle(last().fail(errorOf(410, {})))
  await wait(200)
  await settle(last().send(bookmark(29, true)))
  expect(names()).toEqual(['team/a', 'team/b'])
  await cache.stop()
})

test('a listener that throws or rejects is logged and harms nobody; one that left hears nothing', async () => {
  const { cache, listed, last, log, heard } = cacheUnderTest()
  cache.subscribe(() => {
    throw new Error('thrown')
  })
  cache.subscribe(async () => {
    throw new Error('rejected')
  })
  const left: string[] = []
  cache.subscribe((name) => left.push(name))()
  await listed(added('team/a', 3))
  await settle(last().send(modified('team/a', 11)))
  expect(heard.length).toBe(2)
  expect(log.lines().map(({ err }) => (err as Error).message)).toEqual(['thrown', 'rejected', 'thrown', 'rejected'])
  expect(left).toEqual([])
  await cache.stop()
})

test('several namespaces have a watch each; an end of one is no end of another’s objects', async () => {
  const { cache, client, names, wait } = cacheUnderTest({ namespaces: ['team', 'other', 'team'] })
  const started = cache.start()
  expect(client.watches.map(({ path }) => path)).toEqual([
    '/apis/platform.dev/v1alpha1/namespaces/team/tasks',
    '/apis/platform.dev/v1alpha1/namespaces/other/tasks',
  ])
  await settle(client.watches[0]!.send(added('team/a', 3), bookmark(10, true)))
  client.watches[1]!.send(added('other/b', 4), bookmark(12, true))
  await started
  expect(cache.list('team').map(nameOf)).toEqual(['team/a'])
  await settle(client.watches[0]!.fail(errorOf(410, {})))
  await wait(200)
  await settle(client.watches[2]!.send(bookmark(20, true)))
  expect(names()).toEqual(['other/b'])
  await cache.stop()
})

test('stop is final, during the first list too: nothing is given, nothing is asked, nothing waits', async () => {
  const { cache, client, clock, heard, last } = cacheUnderTest()
  const started = cache.start()
  await settle(last().send(added('team/a', 3)))
  last().send(bookmark(10, true), modified('team/a', 11))
  const stopped = cache.stop()
  last().send(bookmark(12, true))
  await settle(Promise.all([started, stopped]))
  await settle(clock.advance(600_000))
  expect([heard, client.watches.length, clock.waiting()]).toEqual([[], 1, 0])
})

test('stop during a pause, during pages and before the start ends it as well', async () => {
  const paused = cacheUnderTest()
  void paused.cache.start()
  await settle(paused.last().end())
  await paused.cache.stop()
  expect(paused.clock.waiting()).toBe(0)

  const paging = cacheUnderTest()
  void paging.cache.start()
  await settle(paging.last().end())
  await paging.wait(200)
  paging.client.asks[0]!.answer({
    kind: 'TaskList',
    metadata: { resourceVersion: '20' },
    items: [anObject('team/a', 3)],
  })
  const stopped = paging.cache.stop()
  await stopped
  expect([paging.heard, paging.client.watches.length]).toEqual([[], 1])

  const idle = cacheUnderTest()
  await idle.cache.stop()
  await idle.cache.start()
  expect(idle.client.watches).toEqual([])
})

test('who wrote which field is not kept', async () => {
  const { cache, listed } = cacheUnderTest()
  await listed({ type: 'ADDED', object: anObject('team/a', 3, { managedFields: [{ manager: 'kubectl' }] }) })
  expect(cache.get('team/a')?.metadata).not.toHaveProperty('managedFields')
  await cache.stop()
})
