import { describe, expect, it } from 'vitest'
import { planComment } from '../../../machines/issue/plan.ts'
import { ATask, anIssue } from '../../../machines/testing/a-task.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import { topicMarker, withMarkers } from '../../forge/marker.ts'
import type { ForgeComment } from '../../forge/port.ts'
import type { ProjectSettings } from '../../forge/projects.ts'
import type { MirroredComment } from '../../ports/threads.ts'
import { aForge, aTask, aThreadComment, aThreadReader, noon, nothingSpilled } from '../testing/fixture.ts'
import { buildClaims } from './claims.ts'
import type { ImplementOutcome } from './schemas.ts'

const plan = { id: 'note-1', hash: 'plan-1' }
const project = {
  name: 'demo',
  scm: {
    provider: 'forge_a',
    owner: 'acme',
    botLogin: 'statewright-bot',
    maintainerLogins: ['Maria', 'statewright-bot'],
  },
  repositories: [
    { name: 'lib', url: 'http://forge/acme/lib.git' },
    { name: 'app', url: 'http://forge/acme/app.git', maintainerLogins: ['otto'] },
  ],
} as unknown as ProjectSettings

/** What the platform wrote of the plan; plan-shown.test.ts has what others made of it. */
const shown = {
  id: '11',
  author: { login: 'statewright-bot', id: '', bot: true },
  body: withMarkers(planComment(plan.hash, 'the plan'), topicMarker('plan')),
  createdAt: noon,
  updatedAt: noon,
} as ForgeComment

interface Given {
  readonly task?: TaskContext
  readonly comments?: Readonly<Record<string, readonly MirroredComment[]>>
  readonly payload?: Partial<ImplementOutcome>
  readonly project?: ProjectSettings | undefined
}

async function claimsOf(given: Given): Promise<Awaited<ReturnType<typeof buildClaims>>> {
  const { task = planned(), comments = { 'issue 1': [aThreadComment()] }, payload = {} } = given
  const found = 'project' in given ? given.project : project
  const deps = {
    projects: { project: async () => found, projects: async () => [], secret: async () => undefined },
    threads: aThreadReader({ comments }),
    openForge: async () => aForge({ listComments: async () => [shown] }),
    sql: nothingSpilled,
  }
  const cited = { approving_maintainer: 'maria', approval_citations: [{ id: '12', quote: '/approve' }] }
  return buildClaims(deps, task, {
    action: 'approved',
    reason: 'maria approves',
    plan_note_id: plan.id,
    ...cited,
    ...payload,
  })
}

function planned(): TaskContext {
  return new ATask().mint().running().planned(plan.id, plan.hash).context
}

async function refusedBy(given: Given): Promise<string | undefined> {
  const [claim] = await claimsOf(given)
  return claim?.refusedBy
}

