import { expect, test } from 'vitest'
import type { ActorAddress } from '../../../machines/definition.ts'
import { concernsOf, type Relations } from './concerns.ts'

const relations: Relations = {
  taskOf: async (issue) => (issue === 'default/lib-1' ? 'default/implement-lib-1-x7k2p' : undefined),
  repositoriesOf: async (project) => (project === 'default/demo' ? ['default/lib', 'default/app'] : []),
  projectsOf: async (key) => (key === 'abc' ? ['default/demo', 'other/demo'] : []),
}

const cases: readonly [address: ActorAddress, keys: readonly string[]][] = [
  ['task:default/implement-lib-1-x7k2p', ['Task/default/implement-lib-1-x7k2p']],
  ['pod:default/implement-lib-1-x7k2p/2', ['Task/default/implement-lib-1-x7k2p']],
  ['turn:default/implement-lib-1-x7k2p/2/0', ['Task/default/implement-lib-1-x7k2p']],
  ['issue:default/lib-1', ['Issue/default/lib-1', 'Task/default/implement-lib-1-x7k2p']],
  ['issue:default/lib-2', ['Issue/default/lib-2']],
  ['merge-request:default/lib-mr-2', ['MergeRequest/default/lib-mr-2']],
  ['queue:default/demo', ['QueuedEvent/default', 'Project/default/demo']],
  ['ledger:default/demo', ['QueuedEvent/default']],
  ['project:default/demo', ['Project/default/demo', 'Repository/default/lib', 'Repository/default/app']],
  ['memory:default/demo', ['Project/default/demo', 'Repository/default/lib', 'Repository/default/app']],
  ['model-key:abc', ['Project/default/demo', 'Project/other/demo']],
  ['model-key:unknown', []],
  ['ingest-job:default/demo/1', []],
]

test.each(cases)('a step of %s concerns %j', async (address, keys) => {
  expect(await concernsOf(address, relations)).toEqual(keys)
})

test('a look-up that fails is no silence', async () => {
  const away: Relations = { ...relations, taskOf: () => Promise.reject(new Error('the database is away')) }
  await expect(concernsOf('issue:default/lib-1', away)).rejects.toThrow('away')
})
