import { withChanges } from '../../machines/task/context.ts'
import { expect, test } from 'vitest'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'
import { findTasks, mostSkewMs } from './find-tasks.ts'
import { aTask, aView } from './testing/fixture.ts'

const template = aTask()

function task(id: string, project: string, stage: 'implementing' | 'delivered'): ActorView {
  return aView(withChanges(template, { id, stage: { name: stage }, config: { ...template.config, project } }), { id })
}

/** 1,300 Tasks of three Projects in two namespaces; every hundredth is still at work. */
const all = Array.from({ length: 1300 }, (_, index) => {
  const number = String(index).padStart(4, '0')
  const project = ['default/lib', 'default/app', 'other/lib'][index % 3] ?? ''
  return task(`${project.split('/')[0]}/t-${number}`, project, index % 100 === 0 ? 'implementing' : 'delivered')
}).toSorted((a, b) => (a.id < b.id ? -1 : 1))

/** Lists as the runtime does. */
const runtime: Pick<Runtime, 'list'> = {
  list: async (_kind, { after = '', limit = 100, idPrefix = '' } = {}) =>
    all.filter(({ id }) => id.startsWith(idPrefix) && id > after).slice(0, limit) as never,
}

test('A Task is found however many others its Project has (TOOL-TASK-2)', async () => {
  const found = await findTasks(runtime, {
    project: 'default/lib',
    matches: ({ stage: { name: stage } }) => stage === 'implementing',
  })
  expect(found.map(({ id }) => id)).toEqual([
    'default/t-0000',
    'default/t-0300',
    'default/t-0600',
    'default/t-0900',
    'default/t-1200',
  ])
})

test('A search goes on behind the Task where the page before ended, and gives no more than was asked for', async () => {
  const found = await findTasks(runtime, { project: 'default/app', after: 'default/t-0601', atMost: 3 })
  expect(found.map(({ id }) => id)).toEqual(['default/t-0604', 'default/t-0607', 'default/t-0610'])
})

test('Tasks that began before the Project was made are not found (POD-TOKEN-6)', async () => {
  const began = template.stage.history[0]!.at
  expect(await findTasks(runtime, { project: 'other/lib', since: began + mostSkewMs })).toHaveLength(433)
  expect(await findTasks(runtime, { project: 'other/lib', since: began + mostSkewMs + 1 })).toEqual([])
})

test('Tasks of a Project of the same name in another namespace are not found', async () => {
  const found = await findTasks(runtime, { project: 'other/lib' })
  expect(found).toHaveLength(433)
  expect(new Set(found.map(({ config }) => config.project))).toEqual(new Set(['other/lib']))
})
