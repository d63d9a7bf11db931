import { expect, test } from 'vitest'
import { scriptedForge } from './testing/scripted-forge.ts'

const PATH = 'grp/app'
const AT = '/projects/grp%2Fapp'
const SHA = 'a'.repeat(40)

const aMergeRequest = {
  iid: 4,
  title: 'T',
  description: 'd',
  state: 'opened',
  author: { id: 5, username: 'ann' },
  labels: [],
  web_url: 'https://lab.example/grp/app/-/merge_requests/4',
  draft: false,
  sha: SHA,
  source_branch: 'feature',
  target_branch: 'main',
  source_project_id: 7,
  target_project_id: 7,
  merge_status: 'can_be_merged',
  detailed_merge_status: 'mergeable',
  has_conflicts: false,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:06.789Z',
}

test.each([
  ['mergeable', {}, true],
  ['not_approved', {}, true],
  ['ci_must_pass', {}, true],
  ['ci_still_running', {}, true],
  ['discussions_not_resolved', {}, true],
  ['draft_status', {}, true],
  ['not_approved', { has_conflicts: true }, false],
  ['not_approved', { merge_status: 'cannot_be_merged' }, false],
  ['conflict', { merge_status: 'cannot_be_merged' }, false],
  ['need_rebase', {}, false],
  ['commits_status', {}, false],
  ['checking', {}, null],
  ['unchecked', {}, null],
  ['preparing', {}, null],
  ['approvals_syncing', {}, null],
  ['not_approved', { merge_status: 'checking' }, null],
  ['not_open', { state: 'closed' }, null],
])('with the status %s and %j it can be merged: %s', async (detailed_merge_status, more, expected) => {
  const found = { ...aMergeRequest, detailed_merge_status, ...more }
  const { port } = scriptedForge({ [`GET ${AT}/merge_requests/4`]: { body: found } })
  expect((await port.mergeRequest(PATH, 4)).mergeable).toBe(expected)
})

const fork = { ...aMergeRequest, iid: 5, source_project_id: 8 }

test('a fork is asked for by its id, once a list; one that is gone has no path', async () => {
  const { port, asked } = scriptedForge({
    [`GET ${AT}/merge_requests`]: {
      body: [aMergeRequest, fork, { ...fork, iid: 6 }, { ...fork, iid: 7, source_project_id: 9 }],
    },
    'GET /projects/8': { body: { id: 8, path_with_namespace: 'ann/app' } },
  })
  const { items } = await port.mergeRequestHistory(PATH)
  expect(items.map(({ number, headRepository, mergeable }) => [number, headRepository, mergeable])).toEqual([
    [4, PATH, null],
    [5, 'ann/app', null],
    [6, 'ann/app', null],
    [7, undefined, null],
  ])
  expect(asked.filter(({ path }) => path === '/projects/8')).toHaveLength(1)
})

test('a branch of the same name in a fork is another one', async () => {
  const { port } = scriptedForge({ [`GET ${AT}/merge_requests`]: { body: [aMergeRequest, fork] } })
  const found = await port.listMergeRequests(PATH, { state: 'open', headBranch: 'feature' })
  expect(found.map(({ number }) => number)).toEqual([4])
})

test.each([
  [{ merge_commit_sha: 'm', squash_commit_sha: 's' }, 'm'],
  [{ merge_commit_sha: null, squash_commit_sha: 's' }, 's'],
  [{ merge_commit_sha: null, squash_commit_sha: null }, SHA],
])('of the commits %j the base branch became %s', async (commits, expected) => {
  const merged = { ...aMergeRequest, ...commits, state: 'merged', merged_at: '2026-01-02T03:05:00Z' }
  const { port } = scriptedForge({
    [`GET ${AT}/merge_requests/4`]: { body: merged },
    [`PUT ${AT}/merge_requests/4/merge`]: { body: merged },
  })
  expect(await port.mergeRequest(PATH, 4)).toMatchObject({ state: 'merged', mergeCommit: expected, mergeable: null })
  expect(await port.mergeMergeRequest(PATH, 4, { sha: SHA, method: 'merge' })).toBe(expected)
})

test('a merge is pinned to its head, and squashes where the method does', async () => {
  const { port, asked } = scriptedForge({
    [`PUT ${AT}/merge_requests/4/merge`]: { body: { ...aMergeRequest, state: 'merged', merge_commit_sha: 'm' } },
  })
  await port.mergeMergeRequest(PATH, 4, { sha: SHA, method: 'squash' })
  await port.mergeMergeRequest(PATH, 4, { sha: SHA, method: 'rebase' })
  expect(asked.map(({ body }) => body)).toEqual([
    { sha: SHA, squash: true },
    { sha: SHA, squash: false },
  ])
})

