import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { gitlabWebhooks } from './inbound.ts'

const { changeOf, deliveryOf, eventOf, handles, verify } = gitlabWebhooks
const BODY = Buffer.from('{"object_kind":"push"}')
const NOW = 1_614_265_330_000

test('the shared token is the whole check of an older server (WEBHOOKS-6)', () => {
  expect(verify('s', { 'x-gitlab-token': 's' }, BODY, NOW)).toBe(true)
  for (const [secret, headers] of [
    ['s', {}],
    ['s', { 'x-gitlab-token': 'S' }],
    ['s', { 'x-gitlab-token': ['s', 's'] as unknown as string }],
    ['', { 'x-gitlab-token': '' }],
  ] as const)
    expect(verify(secret, headers, BODY, NOW)).toBe(false)
})

const SIGNING = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const SIGNED = Buffer.from('{"test": 2432232314}')
const signedHeaders = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}

test("Standard Webhooks' known answer verifies within five minutes, and among others", () => {
  expect(verify(SIGNING, signedHeaders, SIGNED, NOW)).toBe(true)
  expect(verify(SIGNING, signedHeaders, SIGNED, NOW + 300_000)).toBe(true)
  expect(verify(SIGNING, signedHeaders, SIGNED, NOW - 300_000)).toBe(true)
  const several = { ...signedHeaders, 'webhook-signature': `v1,AAAA ${signedHeaders['webhook-signature']}` }
  expect(verify(SIGNING, several, SIGNED, NOW)).toBe(true)
})

function signatureOf(key: Buffer, id: string, at: string): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${at}.`).update(SIGNED).digest('base64')}`
}

test.each([
  ['an old moment', signedHeaders, NOW + 300_001],
  ['a moment to come', signedHeaders, NOW - 300_001],
  ['another id', { ...signedHeaders, 'webhook-id': 'msg_other' }, NOW],
  ['another moment', { ...signedHeaders, 'webhook-timestamp': '1614265331' }, NOW],
  ['no moment', { ...signedHeaders, 'webhook-timestamp': 'now' }, NOW],
  [
    'another version',
    { ...signedHeaders, 'webhook-signature': `v2,${signedHeaders['webhook-signature'].slice(3)}` },
    NOW,
  ],
  ['no id', { ...signedHeaders, 'webhook-id': undefined }, NOW],
])('%s verifies nothing', (_, headers, now) => {
  expect(verify(SIGNING, headers, SIGNED, now)).toBe(false)
})

test('an empty key verifies nothing, and a wrong signature is not made good by a token', () => {
  const ofNothing = { ...signedHeaders, 'webhook-signature': signatureOf(Buffer.alloc(0), 'i', '1614265330') }
  expect(verify('whsec_', { ...ofNothing, 'webhook-id': 'i' }, SIGNED, NOW)).toBe(false)
  const wrong = { ...signedHeaders, 'webhook-signature': 'v1,AAAA', 'x-gitlab-token': SIGNING }
  expect(verify(SIGNING, wrong, SIGNED, NOW)).toBe(false)
})

test('a delivery goes by its key, else by its bytes, and never by the event’s id (WEBHOOKS-21)', () => {
  const event = { 'x-gitlab-event': 'Push Hook' }
  expect(deliveryOf({ ...event, 'idempotency-key': 'key-1', 'webhook-id': 'id-1' }, BODY)).toBe('key-1')
  expect(deliveryOf({ ...event, 'webhook-id': 'msg_1' }, BODY)).toBe('msg_1')
  const older = deliveryOf({ ...event, 'x-gitlab-event-uuid': 'u1', 'x-gitlab-webhook-uuid': 'w1' }, BODY)
  expect(older).toMatch(/^sha256-[0-9a-f]{64}$/)
  expect(deliveryOf({ ...event, 'x-gitlab-event-uuid': 'u2' }, BODY)).toBe(older)
  expect(deliveryOf({ 'x-gitlab-event': 'Job Hook' }, BODY)).not.toBe(older)
  expect(deliveryOf(event, Buffer.from('{}'))).not.toBe(older)
  expect(deliveryOf({ ...event, 'idempotency-key': 'no key' }, BODY)).toBeUndefined()
})

test('exactly the events that concern a thread, a head or a branch are handled (WEBHOOKS-24)', () => {
  const handled = ['Push Hook', 'Issue Hook', 'Note Hook', 'Merge Request Hook', 'Pipeline Hook', 'Job Hook']
  expect(handled.filter((event) => !handles(event))).toEqual([])
  for (const event of ['Tag Push Hook', 'Wiki Page Hook', 'Emoji Hook', 'toString', ''])
    expect([handles(event), changeOf(event, {})]).toEqual([false, undefined])
  expect(eventOf({ 'x-gitlab-event': 'Job Hook' })).toBe('Job Hook')
})

