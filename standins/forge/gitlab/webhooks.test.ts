import { expect, test } from 'vitest'
import { ZERO_SHA } from '../git/refs.ts'
import { SECRET, withReceiver, type FixtureOptions, type Receiver } from '../testing/fixture.ts'
import { PROJECT, withGitlab, type GitlabFixture } from '../testing/gitlab.ts'
import { flags } from './payloads/hooks.ts'
import { testInside } from '../../../testing/inside.ts'

const PATH = `/projects/${encodeURIComponent(PROJECT)}`

interface Scene extends GitlabFixture {
  readonly receiver: Receiver
  readonly hook: number
  /** What has come since the last look, as its event and its action. */
  heard(): Promise<Array<readonly [string, unknown]>>
}

/** A project with one hook, made over the API, for all events. */
function withHook(options: FixtureOptions, use: (scene: Scene) => Promise<void>): Promise<void> {
  return withReceiver((receiver) =>
    withGitlab(options, async (fixture) => {
      const all = Object.fromEntries(flags.map((flag) => [flag, true]))
      const made = await fixture.ask('maintainer', 'POST', `${PATH}/hooks`, {
        url: receiver.url,
        token: SECRET,
        ...all,
      })
      expect(made.status).toBe(201)
      async function heard(): Promise<Array<readonly [string, unknown]>> {
        await fixture.forge.idle()
        return receiver.received
          .splice(0)
          .map(({ event, payload }) => [event, (payload.object_attributes as { action?: string })?.action] as const)
      }
      await use({ ...fixture, receiver, hook: (made.body as { id: number }).id, heard })
    }),
  )
}

const it = testInside(withHook, {})

it('a hook carries its token as it is, and a key that stays the same when it is sent again', async (fixture) => {
  const { forge, receiver, hook, ask } = fixture
  await forge.idle(forge.openIssue('reader', PROJECT, { title: 'X' }))
  const [first] = receiver.received
  expect(first?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-gitlab-event': 'Issue Hook',
    'x-gitlab-token': SECRET,
    'x-gitlab-instance': forge.url,
    'user-agent': expect.stringMatching(/^GitLab\//),
  })
  const [event] = (await ask('maintainer', 'GET', `${PATH}/hooks/${hook}/events`)).body as Array<{ id: number }>
  expect(event).toMatchObject({
    trigger: 'issue_hooks',
    response_status: '202',
    response_body: 'noted',
    request_headers: { 'X-Gitlab-Token': '[REDACTED]' },
    request_data: { object_kind: 'issue' },
  })
  const resent = await ask('maintainer', 'POST', `${PATH}/hooks/${hook}/events/${event?.id}/resend`)
  expect(resent).toMatchObject({ status: 201, body: { response_status: 202 } })
  const [, second] = receiver.received
  expect(second?.delivery).toBe(first?.delivery)
  expect(second?.raw).toBe(first?.raw)
  expect(second?.headers['x-gitlab-webhook-uuid']).not.toBe(first?.headers['x-gitlab-webhook-uuid'])
})

it('one request is one hook, whatever it changes, with the picture before and after', async (fixture) => {
  const { gitlab, receiver, heard, forge } = fixture
  const { Issues } = gitlab('bot')
  await forge.idle(Issues.create(PROJECT, 'Title', { labels: 'a,b' }))
  expect(receiver.received.map(({ payload }) => payload)).toMatchObject([
    {
      object_kind: 'issue',
      user: { username: 'bot' },
      project: { path_with_namespace: PROJECT },
      object_attributes: { iid: 1, action: 'open', state: 'opened', title: 'Title', confidential: false },
      labels: [{ title: 'a' }, { title: 'b' }],
      changes: {},
    },
  ])
  receiver.received.length = 0
  await forge.idle(Issues.edit(PROJECT, 1, { title: 'New', addLabels: 'c', removeLabels: 'a' }))
  const [update, ...others] = receiver.received.map(({ payload }) => payload)
  expect(others).toEqual([])
  expect(update).toMatchObject({
    object_attributes: { action: 'update', title: 'New' },
    changes: {
      title: { previous: 'Title', current: 'New' },
      labels: { previous: [{ title: 'a' }, { title: 'b' }], current: [{ title: 'b' }, { title: 'c' }] },
    },
  })
  receiver.received.length = 0
  await Issues.edit(PROJECT, 1, { stateEvent: 'close' })
  await Issues.edit(PROJECT, 1, { stateEvent: 'reopen' })
  expect(await heard()).toEqual([
    ['Issue Hook', 'close'],
    ['Issue Hook', 'reopen'],
  ])
})

