import { expect, test } from 'vitest'
import { accountOf } from './records.ts'
import { scriptedForge } from './testing/scripted-forge.ts'

const PATH = 'grp/sub/app'
const AT = '/projects/grp%2Fsub%2Fapp'
const ann = { id: 5, username: 'Ann' }

const anIssue = {
  iid: 3,
  title: 'T',
  description: null,
  state: 'opened',
  author: ann,
  labels: ['agent::todo'],
  web_url: 'https://lab.example/grp/sub/app/-/issues/3',
  confidential: false,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:06.789Z',
  user_notes_count: 2,
}

const aNote = {
  id: 11,
  type: null,
  body: 'x',
  author: ann,
  system: false,
  internal: false,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
}

test('an issue is read by its number within the project, in whole seconds', async () => {
  const { port } = scriptedForge({ [`GET ${AT}/issues/3`]: { body: anIssue } })
  expect(await port.issue(PATH, 3)).toEqual({
    number: 3,
    title: 'T',
    body: '',
    state: 'open',
    author: { login: 'Ann', id: '5', bot: false },
    labels: ['agent::todo'],
    url: 'https://lab.example/grp/sub/app/-/issues/3',
    createdAt: Date.parse('2026-01-02T03:04:05Z'),
    updatedAt: Date.parse('2026-01-02T03:04:06Z'),
    comments: 2,
  })
})

test('an issue that was opened again names nobody who closed it', async () => {
  const closed = { ...anIssue, state: 'closed', closed_by: ann, closed_at: '2026-01-02T03:05:00.000Z' }
  const { port } = scriptedForge({
    [`GET ${AT}/issues/3`]: [{ body: closed }, { body: { ...closed, state: 'opened' } }],
  })
  expect(await port.issue(PATH, 3)).toMatchObject({
    state: 'closed',
    closedBy: { login: 'Ann' },
    closedAt: Date.parse('2026-01-02T03:05:00Z'),
  })
  const again = await port.issue(PATH, 3)
  expect(again).not.toHaveProperty('closedBy')
  expect(again).not.toHaveProperty('closedAt')
})

const confidential = { ...anIssue, iid: 4, confidential: true }

test('confidential issues are in no list and not found, unless they are wanted', async () => {
  const answers = {
    [`GET ${AT}/issues`]: { body: [anIssue, confidential] },
    [`GET ${AT}/issues/4`]: { body: confidential },
    [`GET ${AT}/issues/4/notes`]: { body: [aNote] },
    [`GET ${AT}/merge_requests`]: { body: [] },
  }
  const { port, asked } = scriptedForge(answers)
  expect((await port.listIssues(PATH)).map(({ number }) => number)).toEqual([3])
  expect((await port.issueHistory(PATH)).items.map(({ number }) => number)).toEqual([3])
  await expect(port.issue(PATH, 4)).rejects.toMatchObject({ name: 'NotFoundError' })
  await expect(port.listComments(PATH, 'issue', 4)).rejects.toMatchObject({ name: 'NotFoundError' })
  await port.listCommentsSince(PATH, 0).catch(() => undefined)
  expect(asked.filter(({ path }) => path.includes('/issues/4/notes'))).toEqual([])
  const wanted = scriptedForge(answers, { includeConfidential: true }).port
  expect((await wanted.listIssues(PATH)).map(({ number }) => number)).toEqual([3, 4])
  expect(await wanted.issue(PATH, 4)).toMatchObject({ number: 4 })
  expect(await wanted.listComments(PATH, 'issue', 4)).toHaveLength(1)
})

const position = { head_sha: 'a'.repeat(40), new_path: 'f.js', old_path: 'f.js', new_line: 2, old_line: null }

test('what GitLab writes itself, internal notes, line comments and reviews are no plain comments', async () => {
  const notes = [
    aNote,
    { ...aNote, id: 12, system: true, body: 'closed' },
    { ...aNote, id: 13, internal: true },
    { ...aNote, id: 14, type: 'DiffNote', position },
    { ...aNote, id: 15, body: `look\n\n<!-- platform:review=${'b'.repeat(40)} -->` },
    { ...aNote, id: 16, internal: undefined, confidential: true },
    { ...aNote, id: 17, type: 'DiscussionNote' },
  ]
  const answers = { [`GET ${AT}/merge_requests/3/notes`]: { body: notes } }
  const found = await scriptedForge(answers).port.listComments(PATH, 'mr', 3)
  expect(found.map(({ id, sort }) => [id, sort])).toEqual([
    ['11', 'comment'],
    ['17', 'comment'],
  ])
  expect(found[0]!.url).toBe('https://lab.example/grp/sub/app/-/merge_requests/3#note_11')
  const all = await scriptedForge(answers, { includeConfidential: true }).port.listComments(PATH, 'mr', 3)
  expect(all.map(({ id }) => id)).toEqual(['11', '13', '16', '17'])
})