const project = { id: 7, path_with_namespace: 'grp/sub/app' }
const user = { id: 5, username: 'ann' }
const origin = { path: 'grp/sub/app', by: { login: 'ann', id: '5', bot: false } }
const subject = {
  iid: 3,
  title: 'T',
  description: 'D',
  author_id: 9,
  created_at: '2026-01-02T03:00:00Z',
  updated_at: '2026-01-02 03:04:05 UTC',
  labels: [{ title: 'platform' }],
}
const text = { title: 'T', body: 'D', updatedAt: Date.parse('2026-01-02T03:04:05Z') }

function issueChange(attributes: object, changes?: object): unknown {
  return changeOf('Issue Hook', { project, user, object_attributes: { ...subject, ...attributes }, changes })
}

test('an issue says who did what, and its labels were given by whoever opened it', () => {
  expect(issueChange({ action: 'open' }, { labels: { previous: [], current: [{ title: 'platform' }] } })).toEqual({
    ...origin,
    kind: 'subject',
    on: 'issue',
    number: 3,
    text,
    acts: [{ action: 'opened' }, { action: 'labeled', label: 'platform' }],
  })
})

test.each([
  ['close', {}, [{ action: 'closed' }]],
  ['reopen', {}, [{ action: 'reopened' }]],
  ['update', {}, [{ action: 'other' }]],
  ['invented', {}, [{ action: 'other' }]],
  ['update', { title: { previous: 'S', current: 'T' } }, [{ action: 'edited', before: { title: 'S' } }]],
  [
    'close',
    { labels: { previous: [{ title: 'a' }, { title: 'b' }], current: [{ title: 'b' }, { title: 'c' }] } },
    [{ action: 'closed' }, { action: 'labeled', label: 'c' }, { action: 'unlabeled', label: 'a' }],
  ],
])('an issue’s %s with the changes %j is %j', (action, changes, acts) => {
  expect(issueChange({ action }, changes)).toMatchObject({ acts })
})

test('an edit tells the text before it, and the new one as it was written', () => {
  const changes = { description: { previous: null, current: '![](/uploads/x.png)' } }
  expect(issueChange({ action: 'update', description: '![](https://lab/uploads/x.png)' }, changes)).toMatchObject({
    acts: [{ action: 'edited', before: { body: '' } }],
    text: { title: 'T', body: '![](/uploads/x.png)' },
  })
  expect(issueChange({ action: 'open', description: null }, { title: { previous: null, current: 'T' } })).toMatchObject(
    {
      acts: [{ action: 'opened' }, { action: 'labeled' }],
      text: { body: '' },
    },
  )
})

test('a confidential issue is read like others: the port hides it', () => {
  const payload = { project, user, object_attributes: { ...subject, action: 'update', confidential: true, labels: [] } }
  const change = { kind: 'subject', on: 'issue', number: 3, acts: [{ action: 'other' }] }
  expect(changeOf('Confidential Issue Hook', payload)).toMatchObject(change)
  expect(changeOf('Issue Hook', payload)).toMatchObject(change)
})

const note = {
  id: 11,
  note: '/approve',
  author_id: 5,
  system: false,
  internal: false,
  action: 'create',
  url: 'https://lab/grp/sub/app/-/issues/3#note_11',
  created_at: '2026-01-02 03:04:05 UTC',
  updated_at: '2026-01-02 03:04:05 UTC',
}

function noteChange(attributes: object, on: object = { issue: { iid: 3 } }): unknown {
  return changeOf('Note Hook', { project, user, object_attributes: { ...note, ...attributes }, ...on })
}

test('a comment names its author where he is who acted', () => {
  expect(noteChange({})).toEqual({
    ...origin,
    kind: 'comment',
    action: 'created',
    comment: {
      id: '11',
      sort: 'comment',
      on: 'issue',
      number: 3,
      author: origin.by,
      body: '/approve',
      url: note.url,
      createdAt: Date.parse('2026-01-02T03:04:05Z'),
      updatedAt: Date.parse('2026-01-02T03:04:05Z'),
    },
  })
  // Its payload names the author, whoever edited.
  expect(noteChange({ action: 'update' })).toMatchObject({ kind: 'thread' })
  const position = { head_sha: 'a'.repeat(40), new_path: 'f.js', old_path: 'f.js', new_line: 2, old_line: null }
  expect(noteChange({ type: 'DiffNote', position }, { merge_request: { iid: 4 } })).toMatchObject({
    comment: { id: 'inline-11', on: 'mr', number: 4, path: 'f.js', line: 2 },
  })
})

