/** What the local forge delivers in GitLab's words, from its signature to the change that it means. */
import { expect, test } from 'vitest'
import { withReceiver, type Received } from '../../../standins/forge/testing/fixture.ts'
import { PROJECT, withGitlab, type GitlabFixture } from '../../../standins/forge/testing/gitlab.ts'
import type { ForgeChange } from '../change.ts'
import { gitlabWebhooks } from './inbound.ts'
import { createGitlabForge } from './port.ts'

const SECRET = 's'
const place = `/projects/${encodeURIComponent(PROJECT)}`

interface Delivered extends GitlabFixture {
  /** All changes so far, each of a delivery whose token was verified. */
  changes(): Promise<ForgeChange[]>
}

async function withDelivered(use: (fixture: Delivered) => Promise<void>): Promise<void> {
  await withReceiver((receiver) =>
    withGitlab({ repository: { permissions: { maintainer: 'admin', bot: 'admin' } } }, async (fixture) => {
      const apiURL = fixture.forge.gitlabApiUrl
      await createGitlabForge({ token: 'token-of-bot', apiURL, fetch }).ensureHook(PROJECT, {
        url: receiver.url,
        secret: SECRET,
      })
      const changes = async (): Promise<ForgeChange[]> => {
        await fixture.forge.idle()
        return receiver.received.flatMap((one) => changeIn(one) ?? [])
      }
      await use({ ...fixture, changes })
    }),
  )
}

function changeIn({ headers, raw }: Received): ForgeChange | undefined {
  expect(gitlabWebhooks.verify(SECRET, headers, Buffer.from(raw), 0)).toBe(true)
  expect(gitlabWebhooks.verify('another', headers, Buffer.from(raw), 0)).toBe(false)
  expect(gitlabWebhooks.deliveryOf(headers, Buffer.from(raw))).toMatch(/^[\w-]+$/)
  return gitlabWebhooks.changeOf(gitlabWebhooks.eventOf(headers), JSON.parse(raw))
}

test('an issue is opened with its label, edited and closed, and each names who did it', async () => {
  await withDelivered(async ({ forge, ask, changes }) => {
    const { number } = forge.openIssue('maintainer', PROJECT, { title: 'T', body: 'b', labels: ['platform'] })
    const issue = `${place}/issues/${number}`
    await ask('bot', 'PUT', issue, { title: 'U', add_labels: 'x', remove_labels: 'platform' })
    await ask('bot', 'PUT', issue, { state_event: 'close' })
    const found = (await changes()).filter(({ kind }) => kind === 'subject')
    expect(found).toMatchObject([
      { path: PROJECT, on: 'issue', number, by: { login: 'maintainer' }, text: { title: 'T', body: 'b' } },
      { by: { login: 'bot' }, text: { title: 'U', body: 'b' } },
      { by: { login: 'bot' }, acts: [{ action: 'closed' }] },
    ])
    expect(found.map((one) => (one.kind === 'subject' ? one.acts : []))).toEqual([
      [{ action: 'opened' }, { action: 'labeled', label: 'platform' }],
      [
        { action: 'edited', before: { title: 'T' } },
        { action: 'labeled', label: 'x' },
        { action: 'unlabeled', label: 'platform' },
      ],
      [{ action: 'closed' }],
    ])
  })
})

test('a comment names its author, and one that another hand edits is read', async () => {
  await withDelivered(async ({ forge, ask, changes }) => {
    const { number } = forge.openIssue('maintainer', PROJECT, { title: 'T', body: 'b' })
    const { id } = forge.comment('maintainer', PROJECT, number, 'approve')
    await ask('bot', 'PUT', `${place}/issues/${number}/notes/${id}`, { body: 'no' })
    const comments = (await changes()).filter(({ kind }) => kind === 'comment' || kind === 'thread')
    expect(comments).toMatchObject([
      { kind: 'comment', action: 'created', comment: { id: String(id), author: { login: 'maintainer' }, number } },
      { kind: 'thread', on: 'issue', number, by: { login: 'maintainer' } },
    ])
  })
})

test('a merge request is opened, pushed, approved and merged, and its approvals are read', async () => {
  await withDelivered(async ({ clone, push, ask, changes }) => {
    const folder = await clone('bot')
    const first = await push(folder, 'feature', { 'a.js': '1\n' })
    const opened = await ask('bot', 'POST', `${place}/merge_requests`, {
      source_branch: 'feature',
      target_branch: 'main',
      title: 'A',
    })
    const { iid } = opened.body as { iid: number }
    const second = await push(folder, 'feature', { 'b.js': '2\n' })
    await ask('maintainer', 'POST', `${place}/merge_requests/${iid}/approve`)
    const found = await changes()
    expect(found.filter(({ kind }) => kind === 'push')).toMatchObject([
      { ref: 'refs/heads/feature', after: first },
      { ref: 'refs/heads/feature', before: first, after: second },
    ])
    const ofMerge = found.flatMap((one) => (one.kind === 'subject' && one.on === 'mr' ? [one] : []))
    expect(ofMerge.slice(0, 2)).toMatchObject([
      { number: iid, headSha: first, acts: [{ action: 'opened' }] },
      { number: iid, headSha: second, acts: [{ action: 'pushed' }], thread: true },
    ])
    expect(ofMerge.at(-1)).toMatchObject({ by: { login: 'maintainer' }, acts: [{ action: 'other' }], thread: true })
  })
})
