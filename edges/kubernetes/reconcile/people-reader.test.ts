import { expect, test } from 'vitest'
import { orchestratorMade } from '../api/marks.ts'
import { peopleReader } from './people-reader.ts'
import { MemoryServer } from '../testing/memory-server.ts'
import { FakeCache } from '../testing/fake-cache.ts'
import { projectSpec, repositorySpec, taskSpec } from '../testing/reconciling.ts'

test('what people want is read: no Project that goes, no Task of the platform, but a Task that goes', async () => {
  const api = new MemoryServer()
  const finalizers = ['x.io/held']
  const reader = peopleReader({
    projects: new FakeCache(api, 'Project'),
    repositories: new FakeCache(api, 'Repository'),
    tasks: new FakeCache(api, 'Task'),
  })
  api.create({ kind: 'Project', name: 'demo', spec: projectSpec })
  api.create({ kind: 'Project', name: 'goes', spec: projectSpec, metadata: { finalizers } })
  api.create({ kind: 'Repository', name: 'lib', spec: repositorySpec })
  api.create({ kind: 'Repository', name: 'goes', spec: repositorySpec, metadata: { finalizers } })
  api.create({ kind: 'Task', name: 'goes', spec: taskSpec, metadata: { finalizers } })
  api.create({ kind: 'Task', name: 'minted', spec: taskSpec, metadata: { labels: orchestratorMade } })
  for (const kind of ['Project', 'Repository', 'Task']) api.remove(kind, 'goes')
  const names = async (kind: string): Promise<readonly string[]> => (await reader.list(kind)).map(({ name }) => name)
  expect([await names('Project'), await names('Repository'), await names('Task')]).toEqual([
    ['demo'],
    ['lib'],
    ['goes'],
  ])
  expect(await reader.get('Project', 'default', 'goes')).toBeUndefined()
  expect(await reader.get('Task', 'default', 'minted')).toBeUndefined()
  expect(await reader.get('Task', 'default', 'goes')).toMatchObject({ name: 'goes' })
})
