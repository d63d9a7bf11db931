import { expect, test } from 'vitest'
import type { Answer, Delivery } from '../../../runtime/runtime.ts'
import { requestFold } from './request-fold.ts'

const params = {
  member: 'default/a',
  by: 'default/refine-1',
  project: 'default/demo',
  to: 'default/heir',
  entry: 'mint/default/heir',
}
const context = {
  key: 'task:default/refine-1/9/0',
  actor: 'task:default/refine-1',
  attempt: 1,
  at: 5,
  signal: new AbortController().signal,
  assertHeld: () => undefined,
} as const

async function asked(
  answer?: Answer,
): Promise<{ readonly sent: readonly Delivery[]; readonly back: readonly Delivery[] }> {
  const sent: Delivery[] = []
  const deliver = async (delivery: Delivery) => {
    sent.push(delivery)
    return { key: delivery.key, applied: answer === undefined, seq: 1, ...(answer ? { answer } : {}) }
  }
  const back = await requestFold({ runtime: { deliver } as never }).perform(params, context)
  return { sent, back }
}

test('a member that lives is asked under the key of the effect, and answers by itself', async () => {
  const { sent, back } = await asked()
  expect(sent).toEqual([
    {
      to: 'task:default/a',
      key: context.key,
      event: {
        type: 'fold.requested',
        at: 5,
        by: params.by,
        project: params.project,
        to: params.to,
        entry: params.entry,
      },
    },
  ])
  expect(back).toEqual([])
})

test.each([
  [409, 'actor-final'],
  [404, 'actor-unknown'],
])('a member that takes no events any more is answered for (%i %s)', async (status, code) => {
  const { back } = await asked({ status, body: { code } })
  expect(back).toEqual([
    {
      to: context.actor,
      key: `${context.key}/gone`,
      event: { type: 'fold.refused', at: 5, task: 'default/a', reason: 'task-terminal' },
    },
  ])
})

test('a member in quarantine is asked again: it may fold once it is repaired', async () => {
  await expect(asked({ status: 503, body: { code: 'actor-quarantined' } })).rejects.toMatchObject({
    name: 'RetryableError',
  })
})
