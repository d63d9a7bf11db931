import { Type } from 'typebox'
import { expect } from 'vitest'
import { Problem } from '../../../http/problems/problem.ts'
import { UsageError } from '../../args.ts'
import { cancel, hold, retry } from './task-verbs.ts'
import { said, withOrchestrator } from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

const Body = Type.Object({ task: Type.String(), reason: Type.Optional(Type.String()) }, { additionalProperties: false })

/** As the orchestrator answers that knows one parked Task. */
async function withTask(use: (dir: string, asked: readonly string[]) => Promise<void>): Promise<void> {
  const asked: string[] = []
  await withOrchestrator(
    ({ dir }) => use(dir, asked),
    (app) => {
      for (const [verb, answer] of [
        ['retry', { stage: 'implementing', stageReason: null }],
        ['cancel', { stage: 'rejected', stageReason: 'cancelled' }],
        ['hold', { stage: 'awaiting-human', stageReason: 'held' }],
      ] as const)
        app.post(`/operations/${verb}`, { schema: { body: Body } }, async ({ body }) => {
          if (body.task !== 'by-hand') throw new Problem('not-found', `there is no Task ${body.task}`)
          asked.push(body.reason === undefined ? verb : `${verb}: ${body.reason}`)
          return answer
        })
    },
  )
}

const it = testInside(withTask)

it('retry lets a Task go on that has no thread on the forge, and prints where it stands', async (dir, asked) => {
  const { out } = await said(() => retry(['by-hand', '--dir', dir]))
  expect([out, asked]).toEqual(['by-hand: implementing', ['retry']])
})

it('cancel ends a Task and prints how it ended (STAGE-7)', async (dir, asked) => {
  const { out } = await said(() => cancel(['by-hand', '--dir', dir]))
  expect([out, asked]).toEqual(['by-hand: rejected, cancelled', ['cancel']])
  const json = await said(() => cancel(['by-hand', '--dir', dir, '--json']))
  expect(JSON.parse(json.out)).toEqual({ stage: 'rejected', stageReason: 'cancelled' })
})

it('hold takes a Task out of work, for a reason that it asks for (ORCHESTRATOR-API-4)', async (dir, asked) => {
  const { out } = await said(() => hold(['by-hand', '--reason', 'a look', '--dir', dir]))
  expect([out, asked]).toEqual(['by-hand: awaiting-human, held', ['hold: a look']])
  await expect(hold(['by-hand', '--dir', dir])).rejects.toThrow('--reason is required')
  await expect(retry(['by-hand', '--reason', 'x', '--dir', dir])).rejects.toThrow(UsageError)
  expect(asked).toHaveLength(1)
})

it('a Task that nobody knows is an error, and so is none', async (dir, asked) => {
  await expect(retry(['nobody', '--dir', dir])).rejects.toThrow('there is no Task nobody')
  await expect(cancel([])).rejects.toThrow(UsageError)
  await expect(retry(['a', 'b'])).rejects.toThrow(UsageError)
  expect(asked).toEqual([])
})
