import { expect, test } from 'vitest'
import type { ActorView } from '../../runtime/runtime.ts'
import { taskThreadsIn } from './task-threads.ts'

const TASK = 'default/implement-library-1-aaaaa'
const context = {
  id: TASK,
  forge: { issues: [{ repository: 'library', number: 1, state: 'open' }], mergeRequests: [] },
}

test.each<[status: ActorView['status'] | 'unknown', places: unknown]>([
  ['active', [{ kind: 'issue', repository: 'library', number: 1, task: TASK }]],
  // Its snapshot is another version's.
  ['quarantined', undefined],
  ['unknown', []],
])('the threads of a Task that is %s (MERGE-11)', async (status, places) => {
  const view = status === 'unknown' ? undefined : ({ status, context } as never)
  expect(await taskThreadsIn({ read: async () => view })(`task:${TASK}`)).toEqual(places)
})