test('a comment that another hand edited is read from the forge', () => {
  expect(noteChange({ action: 'update', author_id: 6 }, { merge_request: { iid: 4 } })).toEqual({
    ...origin,
    kind: 'thread',
    on: 'mr',
    number: 4,
  })
})

test.each([
  [{ system: true }, undefined],
  [{}, { commit: { id: 'a' } }],
  [{}, { snippet: { id: 1 } }],
])('a note like %j on %j concerns nobody', (attributes, on) => {
  expect(noteChange(attributes, on)).toBeUndefined()
})

test('a comment that members alone may read says so', () => {
  const confidential = { kind: 'comment', confidential: true }
  expect(noteChange({ internal: true })).toMatchObject(confidential)
  expect(noteChange({}, { issue: { iid: 3, confidential: true } })).toMatchObject(confidential)
  const hidden = { project, user, object_attributes: note, issue: { iid: 3 } }
  expect(changeOf('Confidential Note Hook', hidden)).toMatchObject(confidential)
  expect(changeOf('Note Hook', hidden)).not.toHaveProperty('confidential')
})

function mergeRequestChange(attributes: object, changes?: object): unknown {
  const object_attributes = { ...subject, last_commit: { id: 'a'.repeat(40) }, ...attributes }
  return changeOf('Merge Request Hook', { project, user, object_attributes, changes })
}

test('a push names its head, and the thread is read for approvals that it took away', () => {
  expect(mergeRequestChange({ action: 'update', oldrev: 'b'.repeat(40), labels: [] })).toEqual({
    ...origin,
    kind: 'subject',
    on: 'mr',
    number: 3,
    text,
    acts: [{ action: 'pushed' }],
    headSha: 'a'.repeat(40),
    beforeSha: 'b'.repeat(40),
    thread: true,
  })
})

test.each([
  ['open', {}, 'opened', false],
  ['merge', {}, 'closed', false],
  ['close', {}, 'closed', false],
  ['reopen', {}, 'reopened', false],
  ['update', {}, 'other', false],
  ['approved', {}, 'other', true],
  ['unapproved', {}, 'other', true],
  ['approval', {}, 'other', true],
  ['unapproval', {}, 'other', true],
  ['update', { reviewers: { previous: [], current: [] } }, 'other', true],
])('a merge request’s %s with %j is %s, and reads the thread: %s', (action, changes, expected, thread) => {
  const change = mergeRequestChange({ action, labels: [] }, changes) as { acts: unknown; thread?: true; revokes?: true }
  expect([change.acts, change.thread ?? false]).toEqual([[{ action: expected }], thread])
  expect(change.revokes ?? false).toBe(action.startsWith('unapprov'))
})

test('checks concern a head, and those of a merge’s result its merge request in this project', () => {
  const sha = 'a'.repeat(40)
  const pipeline = (merge_request: object | null): unknown =>
    changeOf('Pipeline Hook', { project, user, object_attributes: { sha }, merge_request })
  expect(pipeline(null)).toEqual({ ...origin, kind: 'ci', sha })
  expect(pipeline({ iid: 4, target_project_id: 7 })).toEqual({ ...origin, kind: 'ci', sha, mergeRequest: 4 })
  expect(pipeline({ iid: 4, target_project_id: 8 })).toEqual({ ...origin, kind: 'ci', sha })
  const job = (more: object): unknown => changeOf('Job Hook', { sha, user: { id: 3, name: 'Ann' }, ...more })
  expect(job({ project })).toMatchObject({ kind: 'ci', sha, path: 'grp/sub/app' })
  expect(job({})).toBeUndefined()
})

test('a push is told as it is', () => {
  const push = { project, ref: 'refs/heads/main', before: 'b', after: 'a', user_id: 5, user_username: 'ann' }
  expect(changeOf('Push Hook', push)).toEqual({
    ...origin,
    kind: 'push',
    ref: 'refs/heads/main',
    before: 'b',
    after: 'a',
  })
})

test.each(['Push Hook', 'Issue Hook', 'Note Hook', 'Merge Request Hook', 'Pipeline Hook', 'Job Hook'])(
  'a %s of another shape is refused with the place of the fault',
  (event) => {
    expect(() => changeOf(event, { project: { id: 'x' } })).toThrow(new RegExp(`^${event}: .*/project `))
  },
)
