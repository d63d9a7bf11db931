/** What an API server answers, as far as the orchestrator's writes rely on it: the one in memory and a real one alike. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { kindNamed } from '../../../crd/kinds.ts'
import { applyPatch, mergePatch, pathOf, type KubeClient, type KubeObject } from '../api/api.ts'

export interface ServerUnderTest {
  readonly client: Pick<KubeClient, 'ask'>
  readonly namespace: string
  /** A node takes the pod. */
  bind(pod: string): Promise<void>
}

interface Writing {
  readonly by?: string
  readonly metadata?: object
  readonly isForced?: boolean
}

const { apiVersion } = kindNamed('Task')!
const spec = { projectRef: 'demo', kind: 'implement', goal: 'g', repositories: ['lib'] }
const held = { finalizers: ['x.io/held'] }
const condition = (type: string, status = 'True'): object => ({
  ...{ type, status, reason: 'Because', message: 'm', lastTransitionTime: '2026-01-02T03:04:05Z' },
})

/** Objects of a namespace, each under a name of its own. */
function writer({ client, namespace }: ServerUnderTest, kind = 'Task') {
  const resource = kindNamed(kind)!
  const [name, by] = [`o-${randomUUID().slice(0, 8)}`, 'a']
  const path = pathOf(resource, { namespace, name })
  const head = { apiVersion, kind }
  const apply = (at: string, body: object, { by: fieldManager = by, metadata, isForced: force = true }: Writing) =>
    client.ask('PATCH', at, {
      ...{ query: { fieldManager, force }, type: applyPatch },
      body: { ...head, metadata: { name, ...metadata }, ...body },
    })
  const merge = (at: string, body: object): Promise<KubeObject> =>
    client.ask('PATCH', at, { query: { fieldManager: 'person' }, body, type: mergePatch })
  return {
    path,
    all: pathOf(resource, { namespace }),
    create: (metadata: object = {}, own: object = spec, more: object = {}): Promise<KubeObject> =>
      client.ask('POST', pathOf(resource, { namespace }), {
        ...{
          query: { fieldManager: 'person' },
          body: { ...head, metadata: { name, ...metadata }, spec: own, ...more },
        },
      }),
    read: () => client.ask('GET', path),
    apply: (body: object, writing: Writing = {}) => apply(path, body, writing),
    applyStatus: (status: object, writing: Writing = {}) => apply(`${path}/status`, { status }, writing),
    merge: (body: object) => merge(path, body),
    mergeStatus: (body: object) => merge(`${path}/status`, body),
    remove: (body?: object) => client.ask('DELETE', path, { body }),
  }
}

const marksOf = ({ metadata: { finalizers, annotations } }: KubeObject): unknown => [finalizers, annotations]
const typesOf = ({ status }: KubeObject): unknown =>
  ((status?.['conditions'] ?? []) as readonly { type: string }[]).map(({ type }) => type)
const refused = (code: number): object => ({ code })

