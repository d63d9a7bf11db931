import { describe, expect, it } from 'vitest'
import { ATask } from '../../../machines/task/a-task.ts'
import { generateSigningKeyPem, importSigningKey } from '../../../http/auth/tokens.ts'
import { testClock, withServer } from '../../../http/testing.ts'
import { registerAgentApi } from '../api.ts'
import type { AgentApiDeps } from '../deps.ts'
import { podTokens, type PodClaims } from '../pod-tokens.ts'
import { aForge, aView, reading } from '../testing.ts'

const key = await importSigningKey(generateSigningKeyPem())
const task = new ATask().mint().running().context

/** The status, and what the forge was asked to do to issue 9, which `owner` works on. */
async function write(body: object, owner: string, agentKind: PodClaims['agentKind'] = 'implement'): Promise<object> {
  const clock = testClock()
  const did: string[] = []
  const tokens = podTokens(key, clock, { next: () => 'a-token' })
  const token = await tokens.mint({ project: task.config.project, task: task.id, pod: 1, agentKind }, 600)
  const project = {
    name: 'demo',
    scm: { owner: 'acme', apiURL: 'http://forge/api' },
    repositories: [{ name: 'lib', url: 'http://forge/acme/lib.git' }],
  }
  const deps = {
    runtime: {
      ...reading({
        [`task:${task.id}`]: aView(task),
        [`pod:${task.id}/1`]: aView({}),
        'issue:default/lib-9': aView({ owner }),
      }),
      deliver: async () => undefined,
    },
    clock,
    podTokens: tokens,
    projects: { project: async () => project },
    openForge: async () =>
      aForge({
        listComments: async () => [],
        createComment: async () => {
          did.push('comment')
          return { id: '1', url: '' } as never
        },
        editIssue: async () => {
          did.push('edit')
          return { url: '' } as never
        },
        closeIssue: async () => void did.push('close'),
      }),
  } as unknown as AgentApiDeps
  let status = 0
  await withServer(
    (app) => registerAgentApi(app, deps) as never,
    async ({ url }) => {
      const answer = await fetch(`${url}/tasks/${encodeURIComponent(task.id)}/issues`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ repo: 'lib', number: 9, ...body }),
      })
      status = answer.status
    },
  )
  return { status, did }
}

const closing = { action: 'close', comment: 'It is over.' }
const editing = { action: 'edit', body: '/approve' }

describe('issue_write', () => {
  it.each([
    [
      'closes no issue of another Task, nor speaks there of closing it (TOOL-ISSUE-6)',
      closing,
      'default/other',
      403,
      [],
    ],
    ['edits no issue of another Task (TOOL-ISSUE-6)', editing, 'default/other', 403, []],
    ['comments where another Task works', { action: 'comment', body: 'See here.' }, 'default/other', 200, ['comment']],
    ['closes its own issue (AGENT-API-18)', closing, task.id, 200, ['comment', 'close']],
    ['edits an issue on which nobody works', editing, '', 200, ['edit']],
  ])('%s', async (_what, body, owner, status, did) => {
    expect(await write(body, owner)).toEqual({ status, did })
  })

  it('closes an issue of another Task for a refine, whose work that is (TOOL-ISSUE-6)', async () => {
    expect(await write(closing, 'default/other', 'refine')).toEqual({ status: 200, did: ['comment', 'close'] })
  })
})
