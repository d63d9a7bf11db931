import { expect, test } from 'vitest'
import type { KubeObject, ObjectCache } from '../api/api.ts'
import { createResourceReader, resourceOf } from './resources.ts'

function project(spec: object | undefined, more: object = {}): KubeObject {
  return {
    apiVersion: 'platform.dev/v1alpha1',
    kind: 'Project',
    metadata: {
      namespace: 'team',
      name: 'demo',
      uid: 'uid-1',
      resourceVersion: '7',
      generation: 3,
      creationTimestamp: '2026-01-02T03:04:05Z',
      ...more,
    },
    ...(spec === undefined ? {} : { spec: spec as Record<string, unknown> }),
  }
}

const spec = { scmSecretRef: 'scm', scm: { provider: 'forge_a', owner: 'acme', botLogin: 'bot' } }

function readerOf(...objects: readonly KubeObject[]) {
  const cache: Pick<ObjectCache, 'get' | 'list'> = {
    get: (name) => objects.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === name),
    list: () => objects,
  }
  return createResourceReader({ Project: cache as ObjectCache })
}

test('an object is a resource with its uid, generation and time, and with the defaults of its schema', async () => {
  const createdAt = Date.UTC(2026, 0, 2, 3, 4, 5)
  expect(await readerOf(project(spec)).get('Project', 'team', 'demo')).toEqual({
    kind: 'Project',
    namespace: 'team',
    name: 'demo',
    uid: 'uid-1',
    generation: 3,
    createdAt,
    updatedAt: createdAt,
    spec: expect.objectContaining({ scmSecretRef: 'scm', maxConcurrentAgents: 3 }),
  })
})

test.each([
  ['a value that the schema refuses', { ...spec, maxConcurrentAgents: 'many' }],
  ['a word that is none of the choice', { ...spec, scm: { ...spec.scm, provider: 'elsewhere' } }],
  ['what is required and not there', {}],
  ['no spec at all', undefined],
  ['a list in the place of an object', { ...spec, scm: [] }],
  ['null', { ...spec, scm: null }],
])('an object with %s is not given, and its faults are', async (_name, wrong) => {
  const object = project(wrong)
  expect(await readerOf(object).get('Project', 'team', 'demo')).toBeUndefined()
  expect(await readerOf(object).list('Project')).toEqual([])
  expect(resourceOf(object).faults.length).toBeGreaterThan(0)
  expect(resourceOf(object).resource).toMatchObject({ name: 'demo', uid: 'uid-1' })
})

test('a field that nobody knows is left out, as servers do it', () => {
  const { resource, faults } = resourceOf(project({ ...spec, newer: 1 }))
  expect(faults).toEqual([])
  expect(resource.spec).not.toHaveProperty('newer')
})

test('an object is judged once', () => {
  const object = project(spec)
  expect(resourceOf(object)).toBe(resourceOf(object))
})

test('one that is being deleted is given until it is gone; a kind that nobody follows has none', async () => {
  const reader = readerOf(
    project(spec, { deletionTimestamp: '2026-01-03T00:00:00Z', finalizers: ['platform.dev/close'] }),
  )
  expect((await reader.list('Project')).length).toBe(1)
  expect(await reader.get('Issue', 'team', 'demo')).toBeUndefined()
  expect(await reader.list('Issue')).toEqual([])
})
