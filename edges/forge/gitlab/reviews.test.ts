import { expect, test } from 'vitest'
import { positionOf } from './positions.ts'
import { scriptedForge, type ScriptedAnswer } from './testing/scripted-forge.ts'

const PATH = 'grp/app'
const MR = '/projects/grp%2Fapp/merge_requests/4'
const [first, second] = ['a'.repeat(40), 'b'.repeat(40)]
const ann = { id: 5, username: 'ann' }
const ben = { id: 6, username: 'ben' }

const aNote = {
  id: 11,
  type: null,
  body: 'x',
  author: ann,
  system: false,
  created_at: '2026-01-02T10:00:00.500Z',
  updated_at: '2026-01-02T10:00:00.500Z',
}
const position = { head_sha: first, new_path: 'f.js', old_path: 'f.js', new_line: 2, old_line: null }
const inline = { ...aNote, id: 14, type: 'DiffNote', position }
const compared = { base_commit_sha: 'c'.repeat(40), start_commit_sha: 'd'.repeat(40) }
const versions = [
  { ...compared, id: 2, head_commit_sha: second, created_at: '2026-01-02T11:00:00.000Z' },
  { ...compared, id: 1, head_commit_sha: first, created_at: '2026-01-02T09:00:00.000Z' },
]

function reading(
  more: Readonly<Record<string, ScriptedAnswer>> = {},
  place = MR,
): Readonly<Record<string, ScriptedAnswer>> {
  return {
    [`GET ${place}/discussions`]: { body: [] },
    [`GET ${place}/approvals`]: { body: { approved_by: [] } },
    [`GET ${place}/reviewers`]: { body: [] },
    [`GET ${place}/versions`]: { body: versions },
    ...more,
  }
}

test.each([
  ['2026-01-02T10:30:00.000Z', first],
  ['2026-01-02T11:00:00.000Z', first],
  ['2026-01-02T11:00:00.001Z', second],
  ['2026-01-02T09:00:00.000Z', first],
  ['2026-01-02T12:00:00.000Z', second],
  ['2026-01-02T08:00:00.000Z', undefined],
])('an approval given at %s is one of the head %s', async (approved_at, sha) => {
  const { port } = scriptedForge(
    reading({ [`GET ${MR}/approvals`]: { body: { approved_by: [{ user: ann, approved_at }] } } }),
  )
  const [review, ...others] = await port.listReviews(PATH, 4)
  expect(others).toEqual([])
  expect(review).toMatchObject({ sort: 'review', verdict: 'approved', author: { login: 'ann' }, body: '' })
  expect(review?.sha).toBe(sha)
})

test('an approval that was revoked is none, and one given anew is another', async () => {
  const given = (approved_at: string): ScriptedAnswer => ({ body: { approved_by: [{ user: ann, approved_at }] } })
  const { port } = scriptedForge({
    ...reading(),
    [`GET ${MR}/approvals`]: [
      given('2026-01-02T10:00:00.100Z'),
      { body: { approved_by: [] } },
      given('2026-01-02T10:00:00.900Z'),
    ],
  })
  const ids: (readonly string[])[] = []
  for (let look = 0; look < 3; look++) ids.push((await port.listReviews(PATH, 4)).map(({ id }) => id))
  expect(ids[1]).toEqual([])
  expect(ids[0]![0]).not.toBe(ids[2]![0])
})

test('two merge requests that one person approves in the same moment have a review each', async () => {
  const given = { body: { approved_by: [{ user: ann, approved_at: '2026-01-02T10:00:00.100Z' }] } }
  const other = '/projects/grp%2Fapp/merge_requests/5'
  const { port } = scriptedForge({
    ...reading({ [`GET ${MR}/approvals`]: given }),
    ...reading({ [`GET ${other}/approvals`]: given }, other),
  })
  const [one, two] = [await port.listReviews(PATH, 4), await port.listReviews(PATH, 5)]
  expect(one).toHaveLength(1)
  expect(two[0]!.id).not.toBe(one[0]!.id)
})

