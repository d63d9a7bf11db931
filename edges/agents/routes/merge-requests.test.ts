import { describe, expect, it } from 'vitest'
import { ATask, granted } from '../../../machines/testing/a-task.ts'
import { withChanges, type TaskContext } from '../../../machines/task/context.ts'
import type { Delivery } from '../../../runtime/runtime.ts'
import { ForgeUnavailableError } from '../../forge/errors.ts'
import type { ForgeMergeRequest, ForgePort } from '../../forge/port.ts'
import type { ProjectDirectory } from '../../forge/projects.ts'
import { generateSigningKeyPem, importSigningKey } from '../../../http/auth/tokens.ts'
import { testClock, withServer } from '../../../http/testing/fixture.ts'
import { registerAgentApi } from '../api.ts'
import type { AgentApiDeps } from '../deps.ts'
import { podTokens, type PodClaims } from '../pod-tokens.ts'
import { aLife, aForge, aView, reading } from '../testing/fixture.ts'

const key = await importSigningKey(generateSigningKeyPem())
const wanted = { action: 'open', repo: 'lib', title: 'Know weeks', body: 'Seven days.' }
const merged = { repository: 'lib', number: 6, state: 'merged' } as TaskContext['forge']['mergeRequests'][number]

interface World {
  readonly ceiling?: string
  readonly forge?: Partial<ForgePort>
  readonly openForge?: () => Promise<ForgePort>
  readonly agentKind?: PodClaims['agentKind']
}

interface Answered {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly delivered: readonly Delivery[]
  /** What the forge was asked to make. */
  readonly created: readonly unknown[]
}

function aMergeRequest(change: Partial<ForgeMergeRequest> = {}): ForgeMergeRequest {
  const author = { login: 'bot', id: '3', bot: true }
  return { number: 7, url: 'http://forge/pull/7', headSha: 'sha-1', author, ...change } as ForgeMergeRequest
}

