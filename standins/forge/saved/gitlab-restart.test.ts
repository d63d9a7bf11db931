import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startForge } from '../forge.ts'
import { SECRET, USERS, withReceiver } from '../testing/fixture.ts'
import { ask, PROJECT, withGitlab, type Ask, type GitlabFixture } from '../testing/gitlab.ts'
import { flags } from '../gitlab/payloads/hooks.ts'

const PATH = `/projects/${encodeURIComponent(PROJECT)}`
const ONE = `${PATH}/merge_requests/1`

/** All that a second start must know of a project of GitLab's, in each of its members. */
const PAGES = [
  PATH,
  `${PATH}/issues`,
  `${PATH}/issues/1/notes`,
  `${PATH}/labels`,
  `${PATH}/merge_requests`,
  `${ONE}/discussions`,
  `${ONE}/draft_notes`,
  `${ONE}/versions`,
  `${ONE}/approvals`,
  `${ONE}/reviewers`,
  `${PATH}/merge_requests/2`,
  `${PATH}/hooks`,
]

async function fill({ gitlab, ask: request, clone, push, forge }: GitlabFixture, url: string): Promise<string> {
  const all = Object.fromEntries(flags.map((flag) => [flag, true]))
  await request('maintainer', 'POST', `${PATH}/hooks`, { url, token: SECRET, ...all })
  await gitlab('bot').Issues.create(PROJECT, 'Secret', { confidential: true, labels: 'a::b' })
  await request('bot', 'POST', `${PATH}/issues/1/notes`, { body: 'Between us', internal: true })
  const folder = await clone('bot')
  const head = await push(folder, 'x', { 'x.txt': 'x\n' })
  await gitlab('bot').MergeRequests.create(PROJECT, 'x', 'main', 'Draft: Title')
  const { id } = await gitlab('reader').MergeRequestDiscussions.create(PROJECT, 1, 'A question')
  await gitlab('bot').MergeRequestDiscussions.resolve(PROJECT, 1, id, true)
  const { diff_refs: refs } = await gitlab('bot').MergeRequests.show(PROJECT, 1)
  const position = { ...(refs as object), position_type: 'text', new_path: 'x.txt', new_line: 1 }
  await request('maintainer', 'POST', `${ONE}/draft_notes`, { note: 'Not yet', position })
  await request('bot', 'POST', `${ONE}/discussions`, { body: 'On the line', position })
  await gitlab('maintainer').MergeRequestApprovals.approve(PROJECT, 1)
  const [reader] = await gitlab('bot').Users.all({ username: 'reader' })
  await gitlab('bot').MergeRequests.edit(PROJECT, 1, { reviewerIds: [reader?.id ?? 0] })
  await request('bot', 'POST', `${PATH}/statuses/${head}`, { state: 'running', name: 'lint' })
  await push(folder, 'y', { 'y.txt': 'y\n' })
  await gitlab('bot').MergeRequests.create(PROJECT, 'y', 'main', 'Squashed')
  await forge.idle(gitlab('bot').MergeRequests.merge(PROJECT, 2, { squash: true }))
  return head
}

async function everything(request: Ask, head: string): Promise<unknown> {
  const pages = [...PAGES, `${PATH}/repository/commits/${head}/statuses`]
  const answers = await Promise.all(pages.map((page) => request('maintainer', 'GET', page)))
  expect(answers.map((answer) => answer.status)).toEqual(pages.map(() => 200))
  return answers.map((answer) => answer.body)
}

test('a project of GitLab is after a new start what it was, and counts on in both of its numbers', async () => {
  await withReceiver(async (receiver) => {
    receiver.answer = 500
    await withGitlab({ git: 'process' }, async (fixture) => {
      const head = await fill(fixture, receiver.url)
      // Mergeability is looked for anew after a start: both pictures are of a moment when nothing of it is known.
      const settled = async (request: Ask): Promise<unknown> =>
        JSON.parse(
          JSON.stringify(await everything(request, head), (name, value: unknown) =>
            /^(?:detailed_)?merge_status$|^has_conflicts$/.test(name) ? undefined : value,
          ),
        )
      const before = await settled(fixture.ask)
      expect(JSON.stringify(before)).toContain('"alert_status":"temporarily_disabled"')
      await fixture.forge.close()
      const port = Number(new URL(fixture.forge.url).port)
      const forge = await startForge({ dir: join(fixture.dir, 'forge'), port, seed: { users: USERS } })
      try {
        const request: Ask = (login, method, path, body) => ask(forge, login, method, path, body)
        expect(await settled(request)).toEqual(before)
        expect((await request('bot', 'POST', `${PATH}/issues`, { title: 'Next' })).body).toMatchObject({ iid: 2 })
        const next = { title: 'Next', source_branch: 'y', target_branch: 'x' }
        expect((await request('bot', 'POST', `${PATH}/merge_requests`, next)).body).toMatchObject({ iid: 3 })
      } finally {
        await forge.close()
      }
    })
  })
})
