import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { testClock } from '../../http/testing/fixture.ts'
import { resourceReaderContract } from '../ports/contract/resources-contract.ts'
import type { ResourceStore } from '../ports/resources.ts'
import { localMigrations } from './migrations.ts'
import { localResources } from './resources.ts'

let sql: Sql
let resources: ResourceStore
const clock = testClock(1_000)

beforeAll(async () => {
  sql = await openSharedSql([localMigrations])
})
afterAll(() => sql.close())
beforeEach(async () => {
  await sql.exec('delete from resource')
  let count = 0
  resources = localResources(sql, clock, { next: () => `uid-${++count}` })
})

const project = {
  kind: 'Project',
  namespace: 'default',
  name: 'demo',
  spec: { triggerLabel: 'platform', scm: { owner: 'acme', botLogin: 'bot' } },
}

test('what is applied first is created, with a uid, the first generation and the time', async () => {
  const at = clock.now()
  expect(await resources.apply(project)).toEqual({
    change: 'created',
    resource: { ...project, uid: 'uid-1', generation: 1, createdAt: at, updatedAt: at },
  })
  expect(await resources.get('Project', 'default', 'demo')).toEqual((await resources.list('Project'))[0])
})

test('what is applied again as it is changes nothing, whatever the order of its keys', async () => {
  const { resource } = await resources.apply(project)
  clock.advance(1_000)
  const turned = { scm: { botLogin: 'bot', owner: 'acme' }, triggerLabel: 'platform' }
  expect(await resources.apply({ ...project, spec: turned })).toEqual({ change: 'unchanged', resource })
  expect(await resources.get('Project', 'default', 'demo')).toEqual(resource)
})

test('every change of the spec is the next generation of the same resource', async () => {
  const { resource } = await resources.apply(project)
  clock.advance(1_000)
  const spec = { ...project.spec, triggerLabel: 'agents' }
  expect(await resources.apply({ ...project, spec })).toEqual({
    change: 'configured',
    resource: { ...resource, spec, generation: 2, updatedAt: resource.createdAt + 1_000 },
  })
  expect((await resources.apply(project)).resource.generation).toBe(3)
})

test('the order of a list is a change, and so is a key that is gone', async () => {
  await resources.apply({ ...project, spec: { logins: ['a', 'b'], extra: null } })
  expect((await resources.apply({ ...project, spec: { logins: ['b', 'a'], extra: null } })).change).toBe('configured')
  expect((await resources.apply({ ...project, spec: { logins: ['b', 'a'] } })).change).toBe('configured')
})

test('a name is taken per kind and namespace', async () => {
  const others = [
    { ...project, namespace: 'other' },
    { ...project, kind: 'Repository' },
    { ...project, name: 'demo-2' },
  ]
  await resources.apply(project)
  for (const other of others) expect((await resources.apply(other)).change).toBe('created')
  expect((await resources.list('Project')).map(({ namespace, name }) => `${namespace}/${name}`)).toEqual([
    'default/demo',
    'default/demo-2',
    'other/demo',
  ])
  expect((await resources.list('Project', 'other')).map(({ uid }) => uid)).toEqual(['uid-2'])
  expect(await resources.list('Task')).toEqual([])
})

test('two who apply at once make one resource', async () => {
  const applied = await Promise.all([1, 2, 3].map((size) => resources.apply({ ...project, spec: { size } })))
  expect(applied.map(({ change }) => change).toSorted()).toEqual(['configured', 'configured', 'created'])
  expect(await resources.get('Project', 'default', 'demo')).toMatchObject({
    generation: 3,
    uid: applied[0]?.resource.uid,
  })
})

test('removing tells whether there was one, and what comes after it is another resource', async () => {
  const { resource } = await resources.apply(project)
  expect(await resources.remove('Project', 'default', 'demo')).toBe(true)
  expect(await resources.remove('Project', 'default', 'demo')).toBe(false)
  expect(await resources.get('Project', 'default', 'demo')).toBeUndefined()
  expect((await resources.apply(project)).resource.uid).not.toBe(resource.uid)
})

resourceReaderContract('one machine', (use) =>
  use({
    resources,
    apply: async (wanted) => void (await resources.apply(wanted)),
    remove: async ({ kind, namespace, name }) => void (await resources.remove(kind, namespace, name)),
  }),
)
