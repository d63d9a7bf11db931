import { expect, test } from 'vitest'
import { people } from '../../standins/people.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import type { ActorView } from '../../runtime/runtime.ts'
import { markOf, wrongStandings } from './standings.ts'

const id = 'default/implement-library-1'
const task = {
  address: `task:${id}`,
  status: 'done',
  context: {
    id,
    stage: { name: 'delivered' },
    config: { project: 'default/demo' },
    forge: { issues: [{ repository: 'library', number: 1 }], mergeRequests: [] },
  },
} as unknown as ActorView

function said(stage: string, author: string = people.bot): { thread: string; author: string; body: string } {
  return { thread: 'library#1', author, body: `**Task** x: ended, \`${stage}\`\n\n${markOf(id)}` }
}

test('the one comment that says how a Task ended is right', () => {
  expect(wrongStandings([task], [said('delivered')])).toEqual([])
})

test.each([
  ['none', []],
  ['one of somebody else', [said('delivered', people.stranger)]],
  ['two', [said('delivered'), said('delivered')]],
  ['one that says what was so before', [said('implementing')]],
])('wrong is %s', (_, words) => {
  expect(wrongStandings([task], words)).toHaveLength(1)
})

test('a Task that has not ended, or that no thread shows, wants none', () => {
  const hidden = {
    ...task,
    context: { ...task.context, forge: { ...(task.context as TaskContext).forge, issues: [] } },
  } as unknown as ActorView
  expect(wrongStandings([{ ...task, status: 'active' }, hidden], [])).toEqual([])
})