describe('the claim of an approval', () => {
  it('carries the comment as the mirror has it when every conjunct holds there', async () => {
    expect(await claimsOf({})).toEqual([
      {
        issue: 'default/lib-1',
        approvingMaintainer: 'maria',
        citation: { commentId: '12', author: 'maria', quote: '/approve', span: '/approve', bodyHash: 'hash-12' },
      },
    ])
  })

  it('keeps the span of the raw comment where the quote was copied from its escaped form', async () => {
    const comments = { 'issue 1': [aThreadComment({ body: 'a <b> & c\r\n/approve' })] }
    const [claim] = await claimsOf({
      comments,
      payload: { approval_citations: [{ id: '12', quote: 'a &lt;b&gt; &amp; c' }] },
    })
    expect([claim?.refusedBy, claim?.citation?.span, claim?.citation?.quote]).toEqual([
      undefined,
      'a <b> & c',
      'a &lt;b&gt; &amp; c',
    ])
  })

  it.each<[string, Given]>([
    ['comment-exists', { comments: {} }],
    ['comment-exists', { payload: { approval_citations: [{ id: '13', quote: '/approve' }] } }],
    // On the merge request of the same number, or on another issue: not on an issue that the Task owns.
    ['comment-exists', { comments: { 'mr 1': [aThreadComment()], 'issue 2': [aThreadComment()] } }],
    ['author-matches', { payload: { approving_maintainer: 'otto' } }],
    ['author-matches', { comments: { 'issue 1': [aThreadComment({ author: 'sam' })] } }],
    [
      'author-is-maintainer',
      { comments: { 'issue 1': [aThreadComment({ author: 'sam' })] }, payload: { approving_maintainer: 'sam' } },
    ],
    [
      'author-is-maintainer',
      {
        comments: { 'issue 1': [aThreadComment({ author: 'statewright-bot', bot: true })] },
        payload: { approving_maintainer: 'statewright-bot' },
      },
    ],
    ['author-is-maintainer', { project: undefined }],
    ['quote-matches', { payload: { approval_citations: [{ id: '12', quote: 'go ahead, ship it all' }] } }],
    ['quote-matches', { payload: { approval_citations: [{ id: '12', quote: '' }] } }],
    ['comment-approves', { comments: { 'issue 1': [aThreadComment({ body: 'what about /approve later?' })] } }],
    ['comment-approves', { comments: { 'issue 1': [aThreadComment({ body: '> /approve\n\nsaid nobody' })] } }],
    ['comment-approves', { comments: { 'issue 1': [aThreadComment({ body: '/hold\n/approve' })] } }],
    [
      'one-per-issue',
      {
        payload: {
          approval_citations: [
            { id: '12', quote: '/approve' },
            { id: '12', quote: '/approve' },
          ],
        },
      },
    ],
    ['plan-newest', { payload: { plan_note_id: 'note-0' } }],
    ['plan-newest', { task: aTask(), payload: { plan_note_id: plan.id } }],
  ])(
    'names %s when it is the first that fails (CLAIM-4, CLAIM-5, CLAIM-6, CLAIM-7, CLAIM-10, CLAIM-14, PROJECT-SCM-6)',
    async (conjunct, given) => {
      expect(await refusedBy(given)).toBe(conjunct)
    },
  )

  it('names the first of several failures, in the order of APPROVAL-2 (CLAIM-3)', async () => {
    const comments = { 'issue 1': [aThreadComment({ author: 'sam', body: 'hm' })] }
    expect(await refusedBy({ comments, payload: { plan_note_id: 'note-0' } })).toBe('author-matches')
    expect(await refusedBy({ comments, payload: { plan_note_id: 'note-0', approving_maintainer: 'sam' } })).toBe(
      'author-is-maintainer',
    )
  })

  it("costs little where the cited comment is not a maintainer's: its words are not judged (CLAIM-3, CLAIM-7)", async () => {
    const brackets = '['.repeat(60_000)
    const costOf = async (author: string): Promise<number> => {
      let least = Infinity
      for (let run = 0; run < 3; run += 1) {
        // What was read before is read from memory, so each run gets a text of its own.
        const body = `/approve\n${author} ${run} ${brackets}`
        const before = process.cpuUsage()
        await claimsOf({
          comments: { 'issue 1': [aThreadComment({ author, body })] },
          payload: { approving_maintainer: author },
        })
        const { user, system } = process.cpuUsage(before)
        least = Math.min(least, user + system)
      }
      return least
    }
    const judged = await costOf('maria')
    expect(await costOf('sam')).toBeLessThan(judged / 10)
  })

  it('takes logins without regard to case or a leading @', async () => {
    expect(await refusedBy({ payload: { approving_maintainer: '@MARIA' } })).toBe(undefined)
  })

  it('asks for the maintainers of the repository where it names its own (PROJECT-SCM-10, REPOSITORY-4)', async () => {
    const task = new ATask()
      .mint({ issues: [{ ...anIssue, repository: 'app', number: 3, issue: 'default/app-3' }], repositories: ['app'] })
      .running()
      .planned(plan.id, plan.hash).context
    const comments = { 'issue 3': [aThreadComment()] }
    expect(await refusedBy({ task, comments })).toBe('author-is-maintainer')
    const otto = { 'issue 3': [aThreadComment({ author: 'otto' })] }
    expect(await refusedBy({ task, comments: otto, payload: { approving_maintainer: 'otto' } })).toBe(undefined)
  })

  it('is made for each live issue with its own comment, and asks for one citation each (CLAIM-13, CLAIM-5)', async () => {
    const two = new ATask()
      .mint({ issues: [anIssue, { ...anIssue, number: 2, issue: 'default/lib-2' }] })
      .running()
      .planned(plan.id, plan.hash)
    const comments = { 'issue 1': [aThreadComment()], 'issue 2': [aThreadComment({ id: '22', bodyHash: 'hash-22' })] }
    const both = {
      approval_citations: [
        { id: '22', quote: '/approve' },
        { id: '12', quote: '/approve' },
      ],
    }
    const claims = await claimsOf({ task: two.context, comments, payload: both })
    expect(claims.map((claim) => [claim.issue, claim.citation?.commentId, claim.refusedBy])).toEqual([
      ['default/lib-1', '12', undefined],
      ['default/lib-2', '22', undefined],
    ])
    const one = await claimsOf({ task: two.context, comments })
    expect(one.map((claim) => claim.refusedBy)).toEqual(['one-per-issue', 'comment-exists'])
    two.send('issue.closed', { issue: 'default/lib-2' })
    expect((await claimsOf({ task: two.context, comments })).map((claim) => [claim.issue, claim.refusedBy])).toEqual([
      ['default/lib-1', undefined],
    ])
  })

  it('without a citation is bare: the Issue alone says whether the platform may approve its own proposal (CLAIM-18)', async () => {
    const bare = {
      approving_maintainer: undefined,
      approval_citations: undefined,
    } as unknown as Partial<ImplementOutcome>
    expect(await claimsOf({ payload: bare })).toEqual([{ issue: 'default/lib-1' }])
    expect(await claimsOf({ payload: { ...bare, plan_note_id: 'note-0' } })).toEqual([
      { issue: 'default/lib-1', refusedBy: 'plan-newest' },
    ])
  })
})