test.each([
  [{ detailed_merge_status: 'not_approved' }, '405 Method Not Allowed: not_approved'],
  [{ detailed_merge_status: 'ci_still_running' }, '405 Method Not Allowed: ci_still_running, try again'],
  [{ detailed_merge_status: 'checking' }, '405 Method Not Allowed: checking, try again'],
])('a merge that is refused while %j names the reason', async (more, detail) => {
  const { port } = scriptedForge({
    [`PUT ${AT}/merge_requests/4/merge`]: { status: 405, body: { message: '405 Method Not Allowed' } },
    [`GET ${AT}/merge_requests/4`]: { body: { ...aMergeRequest, ...more } },
  })
  const merging = port.mergeMergeRequest(PATH, 4, { sha: SHA, method: 'merge' })
  await expect(merging).rejects.toMatchObject({ name: 'NotMergeableError', detail })
})

test('a refused merge stays refused where nobody learns the reason', async () => {
  const { port } = scriptedForge({
    [`PUT ${AT}/merge_requests/4/merge`]: { status: 406, body: { message: 'Branch cannot be merged' } },
    [`GET ${AT}/merge_requests/4`]: { status: 503 },
  })
  const merging = port.mergeMergeRequest(PATH, 4, { sha: SHA, method: 'merge' })
  await expect(merging).rejects.toMatchObject({ name: 'NotMergeableError', detail: 'Branch cannot be merged' })
})

test.each([
  [{ state: 'opened', detailed_merge_status: 'ci_must_pass' }, 'GitLab did not merge at once (ci_must_pass)'],
  [{ state: 'locked' }, 'GitLab did not merge at once (mergeable, try again)'],
])('a merge that is answered and not done is none: %j', async (more, detail) => {
  const { port } = scriptedForge({ [`PUT ${AT}/merge_requests/4/merge`]: { body: { ...aMergeRequest, ...more } } })
  const merging = port.mergeMergeRequest(PATH, 4, { sha: SHA, method: 'merge' })
  await expect(merging).rejects.toMatchObject({ name: 'NotMergeableError', detail })
})

test('a second merge request of a branch is refused as invalid', async () => {
  const message = ['Another open merge request already exists for this source branch: !4']
  const { port } = scriptedForge({ [`POST ${AT}/merge_requests`]: { status: 409, body: { message } } })
  const opening = port.createMergeRequest(PATH, { branch: 'feature', base: 'main', title: 'T', body: '' })
  await expect(opening).rejects.toMatchObject({ name: 'ValidationError' })
})

test('its commits come oldest first', async () => {
  const commit = { title: 't', author_name: 'Ann', committed_date: '2026-01-02T03:04:05.000+01:00', web_url: 'u' }
  const { port } = scriptedForge({
    [`GET ${AT}/merge_requests/4/commits`]: {
      body: [
        { ...commit, id: 'new' },
        { ...commit, id: 'old', message: 'm\n' },
      ],
    },
  })
  const found = await port.mergeRequestCommits(PATH, 4)
  expect(found.map(({ sha, message }) => [sha, message])).toEqual([
    ['old', 'm\n'],
    ['new', 't'],
  ])
  expect(found[0]).toMatchObject({ author: 'Ann', at: Date.parse('2026-01-02T02:04:05Z') })
})

test('files say what became of them, and those too large have no patch', async () => {
  const file = { old_path: 'a', new_path: 'a', diff: '@@ -1,2 +1,2 @@\n keep\n-old\n+new\n+more\n' }
  const { port } = scriptedForge({
    [`GET ${AT}/merge_requests/4/diffs`]: {
      body: [
        file,
        { ...file, new_file: true },
        { ...file, deleted_file: true },
        { ...file, renamed_file: true, new_path: 'b', diff: '' },
      ],
    },
  })
  const found = await port.files(PATH, 4)
  expect(found.map(({ status }) => status)).toEqual(['modified', 'added', 'removed', 'renamed'])
  expect(found[0]).toMatchObject({ path: 'a', additions: 2, deletions: 1 })
  expect(found[3]).toEqual({ path: 'b', previousPath: 'a', status: 'renamed', additions: 0, deletions: 0 })
})
