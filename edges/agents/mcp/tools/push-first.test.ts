import { expect, it } from 'vitest'
import type { Backend } from '../backend.ts'
import { text, withPod } from '../testing/fixture.ts'
import { scmTools } from './scm.ts'

const opening = { action: 'open', repo: 'lib', title: 't', body: 'b' }

/** What the tool asks of whom, in its order. */
async function askedBy(input: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const asked: string[] = []
  const backend = {
    pod: { task: 'default/mine', project: 'demo', profile: 'implement' },
    push: async () => (asked.push('push'), []),
    send: async (_service: string, method: string) => (asked.push(method), {}),
  } as unknown as Backend
  await scmTools.find(({ name }) => name === 'mr_write')!.call(input, backend)
  return asked
}

it('a merge request is opened after the wrapper pushed; a comment pushes nothing (TOOL-RULE-3, TOOL-OPEN-13)', async () => {
  expect(await askedBy(opening)).toEqual(['push', 'POST'])
  expect(await askedBy({ action: 'comment', repo: 'lib', number: 1, body: 'b' })).toEqual(['POST'])
})

const notPushed = (): Response =>
  Response.json({ code: 'branch-not-pushed', detail: 'commit, and call again' }, { status: 409 })
const refusal = 'the forge refused the push: [remote rejected] (declined); GH013: Repository rule violations found'

it.each([
  ['no branch on the forge', notPushed, true],
  ['one that is open already', () => Response.json({ status: 'ok', existing: true, number: 7 }), false],
  ['no approval', () => Response.json({ code: 'approval-required', issues: [] }, { status: 409 }), false],
])('a refused push names its reason, also where the answer is %s (TOOL-OPEN-14)', async (_what, answer, isError) => {
  const refusedPushes = [
    { repo: 'other', error: 'not asked for' },
    { repo: 'lib', error: refusal },
  ]
  const call = { name: 'mr_write', arguments: opening }
  await withPod(
    'implement',
    answer,
    async (client) => {
      const result = await client.callTool(call)
      expect([result.isError ?? false, text(result)]).toEqual([isError, expect.stringContaining(refusal)])
      expect(text(result)).not.toContain('not asked for')
    },
    { refusedPushes },
  )
  await withPod('implement', answer, async (client) => {
    expect(text(await client.callTool(call))).not.toContain('refused')
  })
})
