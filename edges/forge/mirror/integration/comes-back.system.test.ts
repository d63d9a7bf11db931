/** An issue that was delivered and comes back, end to end: the local forge, the edge and a real Issue. */
import { afterEach, expect, test, vi } from 'vitest'
import { TASK, withApprovedIssue } from '../testing/approved-issue.ts'

const REPO = 'acme/library'

afterEach(() => void vi.useRealTimers())

test('ISSUE-9, LAW-25: reopened by anybody it mints nothing; /retry by a maintainer does, and the old approval does not count', async () => {
  await withApprovedIssue({}, async (approved) => {
    const { fixture, issue, number, approval } = approved
    const { forge } = fixture
    issue.send({ type: 'task.delivered', task: TASK })
    await fixture.quiet(forge.closeIssue('bot', REPO, number))
    expect([issue.value, approved.facts.state]).toEqual([{ live: 'done' }, 'closed'])
    await approved.sayHeard('maintainer', '/retry')
    expect([issue.value, issue.context.wayShown]).toEqual([{ live: 'done' }, true])
    forge.reopenIssue('stranger', REPO, number)
    await approved.sayHeard('reader', '/retry')
    expect([issue.value, issue.context.mint]).toEqual([{ live: 'done' }, null])
    await approved.sayHeard('maintainer', '/retry')
    const second = issue.context.mint.task as string
    expect(second).not.toBe(TASK)
    issue.send({ type: 'issue.owned', task: second })
    issue.send({ type: 'plan.written', task: second, noteId: 'n2', planHash: 'p1', body: 'multiply', at: Date.now() })
    const claim = (id: number) => {
      const known = approved.facts.approvals.find(({ commentId }) => commentId === String(id))
      const citation = { commentId: String(id), author: 'maintainer', quote: '/approve', span: '/approve' }
      const cited = { ...citation, bodyHash: known?.bodyHash ?? '' }
      issue.send({
        type: 'approval.claimed',
        task: second,
        planHash: 'p1',
        claim: { issue: issue.context.id, citation: cited },
      })
      return approved.isGranted
    }
    expect(claim(approval)).toBe(false)
    await approved.resync()
    expect([claim(approval), issue.context.owner]).toEqual([false, second])
    // An approval of the second of the `/retry` counts as earlier, since forges date in whole seconds.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 })
    expect(claim(await approved.sayHeard('maintainer', '/approve'))).toBe(true)
    issue.send({ type: 'task.delivered', task: second })
    expect(issue.context).toMatchObject({ status: 'done', deliveredBy: second })
  })
})
