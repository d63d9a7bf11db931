import { expect, test } from 'vitest'
import { scriptedForge, type ScriptedAnswer } from './testing/scripted-forge.ts'

const PATH = 'grp/app'
const AT = '/projects/grp%2Fapp'
const SHA = 'a'.repeat(40)

test('whose token it is and what it may do; one that may not ask about itself has no scopes', async () => {
  const user = { body: { id: 9, username: 'project_7_bot_ab', bot: true } }
  const { port } = scriptedForge({
    'GET /user': user,
    'GET /personal_access_tokens/self': [{ body: { scopes: ['api'] } }, { status: 401 }, { status: 500 }],
  })
  expect(await port.whoAmI()).toEqual({ login: 'project_7_bot_ab', id: '9', bot: true, scopes: ['api'] })
  expect((await port.whoAmI()).scopes).toEqual([])
  await expect(port.whoAmI()).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
})

test.each([
  ['merge', 'default_off', ['merge', 'squash']],
  ['merge', 'never', ['merge']],
  ['rebase_merge', 'always', ['squash']],
  ['rebase_merge', 'default_on', ['merge', 'squash']],
  ['ff', 'default_off', ['rebase', 'squash']],
  ['ff', 'never', ['rebase']],
  [undefined, undefined, ['merge', 'squash']],
])('a project that merges by %s and squashes %s allows %j', async (merge_method, squash_option, mergeMethods) => {
  const project = { id: 7, path_with_namespace: PATH, default_branch: 'main', visibility: 'internal' }
  const { port } = scriptedForge({ [`GET ${AT}`]: { body: { ...project, merge_method, squash_option } } })
  expect(await port.repository(PATH)).toEqual({
    path: PATH,
    id: '7',
    defaultBranch: 'main',
    private: true,
    mergeMethods,
  })
})

test.each([
  [true, { names: [], all: true }],
  [false, { names: [] }],
  [null, { names: [], unread: 'whether the pipeline must succeed' }],
  [undefined, { names: [], unread: 'whether the pipeline must succeed' }],
])('MERGE-15: a pipeline that must succeed (%s) makes each red check a required one', async (setting, required) => {
  const body = { id: 7, path_with_namespace: PATH, only_allow_merge_if_pipeline_succeeds: setting }
  const { port } = scriptedForge({ [`GET ${AT}`]: { body } })
  expect(await port.requiredChecks(PATH, 'main')).toEqual(required)
})

const members = `GET ${AT}/members/all/5`
const users = 'GET /users?per_page=100&username=ann'

test.each([
  [5, 'none'],
  [10, 'read'],
  [15, 'read'],
  [20, 'triage'],
  [25, 'triage'],
  [30, 'write'],
  [40, 'maintain'],
  [50, 'admin'],
  [60, 'admin'],
])('the access level %i is the permission %s', async (access_level, expected) => {
  const answers = { [users]: { body: [{ id: 5, username: 'Ann' }] }, [members]: { body: { access_level } } }
  expect(await scriptedForge(answers).port.permissionOf(PATH, 'ann')).toBe(expected)
})

test('who is unknown, no member or blocked has no permission; a forge that is away says nothing', async () => {
  const permission = (found: ScriptedAnswer, member: ScriptedAnswer): Promise<string> =>
    scriptedForge({ [users]: found, [members]: member }).port.permissionOf(PATH, 'ann')
  const known = { body: [{ id: 5, username: 'ann' }] }
  expect(await permission({ body: [] }, { body: { access_level: 50 } })).toBe('none')
  expect(await permission({ body: [{ id: 5, username: 'anna' }] }, { body: { access_level: 50 } })).toBe('none')
  expect(await permission(known, { status: 404 })).toBe('none')
  expect(await permission(known, { body: { access_level: 50, state: 'blocked' } })).toBe('none')
  await expect(permission(known, { status: 503 })).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
})

const branch = { id: 1, sha: SHA, ref: 'feature', source: 'push', status: 'success' }
const merged = { id: 2, sha: 'b'.repeat(40), ref: 'refs/merge-requests/4/merge', status: 'failed' }

test('the pipeline of a merge request’s result counts for its head; that of another head does not', async () => {
  const answers = {
    [`GET ${AT}/pipelines?per_page=100&sha=${SHA}`]: { body: [branch] },
    [`GET ${AT}/repository/commits/${SHA}/merge_requests`]: {
      body: [
        { iid: 4, state: 'opened', sha: SHA },
        { iid: 5, state: 'opened', sha: 'c'.repeat(40) },
        { iid: 6, state: 'merged', sha: SHA },
      ],
    },
    [`GET ${AT}/merge_requests/4`]: { body: { iid: 4, state: 'opened', sha: SHA, head_pipeline: merged } },
    [`GET ${AT}/pipelines/1/jobs`]: { body: [{ id: 7, name: 'unit', status: 'success' }] },
    [`GET ${AT}/pipelines/1/bridges`]: { body: [] },
    [`GET ${AT}/pipelines/2/jobs`]: { body: [{ id: 8, name: 'unit', status: 'failed' }] },
    [`GET ${AT}/pipelines/2/bridges`]: { body: [] },
    [`GET ${AT}/repository/commits/${SHA}/statuses`]: { body: [] },
  }
  const { port, asked } = scriptedForge(answers)
  expect(await port.ci(PATH, SHA)).toMatchObject({ status: 'failure', checks: [{ job: '7' }, { job: '8' }] })
  expect(asked.filter(({ path }) => /merge_requests\/[56]/.test(path))).toEqual([])
})

test('where CI is turned off, what others reported counts (TOOL-CI-16)', async () => {
  const { port } = scriptedForge({
    [`GET ${AT}/pipelines`]: { status: 403 },
    [`GET ${AT}/repository/commits/${SHA}/statuses`]: { body: [{ id: 1, name: 'scan', status: 'success' }] },
  })
  expect(await port.ci(PATH, SHA)).toMatchObject({ status: 'success', checks: [{ external: true }] })
})

test.each([
  [{ body: 'line 1\n' }, 'line 1\n'],
  [{ body: '' }, undefined],
  [{ status: 404 }, undefined],
  [{ status: 403 }, undefined],
])('a job log that is answered with %j is %j', async (answer, expected) => {
  expect(await scriptedForge({ [`GET ${AT}/jobs/7/trace`]: answer }).port.jobLog(PATH, '7')).toBe(expected)
})

test('a branch with slashes is one segment, and one that is gone is gone', async () => {
  const { port, asked } = scriptedForge({
    [`GET ${AT}/repository/branches/platform%2Fa`]: { body: { commit: { id: SHA } } },
    [`DELETE ${AT}/repository/branches/platform%2Fa`]: [{ status: 204 }, { status: 404 }, { status: 403 }],
  })
  expect(await port.branchHead(PATH, 'platform/a')).toBe(SHA)
  expect(await port.branchHead(PATH, 'absent')).toBeUndefined()
  await port.deleteBranch(PATH, 'platform/a')
  await port.deleteBranch(PATH, 'platform/a')
  await expect(port.deleteBranch(PATH, 'platform/a')).rejects.toMatchObject({ name: 'ForbiddenError' })
  expect(asked).toHaveLength(5)
})