it('notes are carried when they are made and changed, not when they go, and system notes never', async (fixture) => {
  const { gitlab, heard, forge, receiver, ask, clone, push } = fixture
  forge.openIssue('bot', PROJECT, { title: 'X' })
  await heard()
  const { IssueNotes } = gitlab('bot')
  const note = await forge.idle(IssueNotes.create(PROJECT, 1, 'Hello'))
  expect(receiver.received[0]?.payload).toMatchObject({
    object_kind: 'note',
    object_attributes: { id: note.id, note: 'Hello', noteable_type: 'Issue', action: 'create', system: false },
    issue: { iid: 1, title: 'X' },
  })
  await IssueNotes.edit(PROJECT, 1, note.id, { body: 'Changed' })
  await IssueNotes.remove(PROJECT, 1, note.id)
  await ask('bot', 'POST', `${PATH}/issues/1/notes`, { body: 'Between us', internal: true })
  expect(await heard()).toEqual([
    ['Note Hook', 'create'],
    ['Note Hook', 'update'],
    ['Confidential Note Hook', 'create'],
  ])
  await gitlab('bot').Issues.create(PROJECT, 'Secret', { confidential: true })
  forge.comment('bot', PROJECT, 2, 'On the secret')
  await push(await clone('bot'), 'x', { 'x.txt': 'x\n' })
  await gitlab('bot').MergeRequests.create(PROJECT, 'x', 'main', 'Title')
  await gitlab('maintainer').MergeRequestApprovals.approve(PROJECT, 1)
  expect(await heard()).toEqual([
    ['Confidential Issue Hook', 'open'],
    ['Confidential Note Hook', 'create'],
    ['Push Hook', undefined],
    ['Merge Request Hook', 'open'],
    ['Merge Request Hook', 'approved'],
  ])
})

it('a merge request is carried through its life', async ({ gitlab, forge, receiver, heard, clone, push }) => {
  const folder = await clone('bot')
  const first = await forge.idle(push(folder, 'x', { 'x.txt': 'x\n' }, 'Add x'))
  expect(receiver.received[0]?.payload).toMatchObject({
    object_kind: 'push',
    ref: 'refs/heads/x',
    before: ZERO_SHA,
    after: first,
    checkout_sha: first,
    user_username: 'bot',
    commits: [{ id: first, title: 'Add x', added: ['x.txt'] }],
  })
  const { MergeRequests } = gitlab('bot')
  await MergeRequests.create(PROJECT, 'x', 'main', 'Draft: Title')
  await heard()
  const head = await forge.idle(push(folder, 'x', { 'y.txt': 'y\n' }))
  expect(receiver.received.at(-1)?.payload).toMatchObject({
    object_attributes: { action: 'update', oldrev: first, last_commit: { id: head }, source_branch: 'x' },
  })
  await forge.idle(MergeRequests.edit(PROJECT, 1, { title: 'Title' }))
  expect(receiver.received.at(-1)?.payload).toMatchObject({ changes: { draft: { previous: true, current: false } } })
  await heard()
  await forge.review('maintainer', PROJECT, 1, { event: 'REQUEST_CHANGES', body: 'No' })
  await gitlab('maintainer').MergeRequestApprovals.approve(PROJECT, 1)
  await gitlab('maintainer').MergeRequestApprovals.unapprove(PROJECT, 1)
  await MergeRequests.merge(PROJECT, 1)
  expect((await heard()).toSorted()).toEqual(
    [
      ['Merge Request Hook', 'approved'],
      ['Merge Request Hook', 'merge'],
      ['Merge Request Hook', 'unapproval'],
      ['Merge Request Hook', 'update'],
      ['Note Hook', 'create'],
      ['Push Hook', undefined],
    ].toSorted(),
  )
})

test('jobs and pipelines are carried, and statuses of others as an external pipeline', async () => {
  const ci = { enabled: true, command: 'true', checkName: 'unit' }
  await withHook({ git: 'process', repository: { ci } }, async ({ clone, push, forge, receiver, ask }) => {
    const sha = await forge.idle(push(await clone('bot'), 'x', { 'x.txt': 'x\n' }))
    const carried = receiver.received
      .splice(0)
      .filter(({ event }) => event !== 'Push Hook')
      .map(({ event, payload }) => [
        event,
        payload.build_status ?? (payload.object_attributes as { status: string }).status,
      ])
    expect(carried).toEqual([
      ['Job Hook', 'pending'],
      ['Pipeline Hook', 'pending'],
      ['Job Hook', 'success'],
      ['Pipeline Hook', 'success'],
    ])
    await forge.idle(ask('bot', 'POST', `${PATH}/statuses/${sha}`, { state: 'failed', name: 'lint' }))
    expect(receiver.received[0]?.payload).toMatchObject({
      object_attributes: { source: 'external', status: 'failed', sha },
    })
  })
})