test('a server that says no moment of an approval has it in the thread; without it no head is approved', async () => {
  const words = { ...aNote, id: 20, system: true, body: 'approved this merge request' }
  const approvals = { body: { approved_by: [{ user: ann }, { user: ben }] } }
  const { port } = scriptedForge(
    reading({
      [`GET ${MR}/approvals`]: approvals,
      [`GET ${MR}/discussions`]: { body: [{ id: 'd', notes: [words] }] },
    }),
  )
  const found = await port.listReviews(PATH, 4)
  expect(found.map(({ author, sha }) => [author.login, sha])).toEqual([
    ['ben', undefined],
    ['ann', first],
  ])
})

test('requested changes are a review of the moment at which they were requested', async () => {
  const words = { ...aNote, id: 20, author: ben, system: true, body: 'requested changes' }
  const { port } = scriptedForge(
    reading({
      [`GET ${MR}/reviewers`]: {
        body: [
          { user: ben, state: 'requested_changes', created_at: '2026-01-01T00:00:00Z' },
          { user: ann, state: 'reviewed', created_at: '2026-01-01T00:00:00Z' },
        ],
      },
      [`GET ${MR}/discussions`]: { body: [{ id: 'd', notes: [words] }] },
    }),
  )
  expect(await port.listReviews(PATH, 4)).toMatchObject([
    {
      verdict: 'changesRequested',
      author: { login: 'ben' },
      sha: first,
      createdAt: Date.parse('2026-01-02T10:00:00Z'),
    },
  ])
})

test('comments on lines answer the one that began their discussion; others’ words are no reviews', async () => {
  const reply = { ...inline, id: 15, author: ben }
  const discussions = [
    { id: 'd1', notes: [inline, reply, { ...inline, id: 16, internal: true }] },
    { id: 'd2', notes: [aNote] },
    { id: 'd3', notes: [{ ...aNote, id: 17, body: `look\n\n<!-- platform:review=${second} -->` }] },
  ]
  const { port, asked } = scriptedForge(reading({ [`GET ${MR}/discussions`]: { body: discussions } }))
  const found = await port.listReviews(PATH, 4)
  expect(found).toMatchObject([
    { id: 'inline-14', path: 'f.js', line: 2, sha: first },
    { id: 'inline-15', inReplyTo: 'inline-14' },
    { id: 'review-17', body: 'look', verdict: 'commented', sha: second },
  ])
  expect(found[0]).not.toHaveProperty('inReplyTo')
  expect(asked.filter(({ path }) => path.includes('/versions'))).toEqual([])
})

test('a reply goes into the discussion of its line, and to anything else as a plain comment', async () => {
  const { port } = scriptedForge(
    reading({
      [`GET ${MR}/discussions`]: { body: [{ id: 'd1', notes: [inline, { ...inline, id: 15 }] }] },
      [`POST ${MR}/discussions/d1/notes`]: { body: { ...inline, id: 18, body: 'why?' } },
      [`POST ${MR}/notes`]: { body: { ...aNote, id: 19, body: 'thanks' } },
    }),
  )
  expect(await port.reply(PATH, 4, 'inline-15', 'why?')).toMatchObject({ id: 'inline-18', inReplyTo: 'inline-14' })
  expect(await port.reply(PATH, 4, 'review-17', 'thanks')).toMatchObject({ id: '19', sort: 'comment', on: 'mr' })
  await expect(port.reply(PATH, 4, 'inline-99', 'x')).rejects.toMatchObject({ name: 'NotFoundError' })
})

const files = [
  {
    old_path: 'old.js',
    new_path: 'f.js',
    renamed_file: true,
    diff: '@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n@@ -10,1 +10,2 @@\n ten\n+elf\n',
  },
]

test.each([
  [1, { new_line: 1, old_line: 1 }],
  [2, { new_line: 2 }],
  [3, { new_line: 3, old_line: 3 }],
  [10, { new_line: 10, old_line: 10 }],
  [11, { new_line: 11 }],
])('line %i of a renamed file stands at %j', (line, expected) => {
  expect(positionOf(versions[0]!, files, { path: 'f.js', line })).toEqual({
    position_type: 'text',
    base_sha: compared.base_commit_sha,
    start_sha: compared.start_commit_sha,
    head_sha: second,
    old_path: 'old.js',
    new_path: 'f.js',
    ...expected,
  })
})

