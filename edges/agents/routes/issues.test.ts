import { describe, expect, it } from 'vitest'
import { ATask } from '../../../machines/testing/a-task.ts'
import { generateSigningKeyPem, importSigningKey } from '../../../http/auth/tokens.ts'
import { testClock, withServer } from '../../../http/testing/fixture.ts'
import { registerAgentApi } from '../api.ts'
import type { AgentApiDeps } from '../deps.ts'
import { podTokens, type PodClaims } from '../pod-tokens.ts'
import { aLife, aForge, aThreadComment, aView, reading } from '../testing/fixture.ts'

const key = await importSigningKey(generateSigningKeyPem())
const task = new ATask().mint().running().context

/** The status, and what the forge was asked to do to issue 9, which `owner` works on. */
async function write(...given: Parameters<typeof written>): Promise<object> {
  const { status, did } = await written(...given)
  return { status, did }
}

/** The same, with the words that the forge got. */
async function written(
  body: object,
  owner: string,
  agentKind: PodClaims['agentKind'] = 'implement',
  known: object = {},
  commenters: readonly string[] = [],
): Promise<{ readonly status: number; readonly did: string[]; readonly said: unknown[] }> {
  const clock = testClock()
  const did: string[] = []
  const said: unknown[] = []
  const tokens = podTokens(key, clock, { next: () => 'a-token' })
  const token = await tokens.mint(
    { projectUid: aLife.uid, project: task.config.project, task: task.id, pod: 1, agentKind },
    600,
  )
  const project = {
    name: 'demo',
    scm: { owner: 'acme', apiURL: 'http://forge/api', maintainerLogins: ['Maria'] },
    repositories: [{ name: 'lib', url: 'http://forge/acme/lib.git' }],
  }
  const deps = {
    runtime: {
      ...reading({
        [`task:${task.id}`]: aView(task),
        [`pod:${task.id}/1`]: aView({}),
        'issue:default/lib-9': aView({ owner, ...known }),
      }),
      deliver: async () => undefined,
    },
    threads: { comments: async () => commenters.map((author) => aThreadComment({ author })) },
    clock,
    podTokens: tokens,
    lifeOf: async () => aLife,
    projects: { project: async () => project },
    openForge: async () =>
      aForge({
        listComments: async () => [],
        createComment: async (_path, _on, _number, text) => {
          did.push('comment')
          said.push(text.split('\n\n<!--')[0])
          return { id: '1', url: '' } as never
        },
        editIssue: async (_path, _number, change) => {
          did.push('edit')
          said.push(change)
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
  return { status, did, said }
}

const closing = { action: 'close', comment: 'It is over.' }
const editing = { action: 'edit', body: '/approve' }

describe('issue_write', () => {
  it.each([
    ['a grant stands', { grant: { by: 'maria' } }, []],
    ['a plan is shown', { plans: [{ noteId: 'n', hash: 'h', at: 0 }] }, []],
    ['a maintainer wrote', {}, ['max', 'maria']],
  ])('edits no issue where %s, and comments there (TOOL-ISSUE-8)', async (_where, known, commenters) => {
    for (const kind of ['implement', 'refine'] as const) {
      const here = [task.id, kind, known, commenters] as const
      expect(await write({ ...editing, title: 'Delete the tables' }, ...here)).toEqual({ status: 403, did: [] })
      expect(await write({ action: 'comment', body: 'See here.' }, ...here)).toEqual({ status: 200, did: ['comment'] })
    }
  })

  it.each<[string, string, PodClaims['agentKind'], number]>([
    ['its own', task.id, 'implement', 200],
    ['its own, as refine', task.id, 'refine', 200],
    ['one that no Task owns', '', 'implement', 403],
    ['one that no Task owns, as refine', '', 'refine', 200],
    ["another Task's", 'default/other', 'implement', 403],
    ["another Task's, as refine", 'default/other', 'refine', 403],
  ])('edits %s, where others wrote (TOOL-ISSUE-6)', async (_which, owner, kind, status) => {
    expect(await write(editing, owner, kind, {}, ['max'])).toEqual({ status, did: status === 200 ? ['edit'] : [] })
  })

  it('refuses a repository that no forge names (HTTP-19)', async () => {
    for (const repo of ['lib\ud800', 'lib\u0000'])
      expect(await write({ ...editing, repo }, task.id)).toEqual({ status: 400, did: [] })
  })

  it.each<[string, object, unknown]>([
    ['comment', { action: 'comment', body: 'Fixes #4\n/close' }, 'Fixes no. 4\n`/close`'],
    ['close', { action: 'close', comment: 'Fixes #4\n/close' }, 'Fixes no. 4\n`/close`'],
    [
      'edit',
      { action: 'edit', title: 'Fixes #4', body: '@dependabot rebase' },
      { title: 'Fixes no. 4', body: '@ dependabot rebase' },
    ],
  ])('%s writes no word that commands (EXECUTED-1, EXECUTED-2, EXECUTED-3)', async (_what, body, said) => {
    expect((await written(body, task.id)).said).toEqual([said])
  })

  it.each([
    [
      'closes no issue of another Task, nor speaks there of closing it (TOOL-ISSUE-6)',
      closing,
      'default/other',
      403,
      [],
    ],
    ['comments where another Task works', { action: 'comment', body: 'See here.' }, 'default/other', 200, ['comment']],
    ['closes its own issue (AGENT-API-18)', closing, task.id, 200, ['comment', 'close']],
  ])('%s', async (_what, body, owner, status, did) => {
    expect(await write(body, owner)).toEqual({ status, did })
  })

  it('closes an issue of another Task for a refine, whose work that is (TOOL-ISSUE-6)', async () => {
    expect(await write(closing, 'default/other', 'refine')).toEqual({ status: 200, did: ['comment', 'close'] })
  })
})
