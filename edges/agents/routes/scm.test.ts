import { encodeCursor } from '../../../http/problems/list.ts'
import { describe, expect, it } from 'vitest'
import type { ForgePort } from '../../forge/port.ts'
import type { ProjectDirectory } from '../../forge/projects.ts'
import { generateSigningKeyPem, importSigningKey } from '../../../http/auth/tokens.ts'
import { testClock, withServer } from '../../../http/testing/fixture.ts'
import { registerAgentApi } from '../api.ts'
import type { AgentApiDeps } from '../deps.ts'
import { podTokens } from '../pod-tokens.ts'
import {
  aLife,
  aForge,
  aTask,
  aThreadComment,
  aThreadIssue,
  aThreadMergeRequest,
  aThreadReader,
  aView,
  noon,
  reading,
} from '../testing/fixture.ts'

const key = await importSigningKey(generateSigningKeyPem())
const day = 86_400_000

interface Read {
  readonly status: number
  readonly body: Record<string, unknown>
  /** What mirror and forge were asked, in order. */
  readonly asked: readonly unknown[]
}

/** GET /tasks/{task}/scm by the Task's own pod, over the whole API. */
async function read(query: string): Promise<Read> {
  const clock = testClock(noon)
  const task = aTask()
  const asked: unknown[] = []
  const tokens = podTokens(key, clock, { next: () => 'a-token' })
  const token = await tokens.mint(
    { projectUid: aLife.uid, project: task.config.project, task: task.id, pod: 1, agentKind: 'implement' },
    600,
  )
  const project = {
    name: 'demo',
    scm: { owner: 'acme', apiURL: 'http://forge/api' },
    repositories: [{ name: 'lib', url: 'http://forge/acme/lib.git' }],
  }
  const threads = aThreadReader({
    issues: [aThreadIssue()],
    mergeRequests: [aThreadMergeRequest(), aThreadMergeRequest({ number: 8, complete: false })],
    comments: {
      'issue 1': [
        aThreadComment({ id: '1', body: 'first' }),
        aThreadComment({ id: '2', body: 'last', editedBy: 'carl' }),
      ],
      'mr 7': [aThreadComment({ id: 'inline-3', path: 'a.ts', line: 3, inReplyTo: 'inline-2' })],
    },
  })
  const deps = {
    runtime: reading({ [`task:${task.id}`]: aView(task), [`pod:${task.id}/1`]: aView({}) }),
    clock,
    podTokens: tokens,
    lifeOf: async () => aLife,
    projects: { project: async () => project } as unknown as ProjectDirectory,
    gatedThreads: {
      ...threads,
      issues: async (...given: Parameters<typeof threads.issues>) => (asked.push(given), threads.issues(...given)),
      mergeRequests: async (...given: Parameters<typeof threads.mergeRequests>) => (
        asked.push(given),
        threads.mergeRequests(...given)
      ),
    },
    openForge: async () =>
      aForge({
        commits: async (path: string, given: Parameters<ForgePort['commits']>[1]) => (asked.push([path, given]), []),
      }),
  } as unknown as AgentApiDeps
  const found = Promise.withResolvers<Read>()
  await withServer(
    (app) => registerAgentApi(app, deps) as never,
    async ({ url }) => {
      const answer = await fetch(`${url}/tasks/${encodeURIComponent(task.id)}/scm?${query}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      found.resolve({ status: answer.status, body: (await answer.json()) as Record<string, unknown>, asked })
    },
  )
  return found.promise
}

function pathsOf({ body }: Read): readonly string[] {
  return (body['errors'] as { readonly path: string }[]).map(({ path }) => path).toSorted()
}

describe('scm_read', () => {
  it.each<[string, unknown]>([
    ['kind=issues&repo=lib', { state: 'open', limit: 100 }],
    [
      'kind=issues&repo=lib&state=all&labels=bug,%20platform&since=2026-11-20T12:00:00Z&limit=3',
      { state: 'all', limit: 3, since: noon - day, labels: ['bug', 'platform'] },
    ],
    ['kind=mr&repo=lib&state=merged&since=2026-11-20T12:00:00Z', { state: 'merged', limit: 100, since: noon - day }],
  ])(
    'asks the mirror, %s (AGENT-API-17, TOOL-SCM-READ-4, TOOL-SCM-READ-11, TOOL-SCM-READ-13, TOOL-SCM-READ-15)',
    async (query, filter) => {
      const { status, asked } = await read(query)
      expect([status, asked]).toEqual([200, [['default/demo', 'lib', filter]]])
    },
  )

  it.each([
    ['', 30],
    ['&since_days=7', 7],
  ])('asks the forge for the commits of 30 days unless told%s (TOOL-SCM-READ-14)', async (more, days) => {
    expect((await read(`kind=commits&repo=lib${more}`)).asked).toEqual([
      ['acme/lib', { since: noon - days * day, limit: 100 }],
    ])
  })

  it('shows the thread of the issue, or with is_pr that of the merge request, with the ids that an answer names (TOOL-SCM-READ-10, TOOL-SCM-READ-18)', async () => {
    const issue = await read('kind=comments&repo=lib&number=1&limit=1')
    expect(issue.body['items']).toMatchObject([{ external_id: '2', body: 'last', author: 'maria', bot: false }])
    const mr = await read('kind=comments&repo=lib&number=7&is_pr=true')
    expect(mr.body['items']).toMatchObject([
      { external_id: 'inline-3', path: 'a.ts', line: 3, in_reply_to: 'inline-2' },
    ])
  })

  it('shows the older part of a thread by the cursor of the newer one, until none is left (TOOL-SCM-READ-16, TOOL-SCM-READ-21)', async () => {
    const newest = await read('kind=comments&repo=lib&number=1&limit=1')
    const older = await read(`kind=comments&repo=lib&number=1&limit=1&cursor=${String(newest.body['nextCursor'])}`)
    expect(older.body).toEqual({ items: [expect.objectContaining({ external_id: '1', body: 'first' })] })
  })

  it.each([
    ['number=1', undefined],
    ['number=7', 'needs is_pr=true'],
    ['number=7&is_pr=true', undefined],
    ['number=8&is_pr=true', 'has not read this whole thread yet'],
    ['number=9&is_pr=true', 'has no merge request 9 of lib'],
  ])('says where the mirror lacks the thread of %s, or a part of it (TOOL-SCM-READ-23)', async (query, hint) => {
    const { status, body } = await read(`kind=comments&repo=lib&${query}`)
    expect(status).toBe(200)
    expect(body['hint'] ?? '').toEqual(hint === undefined ? '' : expect.stringContaining(hint))
  })

  it('hands the cursor of a list on to the mirror, and refuses one that it did not give (TOOL-SCM-READ-21)', async () => {
    const after = { updatedAt: noon, number: 7 }
    const { asked } = await read(`kind=issues&repo=lib&cursor=${encodeCursor(after)}`)
    expect(asked).toMatchObject([['default/demo', 'lib', { after }]])
    const foreign = await read(`kind=issues&repo=lib&cursor=${encodeCursor({ page: 2 })}`)
    expect([foreign.status, pathsOf(foreign)]).toEqual([400, ['/cursor']])
  })

  it('names whose hands wrote a comment over, and nobody where it is its author’s own (TOOL-SCM-READ-20)', async () => {
    const { body } = await read('kind=comments&repo=lib&number=1')
    const [own, edited] = body['items'] as readonly object[]
    expect(own).not.toHaveProperty('edited_by')
    expect(edited).toMatchObject({ author: 'maria', edited_by: 'carl' })
  })

  it('gives an item with the members of TOOL-RULE-1, and one issue by its number with its body (TOOL-SCM-READ-9, TOOL-SCM-READ-17)', async () => {
    const item = {
      number: 1,
      title: 'Fails',
      state: 'open',
      author: 'rita',
      bot: false,
      labels: ['platform'],
      url: 'http://forge/acme/lib/issues/1',
      updatedAt: '2026-11-21T12:00:00.000Z',
    }
    expect((await read('kind=issues&repo=lib')).body).toEqual({ items: [item] })
    expect((await read('kind=issues&repo=lib&number=1')).body).toEqual({ items: [{ ...item, body: 'It fails.' }] })
    expect((await read('kind=issues&repo=lib&number=2')).status).toBe(404)
  })

  const arguments_ = {
    number: '1',
    is_pr: 'true',
    state: 'open',
    since: '2026-11-20T12:00:00Z',
    labels: 'bug',
    since_days: '7',
    limit: '5',
    cursor: 'abc',
  }
  const places = {
    issues: ['number', 'state', 'since', 'labels', 'limit', 'cursor'],
    mr: ['number', 'state', 'since', 'limit', 'cursor'],
    comments: ['number', 'is_pr', 'limit', 'cursor'],
    commits: ['since_days', 'limit'],
    ci: ['number'],
  } as const
  it.each(Object.entries(places))(
    'of kind=%s refuses each argument of another kind by its name (TOOL-SCM-READ-3, TOOL-SCM-READ-12, TOOL-SCM-READ-14)',
    async (kind, taken) => {
      const refused = await read(new URLSearchParams({ kind, repo: 'lib', ...arguments_ }).toString())
      const others = Object.keys(arguments_).filter((name) => !(taken as readonly string[]).includes(name))
      expect([refused.status, pathsOf(refused), refused.asked]).toEqual([
        400,
        others.map((name) => `/${name}`).toSorted(),
        [],
      ])
    },
  )

  it.each([
    ['kind=issues&repo=lib&state=merged', ['/state']],
    ['kind=mr', ['/repo']],
    ['kind=ci&repo=lib', ['/number']],
    ['kind=comments&repo=lib', ['/number']],
    ['kind=pipelines&repo=lib', ['/kind']],
  ])('%s is refused (TOOL-SCM-READ-1, TOOL-SCM-READ-9, TOOL-SCM-READ-11)', async (query, paths) => {
    const refused = await read(query)
    expect([refused.status, pathsOf(refused)]).toEqual([400, paths])
  })
})