export function serverContract(withServer: (use: (server: ServerUnderTest) => Promise<void>) => Promise<void>): void {
  const states = (title: string, check: (server: ServerUnderTest) => Promise<void>): void =>
    test(title, () => withServer(check))

  states(
    'an object gets a uid, a version and its first generation, and no status that its maker gives it',
    async (server) => {
      const { create, path, all } = writer(server)
      const made = await create({}, spec, { status: { stage: 'a lie' } })
      const { uid, resourceVersion, generation } = made.metadata
      expect([uid, resourceVersion]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)])
      expect([generation, made.status]).toEqual([1, undefined])
      await expect(create()).rejects.toMatchObject({ code: 409, reason: 'AlreadyExists' })
      await expect(server.client.ask('GET', `${path}-more`)).rejects.toMatchObject({ code: 404, reason: 'NotFound' })
      const { items } = await server.client.ask<{ items: readonly KubeObject[] }>('GET', all, {
        query: { fieldSelector: `metadata.name=${made.metadata.name}` },
      })
      expect(items.map(({ metadata }) => metadata.uid)).toEqual([uid])
    },
  )

  states(
    'a change of the spec is a new generation, one of marks or of the status a new version alone',
    async (server) => {
      const { create, merge, mergeStatus } = writer(server, 'Repository')
      const versions = [
        await create({}, { projectRef: 'demo' }),
        await merge({ spec: { defaultBranch: 'next' } }),
        await merge({ metadata: { labels: { a: 'b' } } }),
        await mergeStatus({ status: { forgeId: '7' } }),
      ].map(({ metadata }) => metadata)
      expect(versions.map(({ generation }) => generation)).toEqual([1, 2, 2, 2])
      expect(new Set(versions.map(({ resourceVersion }) => resourceVersion)).size).toBe(4)
      const same = await merge({ spec: { defaultBranch: 'next' }, metadata: { labels: { a: 'b' } } })
      expect(same.metadata.resourceVersion).toBe(versions[3]!.resourceVersion)
    },
  )

  states('a write of the object leaves its status, and one of the status leaves the rest', async (server) => {
    const { create, merge, mergeStatus } = writer(server, 'Repository')
    await create({}, { projectRef: 'demo' })
    expect(await mergeStatus({ status: { forgeId: '7' }, spec: { projectRef: 'other' } })).toMatchObject({
      ...{ spec: { projectRef: 'demo' }, status: { forgeId: '7' } },
    })
    const written = await merge({ status: { forgeId: '8' }, metadata: { annotations: { a: 'b' } } })
    expect(written).toMatchObject({ metadata: { annotations: { a: 'b' } }, status: { forgeId: '7' } })
    expect((await mergeStatus({ status: { forgeId: null } })).status ?? {}).toEqual({})
  })

  states('an older version is a conflict, and another uid one to be read again, but for a status', async (server) => {
    const { create, apply, applyStatus, merge, mergeStatus } = writer(server)
    const { resourceVersion } = (await create()).metadata
    await mergeStatus({ status: { stage: 'minted' } })
    const older = { metadata: { resourceVersion } }
    await expect(apply({}, older)).rejects.toMatchObject(refused(409))
    await expect(applyStatus({ stage: 'queued' }, older)).rejects.toMatchObject(refused(409))
    await expect(merge(older)).rejects.toMatchObject(refused(409))
    await expect(mergeStatus({ ...older, status: { stage: 'queued' } })).rejects.toMatchObject(refused(409))
    const other = { metadata: { uid: 'another' } }
    const stale = { ...refused(422), reason: 'OtherUid', isRetryable: true }
    await expect(apply({}, other)).rejects.toMatchObject(stale)
    await expect(merge({ metadata: { uid: 'another', annotations: { a: 'b' } } })).rejects.toMatchObject(stale)
    expect((await applyStatus({ stage: 'queued' }, other)).status).toEqual({ stage: 'queued' })
  })

  states('an apply makes the object that is not there, unless it names a uid or is of the status', async (server) => {
    const { apply, applyStatus, read } = writer(server)
    await expect(apply({ spec }, { metadata: { uid: 'u' } })).rejects.toMatchObject(refused(409))
    await expect(applyStatus({ stage: 'minted' })).rejects.toMatchObject(refused(404))
    await apply({ spec, status: { stage: 'a lie' } })
    expect(await read()).toMatchObject({ metadata: { generation: 1 }, spec })
    expect((await read()).status).toBeUndefined()
  })

  states('what a manager applies no more goes, and what others have stays', async (server) => {
    const { create, apply } = writer(server)
    await create({ finalizers: ['x.io/other'], annotations: { kept: 'yes' } })
    const marks = { ...held, annotations: { ours: 'yes' } }
    expect(marksOf(await apply({}, { metadata: marks }))).toEqual([
      ['x.io/other', 'x.io/held'],
      { kept: 'yes', ours: 'yes' },
    ])
    expect(marksOf(await apply({}))).toEqual([['x.io/other'], { kept: 'yes' }])
    await apply({}, { metadata: { finalizers: ['x.io/other'] } })
    expect(marksOf(await apply({}))).toEqual([['x.io/other'], { kept: 'yes' }])
  })

  states('the last mark that goes leaves no empty list', async (server) => {
    const { create, apply, merge } = writer(server)
    await create()
    await apply({}, { metadata: { ...held, annotations: { ours: 'yes' } } })
    expect(marksOf(await apply({}))).toEqual([undefined, undefined])
    await merge({ metadata: { ...held, annotations: { ours: 'yes' } } })
    expect(marksOf(await merge({ metadata: { finalizers: [], annotations: { ours: null } } }))).toEqual([
      undefined,
      undefined,
    ])
  })

  states('an apply over another manager’s value is a conflict, unless it is the same or forced', async (server) => {
    const { create, apply, applyStatus, mergeStatus } = writer(server)
    await create()
    await mergeStatus({ status: { stage: 'minted' } })
    await expect(apply({ spec: { ...spec, goal: 'h' } }, { isForced: false })).rejects.toMatchObject(refused(409))
    expect((await apply({ spec }, { isForced: false })).spec).toMatchObject(spec)
    await expect(applyStatus({ stage: 'queued' }, { isForced: false })).rejects.toMatchObject(refused(409))
    expect((await applyStatus({ stage: 'queued' })).status).toEqual({ stage: 'queued' })
    // The first writer has it no more: it goes with the second.
    expect((await applyStatus({ stage: 'queued', pendingEvents: 1 }, { by: 'b' })).status).toMatchObject({
      stage: 'queued',
    })
    expect((await applyStatus({ pendingEvents: 1 })).status).toEqual({ stage: 'queued', pendingEvents: 1 })
    expect((await applyStatus({ pendingEvents: 2 }, { by: 'b' })).status).toEqual({ pendingEvents: 2 })
    const own = await applyStatus({ pendingEvents: 3 }, { by: 'b', isForced: false })
    expect(own.status).toEqual({ pendingEvents: 3 })
  })

  states('conditions are known by their type, each its manager’s', async (server) => {
    const { create, applyStatus, mergeStatus } = writer(server)
    await create()
    await applyStatus({ conditions: [condition('A')] })
    expect(typesOf(await applyStatus({ conditions: [condition('B')] }, { by: 'b' }))).toEqual(['A', 'B'])
    const both = await applyStatus({ conditions: [condition('A', 'False'), condition('C')] })
    expect(both.status).toEqual({ conditions: [condition('A', 'False'), condition('B'), condition('C')] })
    expect(typesOf(await applyStatus({ conditions: [condition('C')] }))).toEqual(['B', 'C'])
    expect(typesOf(await mergeStatus({ status: { conditions: [condition('D')] } }))).toEqual(['D'])
    expect(typesOf(await applyStatus({ conditions: [] }))).toEqual(['D'])
  })

  states('an apply of an empty list of conditions may end a status, and one of nothing may not', async (server) => {
    const { create, applyStatus } = writer(server)
    await create()
    await applyStatus({ stage: 'minted' })
    await expect(applyStatus({})).rejects.toMatchObject(refused(422))
    expect((await applyStatus({ conditions: [] })).status?.['conditions'] ?? []).toEqual([])
  })

  states('an apply that changes nothing is no new version', async (server) => {
    const { create, apply, applyStatus } = writer(server)
    await create()
    await apply({}, { metadata: held })
    const { resourceVersion } = (await applyStatus({ stage: 'minted' })).metadata
    const again = [await apply({}, { metadata: held }), await applyStatus({ stage: 'minted' })]
    expect(again.map(({ metadata }) => metadata.resourceVersion)).toEqual([resourceVersion, resourceVersion])
  })

  states('a deletion names its uid, and waits for the last finalizer', async (server) => {
    const { create, remove, read, apply, applyStatus } = writer(server)
    await create()
    await apply({}, { metadata: held })
    await expect(remove({ preconditions: { uid: 'another' } })).rejects.toMatchObject(refused(409))
    const { metadata } = await read()
    await remove({ preconditions: { uid: metadata.uid } })
    const ending = (await read()).metadata
    expect(ending).toMatchObject({ ...held, generation: 2, deletionTimestamp: expect.any(String) })
    await remove()
    expect((await read()).metadata).toEqual(ending)
    await expect(apply({}, { metadata: { finalizers: ['x.io/held', 'x.io/more'] } })).rejects.toMatchObject(
      refused(422),
    )
    expect((await applyStatus({ stage: 'closed' })).status).toEqual({ stage: 'closed' })
    await apply({})
    await expect(read()).rejects.toMatchObject(refused(404))
    await expect(remove()).rejects.toMatchObject(refused(404))
  })

  states('an object without finalizers goes at once, and a later one of its name has another uid', async (server) => {
    const { create, remove, read } = writer(server)
    const { uid } = (await create()).metadata
    await remove()
    await expect(read()).rejects.toMatchObject(refused(404))
    expect((await create()).metadata.uid).not.toBe(uid)
  })

  states(
    'a pod without a node goes at once, and one with a node within a grace that only gets shorter',
    async (server) => {
      const { client, namespace } = server
      const [all, path] = [undefined, 'one'].map((name) =>
        pathOf({ apiVersion: 'v1', plural: 'pods' }, { namespace, ...(name === undefined ? {} : { name }) }),
      ) as [string, string]
      const body = {
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' } },
        spec: { containers: [{ name: 'one', image: 'x' }], terminationGracePeriodSeconds: 40 },
      }
      const end = async (grace?: number): Promise<number> => {
        await client.ask('DELETE', path, { body: grace === undefined ? {} : { gracePeriodSeconds: grace } })
        return Date.parse((await client.ask('GET', path)).metadata.deletionTimestamp!)
      }
      await client.ask('POST', all, { body })
      await expect(end()).rejects.toMatchObject(refused(404))
      await client.ask('POST', all, { body })
      await server.bind('one')
      const [own, short] = [await end(), await end(10)]
      expect((own - short) / 1_000).toBeGreaterThanOrEqual(25)
      expect(await end(30)).toBe(short)
      await expect(end(0)).rejects.toMatchObject(refused(404))
    },
  )
}
