import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { explain } from '../../machines/why/why.ts'
import { type ATask, inReview, parkedBy } from '../../machines/task/a-task.ts'
import { Problem } from '../../edges/http/problem.ts'
import { statePath } from '../../runtime/state-path.ts'
import { UsageError } from '../args.ts'
import { said, withOrchestrator } from './testing.ts'
import { why } from './why.ts'

const dueAt = Date.parse('2026-01-02T03:04:05Z')

const answers: Readonly<Record<string, ATask>> = {
  parked: parkedBy('needs-maintainer'),
  declined: inReview().outcome('x').send('task.close', { by: 'alice' }).final(),
}

async function print(...args: readonly string[]): Promise<string> {
  let out = ''
  await withOrchestrator(
    async ({ dir }) => void (out = (await said(() => why([...args, '--dir', dir]))).out),
    (app) => {
      app.get(
        '/operations/why',
        { schema: { querystring: Type.Object({ task: Type.String() }) } },
        async ({ query }) => {
          const task = answers[query.task]
          if (task === undefined) throw new Problem('not-found', `there is no Task ${query.task}`)
          const actor = { value: task.value, path: statePath(task.value), context: task.context as never }
          const timers = [{ id: 'xstate.after.retryDelay.x', dueAt }]
          return explain({ task: actor, timers, now: 0 })
        },
      )
    },
  )
  return out
}

describe('why', () => {
  test('says the reason, who can move it, the next timer and the way to delivered, a line each', async () => {
    expect((await print('parked')).split('\n')).toEqual([
      'default/implement-lib-1-x7k2p: awaiting-human',
      '  why       needs-maintainer (task/awaiting-human/needs-maintainer)',
      '  who       maintainer',
      "  moved by  a maintainer's `/approve` on exactly the reviewed head, a new head, or a retry",
      '  timer     retryDelay at 2026-01-02T03:04:05.000Z',
      '  cost      at most 500,000,000 tokens a lap (implementing 240 turns, reviewing 10 turns); no limit is set for it',
      '',
      'The shortest way to delivered, 2 events:',
      '    WHO         DOES                                    THEN',
      '1.  maintainer  writes `/approve` on the reviewed head  merging',
      '2.  forge       merges lib!7                            delivered',
    ])
  })

  test('of one that has ended it says so and no way', async () => {
    expect(await print('declined')).toMatch(/why +it has ended/)
    expect(await print('declined')).not.toContain('way to delivered')
  })

  test('as JSON it is the whole answer, with the fields of each event', async () => {
    const answer = JSON.parse(await print('parked', '--json')) as { path: { event: { type: string } }[] }
    expect(answer.path.map(({ event }) => event.type)).toEqual(['mr.goAhead', 'mr.merged'])
  })

  test('a Task that nobody knows is an error, and so is none', async () => {
    await expect(print('nobody')).rejects.toThrow('there is no Task nobody')
    await expect(why([])).rejects.toThrow(UsageError)
    await expect(why(['a', 'b'])).rejects.toThrow(UsageError)
  })
})
