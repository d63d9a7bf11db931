import { expect, test } from 'vitest'
import { errorOf } from '../../../edges/kubernetes/api/answers.ts'
import type { KubeClient, KubeObject, Method, Question } from '../../../edges/kubernetes/api/api.ts'
import { closeFinalizer } from '../../../edges/kubernetes/api/marks.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { createNamespace, removeNamespace } from './demo-namespace.ts'

const path = '/api/v1/namespaces/demo-x'
const namespace = { metadata: { name: 'demo-x', uid: 'u-1' } } as KubeObject
const refusing = { type: 'NamespaceFinalizersRemaining', status: 'True', message: 'platform.dev/close in 1 resource' }

/** Deletes the namespace once no Project with a finalizer is in it. */
function cluster(more: { readonly keeps?: boolean; readonly fails?: number; readonly uid?: string } = {}) {
  let [isThere, isDeleted, elapsed, failures] = [true, false, 0, more.fails ?? 0]
  let finalizers: readonly string[] = [closeFinalizer]
  const asked: string[] = []
  const ask = async (method: Method, to: string, { body }: Question = {}): Promise<unknown> => {
    asked.push(`${method} ${to} ${JSON.stringify(body ?? null)}`)
    if (failures-- > 0) throw errorOf(503, { message: 'away' })
    if (to === path && method === 'DELETE') isDeleted = true
    if (to === path && !isThere) throw errorOf(404, { message: 'gone' })
    if (to === path) return space()
    if (to.endsWith('/projects')) return { metadata: {}, items: [project()] }
    if (method === 'PATCH' && to.includes('/projects/')) {
      finalizers = []
      isThere = more.keeps === true
      return project()
    }
    return { metadata: {}, items: [] }
  }
  const gone = () => (isDeleted ? { deletionTimestamp: 'now' } : {})
  const space = () => ({
    metadata: { name: 'demo-x', uid: more.uid ?? 'u-1', ...gone() },
    status: { phase: 'Terminating', conditions: [refusing, { status: 'False', message: 'no' }] },
  })
  const project = () => ({ metadata: { name: 'p', namespace: 'demo-x', uid: 'u-2', finalizers, ...gone() } })
  // Each wait passes at once.
  const clock: Clock = {
    now: () => elapsed,
    elapsed: () => elapsed,
    setTimer(delayMs, callback) {
      elapsed += delayMs
      const immediate = setImmediate(callback)
      return { cancel: () => clearImmediate(immediate) }
    },
  }
  return { asked, deps: { client: { ask } as unknown as KubeClient, clock } }
}

test('its deletion is of this namespace alone, shortens the grace of pods, and takes our finalizers off', async () => {
  const { asked, deps } = cluster()
  expect(await removeNamespace(deps, namespace)).toEqual([])
  const deletions = asked.filter((one) => one.startsWith('DELETE'))
  expect(deletions).toEqual([
    `DELETE ${path}/pods {"gracePeriodSeconds":10}`,
    `DELETE ${path} {"preconditions":{"uid":"u-1"}}`,
  ])
  expect(asked.filter((one) => one.startsWith('PATCH')).length).toBeGreaterThan(0)
})

test('a server that is away for a while is asked again', async () => {
  const { deps } = cluster({ fails: 3 })
  expect(await removeNamespace(deps, namespace)).toEqual([])
})

test('a later namespace of the name stays', async () => {
  const { asked, deps } = cluster({ uid: 'u-9' })
  expect(await removeNamespace(deps, namespace)).toEqual([])
  expect(asked.filter((one) => !one.startsWith('GET'))).toEqual([])
})

test('one that stays is named after two minutes, with what keeps it', async () => {
  const { deps } = cluster({ keeps: true })
  expect(await removeNamespace(deps, namespace)).toEqual([
    'the namespace demo-x is still there: platform.dev/close in 1 resource',
  ])
  expect(deps.clock.elapsed()).toBeLessThan(200_000)
})

test('a namespace that is there is never taken for our own', async () => {
  const client = { ask: () => Promise.reject(errorOf(409, { message: 'already exists' })) }
  await expect(createNamespace(client, 'demo-x')).rejects.toThrow('already exists')
})