test('a hook gets the events of its flags, and is read without its token', async () => {
  await withReceiver(async (receiver) => {
    await withGitlab({}, async ({ gitlab, forge, ask }) => {
      const { ProjectHooks } = gitlab('maintainer')
      const made = await ProjectHooks.add(PROJECT, receiver.url, {
        issuesEvents: true,
        pushEvents: false,
        token: SECRET,
      })
      expect(made).toMatchObject({
        issues_events: true,
        push_events: false,
        note_events: false,
        alert_status: 'executable',
      })
      expect(JSON.stringify(await ProjectHooks.all(PROJECT))).not.toContain(SECRET)
      forge.openIssue('bot', PROJECT, { title: 'X' })
      forge.comment('bot', PROJECT, 1, 'Unheard')
      await ProjectHooks.edit(PROJECT, made.id, receiver.url, { noteEvents: true, issuesEvents: false })
      await forge.idle(forge.comment('bot', PROJECT, 1, 'Heard'))
      expect(receiver.received.map((one) => [one.event, one.headers['x-gitlab-token']])).toEqual([
        ['Issue Hook', SECRET],
        ['Note Hook', SECRET],
      ])
      const moved = await ask('maintainer', 'PUT', `${PATH}/hooks/${made.id}`, { url: `${receiver.url}/other` })
      expect(moved).toMatchObject({ body: { note_events: true, url: `${receiver.url}/other` } })
      await forge.idle(forge.comment('bot', PROJECT, 1, 'Without a token'))
      expect(receiver.received.at(-1)?.headers).not.toHaveProperty('x-gitlab-token')
      expect((await ask('bot', 'GET', `${PATH}/hooks`)).status).toBe(403)
      expect(await ask('maintainer', 'POST', `${PATH}/hooks`, { url: 'ftp://x' })).toMatchObject({
        status: 400,
        body: { message: { url: ['is invalid'] } },
      })
      await ProjectHooks.remove(PROJECT, made.id)
      expect(await ProjectHooks.all(PROJECT)).toEqual([])
    })
  })
})

test('a maintainer makes hooks, a developer does not', async () => {
  const permissions = { maintainer: 'maintain', bot: 'write' } as const
  await withGitlab({ repository: { permissions } }, async ({ ask }) => {
    const made = await ask('maintainer', 'POST', `${PATH}/hooks`, { url: 'http://127.0.0.1:1/' })
    expect(made).toMatchObject({ status: 201, body: { push_events: true, issues_events: false } })
    expect((await ask('bot', 'POST', `${PATH}/hooks`, { url: 'http://127.0.0.1:2/' })).status).toBe(403)
  })
})

it('the fourth failure in a row pauses a hook, and one that arrives by hand puts it back', async (fixture) => {
  const { forge, receiver, hook, ask } = fixture
  receiver.answer = 500
  for (const title of ['1', '2', '3', '4', '5']) {
    await forge.idle(forge.openIssue('bot', PROJECT, { title }))
  }
  expect(receiver.received).toHaveLength(4)
  const shown = async (): Promise<unknown> => (await ask('maintainer', 'GET', `${PATH}/hooks/${hook}`)).body
  expect(await shown()).toMatchObject({ alert_status: 'temporarily_disabled', disabled_until: expect.any(String) })
  const failed = await ask('maintainer', 'GET', `${PATH}/hooks/${hook}/events?status=server_failure`)
  expect(failed.body).toHaveLength(4)
  const test = `${PATH}/hooks/${hook}/test/push_events`
  expect((await ask('maintainer', 'POST', test)).status).toBe(201)
  expect(await shown()).toMatchObject({ alert_status: 'temporarily_disabled' })
  receiver.answer = 302
  expect((await ask('maintainer', 'POST', test)).status).toBe(201)
  expect(await shown()).toMatchObject({ alert_status: 'executable', disabled_until: null })
  receiver.received.length = 0
  await forge.idle(forge.openIssue('bot', PROJECT, { title: '6' }))
  expect(receiver.received).toHaveLength(1)
  await ask('maintainer', 'PUT', `${PATH}/hooks/${hook}`, { url: 'http://127.0.0.1:1/gone' })
  expect((await ask('maintainer', 'POST', test)).status).toBe(422)
})

test('a hook of the other dialect on the same project is sent in its own words', async () => {
  await withReceiver(async (receiver) => {
    const hooks = [{ url: receiver.url }, { url: `${receiver.url}/github`, dialect: 'github' as const }]
    await withGitlab({ repository: { hooks } }, async ({ forge, gitlab }) => {
      await forge.idle(forge.openIssue('bot', PROJECT, { title: 'X' }))
      expect(receiver.received.map((one) => one.event).toSorted()).toEqual(['Issue Hook', 'issues', 'ping'])
      expect(await gitlab('maintainer').ProjectHooks.all(PROJECT)).toHaveLength(1)
    })
  })
})

it('faults of deliveries go by the name of the event and its action', async ({ forge, receiver }) => {
  forge.faults.inject({ kind: 'duplicate', event: 'Issue Hook', action: 'close' })
  forge.openIssue('bot', PROJECT, { title: 'X' })
  await forge.idle(forge.closeIssue('bot', PROJECT, 1))
  const keys = receiver.received.map((one) => one.delivery)
  expect([keys.length, new Set(keys).size]).toEqual([3, 2])
})