test.each([
  ['f.js', 4],
  ['f.js', 9],
  ['f.js', 12],
  ['f.js', 0],
  ['old.js', 1],
])('%s:%i is not part of the diff', (path, line) => {
  expect(positionOf(versions[0]!, files, { path, line })).toBeUndefined()
})

test('branches without a common commit have no lines to point at', () => {
  const version = { ...versions[0]!, base_commit_sha: null }
  expect(positionOf(version, files, { path: 'f.js', line: 2 })).toBeUndefined()
})

const review = { sha: second, body: 'look', lines: [{ path: 'f.js', line: 2, body: 'here' }] }
const posted = { ...aNote, id: 30, body: `look\n\n<!-- platform:review=${second} -->` }

function writing(more: Readonly<Record<string, ScriptedAnswer | readonly ScriptedAnswer[]>> = {}) {
  return scriptedForge({
    ...reading(),
    [`GET ${MR}/diffs`]: { body: files },
    [`GET ${MR}/draft_notes`]: { body: [] },
    [`POST ${MR}/draft_notes`]: { status: 201, body: { id: 50 } },
    [`DELETE ${MR}/draft_notes/50`]: { status: 204 },
    [`POST ${MR}/draft_notes/bulk_publish`]: { status: 204 },
    [`GET ${MR}/notes`]: { body: [aNote, posted] },
    ...more,
  })
}

test('a review is written as drafts and published at once', async () => {
  const { port, asked } = writing()
  expect(await port.postReview(PATH, 4, review)).toMatchObject({
    id: 'review-30',
    sort: 'review',
    verdict: 'commented',
    body: 'look',
    sha: second,
  })
  expect(asked.filter(({ method }) => method !== 'GET')).toMatchObject([
    { path: `${MR}/draft_notes`, body: { note: posted.body } },
    { path: `${MR}/draft_notes`, body: { note: 'here', position: { new_path: 'f.js', new_line: 2 } } },
    { path: `${MR}/draft_notes/bulk_publish` },
  ])
})

test('a line outside of the diff, or of a head that is past or never was, writes nothing', async () => {
  const { port, asked } = writing()
  const outside = { ...review, lines: [...review.lines, { path: 'f.js', line: 99, body: 'nowhere' }] }
  await expect(port.postReview(PATH, 4, outside)).rejects.toMatchObject({ name: 'ValidationError' })
  const another = { ...review, sha: 'e'.repeat(40) }
  await expect(port.postReview(PATH, 4, another)).rejects.toMatchObject({ name: 'ValidationError' })
  const past = { ...review, sha: first! }
  await expect(port.postReview(PATH, 4, past)).rejects.toMatchObject({ name: 'ValidationError' })
  expect(asked.filter(({ method }) => method !== 'GET')).toEqual([])
})

test('a draft that GitLab refuses takes the others with it', async () => {
  const { port, asked } = writing({
    [`POST ${MR}/draft_notes`]: [
      { status: 201, body: { id: 50 } },
      { status: 400, body: { message: 'line_code' } },
    ],
    [`GET ${MR}/draft_notes`]: [{ body: [] }, { body: [{ id: 50 }] }],
  })
  await expect(port.postReview(PATH, 4, review)).rejects.toMatchObject({ name: 'ValidationError' })
  expect(asked.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
  expect(asked.some(({ path }) => path.endsWith('bulk_publish'))).toBe(false)
})

test('drafts that an earlier try has left are not published with a new review', async () => {
  const { port, asked } = writing({ [`GET ${MR}/draft_notes`]: { body: [{ id: 50 }] } })
  await port.postReview(PATH, 4, review)
  const writes = asked.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`)
  expect(writes[0]).toBe(`DELETE ${MR}/draft_notes/50`)
})

test('a review that is published and not listed is asked for again', async () => {
  const { port } = writing({ [`GET ${MR}/notes`]: { body: [aNote] } })
  await expect(port.postReview(PATH, 4, review)).rejects.toMatchObject({ name: 'BrokenAnswerError' })
})