/** POST /tasks/{task}/merge-requests by the Task's own pod, over the whole API; the forge has a pushed branch and no merge request. */
async function write(
  task: TaskContext,
  body: object,
  { forge = {}, agentKind = 'implement', openForge, ceiling }: World = {},
): Promise<Answered> {
  const clock = testClock()
  const delivered: Delivery[] = []
  const created: unknown[] = []
  const tokens = podTokens(key, clock, { next: () => 'a-token' })
  const token = await tokens.mint(
    { projectUid: aLife.uid, project: task.config.project, task: task.id, pod: 1, agentKind },
    600,
  )
  const project = {
    name: 'demo',
    scm: { owner: 'acme', apiURL: 'http://forge/api' },
    repositories: [{ name: 'lib', url: 'http://forge/acme/lib.git' }],
    ...(ceiling === undefined ? {} : { autoApproveMaxSignificance: ceiling }),
  }
  const deps = {
    runtime: {
      ...reading({ [`task:${task.id}`]: aView(task), [`pod:${task.id}/1`]: aView({}) }),
      deliver: async (delivery: Delivery) => void delivered.push(delivery),
    },
    clock,
    podTokens: tokens,
    lifeOf: async () => aLife,
    projects: { project: async () => project } as unknown as ProjectDirectory,
    openForge:
      openForge ??
      (async () =>
        aForge({
          listMergeRequests: async () => [],
          branchHead: async () => 'sha-1',
          repository: async () => ({ defaultBranch: 'main' }) as never,
          createMergeRequest: async (path, given) => {
            created.push({ path, ...given })
            return aMergeRequest({ headBranch: given.branch })
          },
          ...forge,
        })),
  } as unknown as AgentApiDeps
  const found = Promise.withResolvers<Answered>()
  await withServer(
    (app) => registerAgentApi(app, deps) as never,
    async ({ url }) => {
      const answer = await fetch(`${url}/tasks/${encodeURIComponent(task.id)}/merge-requests`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      found.resolve({
        status: answer.status,
        body: (await answer.json()) as Record<string, unknown>,
        delivered,
        created,
      })
    },
  )
  return found.promise
}

function withIssue(task: TaskContext, change: Partial<TaskContext['forge']['issues'][number]>): TaskContext {
  return withChanges(task, { forge: { issues: task.forge.issues.map((issue) => ({ ...issue, ...change })) } })
}

const proposed = granted().context
const ungranted = new ATask().mint().running().context

describe('mr_write open', () => {
  it('opens one for the pushed branch of an approved Task, and its actor hears of it once by the number (AGENT-API-19)', async () => {
    const { status, body, delivered, created } = await write(proposed, wanted)
    expect([status, body]).toEqual([200, { status: 'ok', number: 7, url: 'http://forge/pull/7', head_sha: 'sha-1' }])
    const branch = `platform/${proposed.id.split('/')[1]}`
    expect(created).toEqual([
      { path: 'acme/lib', branch, base: 'main', title: 'Know weeks', body: 'Seven days.\n\nCloses #1' },
    ])
    expect(delivered).toMatchObject([
      { to: `task:${proposed.id}`, key: 'opened/lib/7', event: { type: 'mr.ready', number: 7, headSha: 'sha-1' } },
    ])
  })

  it.each([
    ['an approved Task', proposed],
    ['a Task that lost its approval', withIssue(proposed, { grant: null, accepted: false })],
    ['a Task that owns a merged one', withChanges(proposed, { forge: { mergeRequests: [merged] } })],
  ])(
    'answers with the one that is open already, for %s: nothing is written twice, and no gate asked (TOOL-OPEN-1, TOOL-OPEN-3)',
    async (_what, task) => {
      const { status, body, delivered, created } = await write(task, wanted, {
        forge: { listMergeRequests: async () => [aMergeRequest()] },
      })
      expect([status, body['existing'], body['number'], delivered, created]).toEqual([200, true, 7, [], []])
    },
  )

  it.each([
    ['an approved Task', proposed],
    ['a Task that lost its approval', withIssue(proposed, { grant: null, accepted: false })],
  ])('answers for %s with the one that the Task knows, while the forge is away (TOOL-OPEN-2)', async (_what, task) => {
    const headBranch = `platform/${task.id.split('/')[1]}`
    const own = {
      repository: 'lib',
      number: 9,
      state: 'open',
      headBranch,
      headSha: 'sha-9',
      url: 'http://forge/pull/9',
    }
    const knowing = (change: object): TaskContext =>
      withChanges(task, { forge: { mergeRequests: [merged, { ...own, ...change } as typeof merged] } })
    const away = { openForge: () => Promise.reject(new ForgeUnavailableError('it is away')) }
    const { status, body, delivered } = await write(knowing({}), wanted, away)
    expect([status, body]).toEqual([
      200,
      { status: 'ok', existing: true, number: 9, url: 'http://forge/pull/9', head_sha: 'sha-9' },
    ])
    expect(delivered).toEqual([])
    for (const other of [{ state: 'closed' }, { repository: 'other' }])
      expect((await write(knowing(other), wanted, away)).body['code']).toBe('upstream-failed')
  })

  it('is refused where the Task owns a merged merge request of that repository, and only of that (TOOL-OPEN-4)', async () => {
    const { status, body, created } = await write(withChanges(proposed, { forge: { mergeRequests: [merged] } }), wanted)
    expect([status, body['code'], created]).toEqual([409, 'mr-merged', []])
    const elsewhere = withChanges(proposed, {
      forge: { mergeRequests: [{ ...merged, repository: 'other' }] },
    })
    expect((await write(elsewhere, wanted)).status).toBe(200)
  })

  it('closes the issues of its own Task, and no other that the agent names (EXECUTED-1, EXECUTED-4)', async () => {
    const title = 'Fixes acme/other#2'
    const { created } = await write(proposed, { ...wanted, title, body: 'Closes #1, closes #9\n/merge' })
    expect(created).toMatchObject([
      { title: 'Fixes acme/other no. 2', body: 'Closes no. 1, closes no. 9\n`/merge`\n\nCloses #1' },
    ])
  })

  it('comments and answers without a word that commands (EXECUTED-1)', async () => {
    const said: string[] = []
    const forge: Partial<ForgePort> = {
      listComments: async () => [],
      listReviews: async () => [],
      createComment: async (_path, _on, _number, text) => (said.push(text), { id: '1', url: '' } as never),
      reply: async (_path, _number, _to, text) => (said.push(text), { id: '2', url: '' } as never),
    }
    const body = '/close\n@dependabot rebase'
    await write(proposed, { action: 'comment', repo: 'lib', number: 7, body }, { forge })
    await write(proposed, { action: 'reply', repo: 'lib', number: 7, body, in_reply_to: 'inline-1' }, { forge })
    expect(said.map((text) => text.split('\n\n')[0])).toEqual(Array(2).fill('`/close`\n@ dependabot rebase'))
  })

  it('is refused while the branch is not on the forge (TOOL-OPEN-14)', async () => {
    const { status, body, created } = await write(proposed, wanted, { forge: { branchHead: async () => undefined } })
    expect([status, body['code'], created]).toEqual([409, 'branch-not-pushed', []])
  })

  it('is refused above the ceiling that the Project has now (PROJECT-18)', async () => {
    const task = withChanges(
      withIssue(proposed, { grant: { planHash: proposed.journal.planHash ?? '', self: true } }),
      {
        forge: { significance: 'minor' },
      },
    )
    expect((await write(task, wanted)).status).toBe(200)
    expect((await write(task, wanted, { ceiling: 'patch' })).body).toMatchObject({
      issues: [{ detail: 'over-auto-approve-ceiling' }],
    })
  })

  it.each([
    ['needs-maintainer-comment', ungranted],
    ['needs-approval-tool', withIssue(ungranted, { accepted: true })],
    // Closing is no approval [APPROVAL-8].
    ['needs-maintainer-comment', withIssue(ungranted, { state: 'closed' })],
    [
      'over-auto-approve-ceiling',
      withChanges(withIssue(proposed, { grant: { planHash: proposed.journal.planHash ?? '', self: true } }), {
        forge: { significance: 'major' },
        config: { ...proposed.config, autoApproveMaxSignificance: 'patch' },
      }),
    ],
  ])(
    'names what each issue lacks, %s, and says what to do (TOOL-OPEN-5, TOOL-OPEN-6, TOOL-OPEN-7, TOOL-OPEN-8, TOOL-OPEN-9, TOOL-OPEN-11)',
    async (detail, task) => {
      const { status, body, created } = await write(task, wanted)
      expect([status, body['code'], body['reason'], created]).toEqual([
        409,
        'approval-required',
        'approval-required',
        [],
      ])
      const [{ repository, number }] = task.forge.issues as [TaskContext['forge']['issues'][number]]
      expect(body['issues']).toEqual([
        { repository, number, detail, guidance: expect.stringMatching(/maintainer/) as string },
      ])
    },
  )

  it('is refused once the plan is no longer the approved one (CLAIM-17, TOOL-OPEN-12)', async () => {
    const { status, body, created } = await write(withChanges(proposed, { journal: { planHash: 'another' } }), wanted)
    expect([status, body['code'], created]).toEqual([409, 'plan-changed', []])
  })

  it('asks no approval of a Task that never owned an issue (TOOL-OPEN-11)', async () => {
    const takeover = withChanges(ungranted, { forge: { issues: [], everOwnedIssue: false } })
    expect((await write(takeover, wanted)).status).toBe(200)
  })

  it('tells every fault of the call at once (TOOL-MR-2, TOOL-MR-3)', async () => {
    const { status, body } = await write(proposed, { action: 'open', repo: 'lib', merge: true, number: 0 })
    expect([status, body['code']]).toEqual([400, 'invalid-input'])
    const paths = (body['errors'] as { readonly path: string }[]).map(({ path }) => path)
    expect(paths.toSorted()).toEqual(['/merge', '/number'])
    const lacking = await write(proposed, { action: 'open', repo: 'lib' })
    expect(lacking.body['errors']).toMatchObject([{ path: '/title' }, { path: '/body' }])
  })

  it('of a repository that the Project has not is a 404', async () => {
    expect(await write(proposed, { ...wanted, repo: 'other' })).toMatchObject({
      status: 404,
      body: { code: 'not-found' },
    })
  })
})

describe('mr_write to a thread', () => {
  const said: unknown[] = []
  const forge = {
    listComments: async () => [],
    listReviews: async () => [],
    createComment: async (...given: unknown[]) => (said.push(given), { id: '21', url: 'http://forge/c/21' }),
    reply: async (...given: unknown[]) => (said.push(given), { id: '22', url: 'http://forge/c/22' }),
  } as unknown as Partial<ForgePort>

  it.each([
    [{ action: 'comment', repo: 'lib', number: 7, body: 'Done.' }, ['acme/lib', 'mr', 7], '21'],
    [
      { action: 'reply', repo: 'lib', number: 7, body: 'Done.', in_reply_to: 'inline-3' },
      ['acme/lib', 7, 'inline-3'],
      '22',
    ],
  ] as const)('%j is written there, marked, and its id is told (TOOL-MR-5)', async (body, place, id) => {
    said.length = 0
    const answer = await write(proposed, body, { forge })
    expect([answer.status, answer.body]).toMatchObject([200, { status: 'ok', external_id: id }])
    expect(said).toEqual([[...place, expect.stringMatching(/^Done\.\n\n<!-- platform:agent\//) as string]])
  })

  it('tells what an answer lacks: the comment that it answers (TOOL-MR-4)', async () => {
    const { status, body } = await write(proposed, { action: 'reply', repo: 'lib', number: 7, body: 'Done.' })
    expect([status, body['errors']]).toMatchObject([400, [{ path: '/in_reply_to' }]])
  })
})

describe('mr_write of a profile', () => {
  it.each([
    ['refine', wanted, 403],
    ['refine', { action: 'reply', repo: 'lib', number: 7, body: 'x', in_reply_to: '1' }, 403],
    ['brainstorm', { action: 'comment', repo: 'lib', number: 7, body: 'x' }, 403],
    ['incident', { action: 'comment', repo: 'lib', number: 7, body: 'x' }, 403],
  ] as const)('%s: %j is %i (GATING-21)', async (agentKind, body, status) => {
    expect(await write(proposed, body, { agentKind })).toMatchObject({ status, body: { code: 'tool-denied' } })
  })
})
