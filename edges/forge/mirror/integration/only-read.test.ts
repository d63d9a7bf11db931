/**
 * GitHub shows whole seconds, and names who edited in the webhook alone. What was only read, with its webhooks lost, grants
 * nothing until the forge's GraphQL says that no other hand wrote it (decisions/0023).
 */
import { expect, test } from 'vitest'
import type { IssueFacts } from '../../../../machines/issue/events.ts'
import { withForgeEdge, type EdgeFixture } from '../../testing/fixture.ts'

const REPO = 'acme/library'

/** An issue and a comment of its maintainer, of which no webhook comes. */
async function withUnheard(text: string, use: (fixture: EdgeFixture, comment: number) => Promise<void>): Promise<void> {
  await withForgeEdge({}, async (fixture) => {
    const { forge } = fixture
    const input = { title: 'Add mul', body: 'We need it.', labels: ['platform'] }
    const { number } = await fixture.quiet(forge.openIssue('maintainer', REPO, input))
    await resync(fixture)
    forge.faults.inject({ kind: 'drop', times: 100 })
    await use(fixture, forge.comment('maintainer', REPO, number, text).id)
  })
}

async function resync(fixture: EdgeFixture): Promise<void> {
  await fixture.edge.handlers.resyncMirror.perform({ project: 'default/demo' }, fixture.context('resync'))
  await fixture.quiet()
}

async function edit({ forge }: EdgeFixture, login: string, comment: number, body: string): Promise<void> {
  const answer = await fetch(`${forge.apiUrl}/repos/${REPO}/issues/comments/${comment}`, {
    method: 'PATCH',
    headers: { authorization: `token token-of-${login}`, 'content-type': 'application/json' },
    body: JSON.stringify({ body }),
  })
  expect(answer.ok).toBe(true)
}

function judged({ delivered }: EdgeFixture): readonly unknown[] {
  const { approvals, unclear } = delivered.findLast(({ event }) => event.type === 'issue.observed')!.event[
    'facts'
  ] as IssueFacts
  return [approvals.map(({ author }) => author), unclear]
}

test('an approval that was only read approves once GitHub says that it is unedited', async () => {
  await withUnheard('/approve', async (fixture) => {
    await resync(fixture)
    expect(judged(fixture)).toEqual([['maintainer'], []])
  })
})

test('what another made of a comment within its second approves nothing', async () => {
  await withUnheard('Hm, no.', async (fixture, comment) => {
    await edit(fixture, 'bot', comment, '/approve')
    await resync(fixture)
    expect(judged(fixture)).toEqual([[], []])
  })
})

test('what its author made of his comment approves, although every webhook is lost', async () => {
  await withUnheard('Hm, no.', async (fixture, comment) => {
    await edit(fixture, 'maintainer', comment, '/approve')
    await resync(fixture)
    expect(judged(fixture)).toEqual([['maintainer'], []])
  })
})

test('where GitHub does not say, the author is asked, until it does', async () => {
  await withUnheard('/approve', async (fixture, comment) => {
    const allow = fixture.forge.faults.inject({
      ...{ kind: 'errorBeforeWrite', method: 'POST', path: '/graphql', status: 403, times: 100 },
    })
    await resync(fixture)
    expect(judged(fixture)).toEqual([[], [String(comment)]])
    allow()
    await resync(fixture)
    expect(judged(fixture)).toEqual([['maintainer'], []])
  })
})
