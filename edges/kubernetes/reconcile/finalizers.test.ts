import { expect, test } from 'vitest'
import { mergePatch, pathOf } from '../api/api.ts'
import { putFinalizer, removeFinalizer } from './finalizers.ts'
import { closeFinalizer, hasFinalizer, lifeAnnotation } from '../api/marks.ts'
import { MemoryServer } from '../testing/memory-server.ts'

const spec = { projectRef: 'demo', kind: 'implement', goal: 'g', repositories: ['a'] }
const tasks = { apiVersion: 'platform.dev/v1alpha1', plural: 'tasks' }

test('a finalizer goes on beside those of others, and off alone', async () => {
  const api = new MemoryServer()
  const task = api.create({ kind: 'Task', name: 'one', spec, metadata: { finalizers: ['x.io/other'] } })
  const on = await putFinalizer(api, task, { annotations: { [lifeAnnotation]: task.metadata.uid } })
  expect(on.metadata).toMatchObject({ finalizers: ['x.io/other', closeFinalizer] })
  expect(on.spec).toEqual(spec)
  const off = await removeFinalizer(api, on)
  expect(off?.metadata).toMatchObject({
    finalizers: ['x.io/other'],
    annotations: { [lifeAnnotation]: task.metadata.uid },
  })
})

test('what is as wanted is not written', async () => {
  const api = new MemoryServer()
  const task = api.create({ kind: 'Task', name: 'one', spec })
  expect(await removeFinalizer(api, task)).toBe(task)
  const on = await putFinalizer(api, task)
  expect(await putFinalizer(api, on)).toBe(on)
  expect(api.calls).toHaveLength(1)
})

test('no write meets a later object of the name', async () => {
  const api = new MemoryServer()
  const first = api.create({ kind: 'Task', name: 'one', spec })
  api.remove('Task', 'one')
  await expect(putFinalizer(api, first)).rejects.toMatchObject({ code: 409 })
  api.create({ kind: 'Task', name: 'one', spec })
  await expect(putFinalizer(api, first)).rejects.toMatchObject({ code: 422 })
  expect(hasFinalizer(api.find('Task', 'one')!)).toBe(false)
})

test('a claim is refused where the object is another than the one that was read', async () => {
  const api = new MemoryServer()
  const task = api.create({ kind: 'Task', name: 'one', spec })
  api.edit('Task', 'one', { spec: { ...spec, goal: 'other' } })
  await expect(putFinalizer(api, task, { asRead: true })).rejects.toMatchObject({ code: 409 })
  await putFinalizer(api, task)
})

test('a finalizer that somebody applied with a manifest comes off all the same', async () => {
  const api = new MemoryServer()
  const copy = api.create({ kind: 'Task', name: 'one', spec, metadata: { finalizers: [closeFinalizer, 'x.io/other'] } })
  const off = await removeFinalizer(api, await putFinalizer(api, copy))
  expect(off?.metadata.finalizers).toEqual(['x.io/other'])
})

test('the last finalizer of a deleted object lets it go, and one that is gone is no fault', async () => {
  const api = new MemoryServer()
  const on = await putFinalizer(api, api.create({ kind: 'Task', name: 'one', spec }))
  api.remove('Task', 'one')
  expect(api.find('Task', 'one')?.metadata.deletionTimestamp).toBeDefined()
  await removeFinalizer(api, on)
  expect(api.find('Task', 'one')).toBeUndefined()
  const path = pathOf(tasks, { namespace: 'default', name: 'one' })
  await expect(api.ask('PATCH', path, { type: mergePatch, body: {} })).rejects.toMatchObject({ code: 404 })
})
