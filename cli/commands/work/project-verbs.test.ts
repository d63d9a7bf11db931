import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { UsageError } from '../../args.ts'
import { pause, resume } from './project-verbs.ts'
import { said, withOrchestrator } from '../testing/fixture.ts'

const Body = Type.Object({ project: Type.String(), reason: Type.String() }, { additionalProperties: false })

async function withProject(
  use: (dir: string, asked: readonly unknown[]) => Promise<void>,
  maxConcurrentAgents = 2,
): Promise<void> {
  const asked: unknown[] = []
  await withOrchestrator(
    ({ dir }) => use(dir, asked),
    (app) => {
      for (const verb of ['pause', 'resume'])
        app.post(`/operations/${verb}`, { schema: { body: Body } }, async ({ body }) => {
          asked.push([verb, body])
          const pausedBy = verb === 'pause' ? { by: 'olga', reason: body.reason, at: 0 } : null
          return { project: `default/${body.project}`, pausedBy, maxConcurrentAgents, waiting: 3, running: 1 }
        })
    },
  )
}

test('pause and resume print who, why, and what runs and waits (ORCHESTRATOR-API-8)', async () => {
  await withProject(async (dir, asked) => {
    const paused = await said(() => pause(['cart', '--reason', 'a look', '--dir', dir]))
    expect(paused.out).toBe('default/cart: paused by olga since 1970-01-01T00:00:00.000Z: a look; 1 running, 3 waiting')
    const resumed = await said(() => resume(['cart', '--reason', 'done', '--dir', dir]))
    expect(resumed.out).toBe('default/cart: resumed; 1 running, 3 waiting')
    expect(asked).toEqual([
      ['pause', { project: 'cart', reason: 'a look' }],
      ['resume', { project: 'cart', reason: 'done' }],
    ])
    const json = await said(() => resume(['cart', '--reason', 'done', '--json', '--dir', dir]))
    expect(JSON.parse(json.out)).toMatchObject({ pausedBy: null, waiting: 3 })
  })
  await withProject(async (dir) => {
    const resumed = await said(() => resume(['cart', '--reason', 'done', '--dir', dir]))
    expect(resumed.out).toBe('default/cart: resumed, but its maxConcurrentAgents is 0; 1 running, 3 waiting')
  }, 0)
})

test('no Project, two of them and no reason are faults of the call', async () => {
  await expect(pause([])).rejects.toThrow(UsageError)
  await expect(pause(['a', 'b', '--reason', 'x'])).rejects.toThrow('pause takes one Project')
  await expect(resume(['a'])).rejects.toThrow('--reason is required')
})
