import { expect, test } from 'vitest'
import { deleteResource } from './delete.ts'
import { said, withOrchestrator } from '../testing/fixture.ts'

test('delete says that a Task is cancelled and stays, and that a Repository is deleted', async () => {
  const asked: string[] = []
  await withOrchestrator(
    async ({ dir }) => {
      const { out } = await said(async () => {
        await deleteResource(['task', 'months', '--dir', dir])
        await deleteResource(['repository', 'lib', '--dir', dir])
      })
      expect(out.split('\n')).toEqual([
        'task/months cancelled: it stays in get tasks as ended',
        'repository/lib deleted',
      ])
    },
    (app) =>
      void app.delete('/resources/*', async ({ url }, reply) => {
        asked.push(url)
        return reply.code(204).send()
      }),
  )
  expect(asked).toEqual(['/resources/tasks/default/months', '/resources/repositories/default/lib'])
})