test('comments since then are those of the subjects that changed since, as far back as they go', async () => {
  const since = Date.parse('2026-01-02T00:00:00Z')
  const old = { ...aNote, id: 9, updated_at: '2026-01-01T00:00:00Z' }
  const { port, asked } = scriptedForge({
    [`GET ${AT}/issues`]: { body: [anIssue] },
    [`GET ${AT}/merge_requests`]: { body: [{ iid: 3 }] },
    [`GET ${AT}/issues/3/notes`]: { body: [aNote, old], headers: { 'x-next-page': '2' } },
    [`GET ${AT}/merge_requests/3/notes`]: { body: [{ ...aNote, id: 14, type: 'DiffNote', position }] },
  })
  expect((await port.listCommentsSince(PATH, since)).map(({ id, on, number }) => [id, on, number])).toEqual([
    ['11', 'issue', 3],
    ['inline-14', 'mr', 3],
  ])
  expect(asked[0]!.path).toContain('updated_after=2026-01-02T00%3A00%3A00.000Z')
  expect(asked.filter(({ path }) => path.includes('/issues/3/notes'))).toHaveLength(1)
})

test('a subject that went after it was listed costs the comments of no other', async () => {
  const { port } = scriptedForge({
    [`GET ${AT}/issues`]: { body: [{ ...anIssue, iid: 2 }, anIssue] },
    [`GET ${AT}/merge_requests`]: { body: [] },
    [`GET ${AT}/issues/3/notes`]: { body: [aNote] },
  })
  expect((await port.listCommentsSince(PATH, 0)).map(({ id, number }) => [id, number])).toEqual([['11', 3]])
  const broken = scriptedForge({
    [`GET ${AT}/issues`]: { body: [anIssue] },
    [`GET ${AT}/merge_requests`]: { body: [] },
    [`GET ${AT}/issues/3/notes`]: { status: 502 },
  })
  await expect(broken.port.listCommentsSince(PATH, 0)).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
})

test('labels change in one request, and none at all asks for nothing', async () => {
  const { port, asked } = scriptedForge({ [`PUT ${AT}/issues/3`]: { body: anIssue } })
  await port.changeLabels(PATH, 3, { add: ['agent::doing', 'x y'], remove: ['agent::todo'] })
  await port.changeLabels(PATH, 3, { add: [], remove: [] })
  expect(asked).toEqual([
    {
      method: 'PUT',
      path: `${AT}/issues/3`,
      body: { add_labels: 'agent::doing,x y', remove_labels: 'agent::todo' },
    },
  ])
})

test('a label that another made in between is made', async () => {
  const { port, asked } = scriptedForge({
    [`GET ${AT}/labels`]: { body: [{ name: 'Platform' }] },
    [`POST ${AT}/labels`]: [{ status: 409, body: { message: 'Label already exists' } }, { status: 403 }],
  })
  const label = { name: 'new', color: 'ff0000', description: 'd' }
  await port.ensureLabels(PATH, [{ ...label, name: 'platform' }, label])
  expect(asked.at(-1)).toMatchObject({ method: 'POST', body: { name: 'new', color: '#ff0000' } })
  await expect(port.ensureLabels(PATH, [label])).rejects.toMatchObject({ name: 'ForbiddenError' })
})

test('only a plain comment can be edited', async () => {
  const { port, asked } = scriptedForge({ [`PUT ${AT}/issues/3/notes/11`]: { body: { ...aNote, body: 'y' } } })
  expect(await port.editComment(PATH, { on: 'issue', number: 3, id: '11' }, 'y')).toMatchObject({ body: 'y' })
  const inline = port.editComment(PATH, { on: 'mr', number: 3, id: 'inline-14' }, 'y')
  await expect(inline).rejects.toMatchObject({ name: 'ValidationError' })
  expect(asked).toHaveLength(1)
})

test.each([
  [{ id: 1, username: 'project_1_bot_x' }, true],
  [{ id: 1, username: 'group_22_bot' }, true],
  [{ id: 1, username: 'ann', bot: true }, true],
  [{ id: 1, username: 'robot' }, false],
  [{ id: 1, username: 'my_project_1_bot' }, false],
])('the account %j is a bot: %s', (account, bot) => {
  expect(accountOf(account)).toMatchObject({ bot })
})

test('what an account that is gone wrote is a ghost’s', () => {
  expect(accountOf(null)).toEqual({ login: 'ghost', id: '0', bot: false })
})

test('a comment says whether it was edited, to the millisecond', async () => {
  const notes = [aNote, { ...aNote, id: 12, updated_at: '2026-01-02T03:04:05.679Z' }]
  const { port } = scriptedForge({ [`GET ${AT}/merge_requests/3/notes`]: { body: notes } })
  const found = await port.listComments(PATH, 'mr', 3)
  expect(found.map(({ edited }) => edited)).toEqual([false, true])
  expect(found.map(({ createdAt, updatedAt }) => updatedAt - createdAt)).toEqual([0, 0])
})
