import { expect, it } from 'vitest'
import type { Backend } from '../backend.ts'
import { scmTools } from './scm.ts'

/** What the tool asks of whom, in its order. */
async function askedBy(input: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const asked: string[] = []
  const backend = {
    pod: { task: 'default/mine', project: 'demo', profile: 'implement' },
    push: async () => void asked.push('push'),
    send: async (_service: string, method: string) => (asked.push(method), {}),
  } as unknown as Backend
  await scmTools.find(({ name }) => name === 'mr_write')!.call(input, backend)
  return asked
}

it('a merge request is opened after the wrapper pushed; a comment pushes nothing (TOOL-RULE-3, TOOL-OPEN-13)', async () => {
  expect(await askedBy({ action: 'open', repo: 'lib', title: 't', body: 'b' })).toEqual(['push', 'POST'])
  expect(await askedBy({ action: 'comment', repo: 'lib', number: 1, body: 'b' })).toEqual(['POST'])
})
