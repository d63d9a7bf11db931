import { expect, test } from 'vitest'
import { PROJECT, withGitlab } from '../../testing/gitlab.ts'

const PATH = `/projects/${encodeURIComponent(PROJECT)}`
const RED = "console.log('a red line'); process.exit(1)"

test('a push runs the tests as a pipeline with one job, whose trace is text', async () => {
  const ci = { enabled: true, command: `node -e "${RED}"`, checkName: 'unit' }
  await withGitlab({ git: 'process', repository: { ci } }, async ({ gitlab, forge, clone, push, ask }) => {
    const sha = await forge.idle(push(await clone('bot'), 'x', { 'x.txt': 'x\n' }))
    const { Pipelines, Jobs } = gitlab('bot')
    const [pipeline, ...others] = await Pipelines.all(PROJECT, { sha })
    expect([pipeline, others]).toMatchObject([{ sha, ref: 'x', status: 'failed' }, []])
    const id = pipeline?.id ?? 0
    expect(await Pipelines.show(PROJECT, id)).toMatchObject({ id, detailed_status: { group: 'failed' } })
    const jobs = await Jobs.all(PROJECT, { pipelineId: id })
    expect(jobs).toMatchObject([
      { name: 'unit', status: 'failed', allow_failure: false, failure_reason: 'script_failure' },
    ])
    const trace = await ask('bot', 'GET', `${PATH}/jobs/${jobs[0]?.id}/trace`)
    expect([trace.headers.get('content-type'), trace.body]).toEqual([
      'text/plain; charset=utf-8',
      expect.stringContaining('a red line'),
    ])
    expect((await ask('bot', 'GET', `${PATH}/pipelines/${id}/bridges`)).body).toEqual([])
    expect((await ask('bot', 'GET', `${PATH}/pipelines/1`)).status).toBe(404)
    expect(await Pipelines.all(PROJECT, { sha: '0'.repeat(40) })).toEqual([])
  })
})

test('statuses of others stand beside the jobs, the newest of each name, and none moves to where it is', async () => {
  await withGitlab({}, async ({ gitlab, clone, push, ask }) => {
    const sha = await push(await clone('bot'), 'x', { 'x.txt': 'x\n' })
    const post = (state: string): ReturnType<typeof ask> =>
      ask('bot', 'POST', `${PATH}/statuses/${sha}`, { state, name: 'lint' })
    expect(await post('running')).toMatchObject({ status: 201, body: { status: 'running', name: 'lint' } })
    expect((await post('running')).status).toBe(400)
    expect((await post('canceled')).body).toMatchObject({ status: 'canceled' })
    expect(await gitlab('bot').Commits.allStatuses(PROJECT, sha)).toMatchObject([{ name: 'lint', status: 'canceled' }])
    expect(await gitlab('bot').Commits.allStatuses(PROJECT, sha, { all: true })).toHaveLength(2)
    expect((await post('green')).body).toEqual({ error: 'state does not have a valid value' })
    expect((await ask('reader', 'POST', `${PATH}/statuses/${sha}`, { state: 'success' })).status).toBe(403)
  })
})

test('branches are read and deleted by their encoded names, protected ones stay', async () => {
  const protection = { main: { requiredApprovals: 1 } }
  await withGitlab({ repository: { protection } }, async ({ gitlab, clone, push, ask }) => {
    const sha = await push(await clone('bot'), 'a/b', { 'x.txt': 'x\n' })
    const { Branches, ProtectedBranches } = gitlab('bot')
    expect(await Branches.show(PROJECT, 'a/b')).toMatchObject({ name: 'a/b', protected: false, commit: { id: sha } })
    expect((await Branches.all(PROJECT)).map((branch) => branch.name)).toEqual(['a/b', 'main'])
    await Branches.remove(PROJECT, 'a/b')
    expect(await ask('bot', 'GET', `${PATH}/repository/branches/a%2Fb`)).toMatchObject({
      status: 404,
      body: { message: '404 Branch Not Found' },
    })
    expect((await ask('bot', 'DELETE', `${PATH}/repository/branches/main`)).status).toBe(403)
    expect(await ProtectedBranches.all(PROJECT)).toMatchObject([
      { name: 'main', push_access_levels: [{ access_level: 0 }], merge_access_levels: [{ access_level: 30 }] },
    ])
  })
})

test('commits are listed by branch, and compared from where they parted', async () => {
  await withGitlab({ git: 'process' }, async ({ gitlab, clone, push, ask }) => {
    const sha = await push(await clone('bot'), 'x', { 'x.txt': 'x\n' }, 'Add x\n\nWith a reason')
    await push(await clone('maintainer'), 'main', { 'y.txt': 'y\n' }, 'Add y')
    const { Commits, Repositories } = gitlab('bot')
    const commits = await Commits.all(PROJECT, { refName: 'x' })
    expect(commits.map((commit) => commit.title)).toEqual(['Add x', 'Start'])
    expect(commits[0]).toMatchObject({ id: sha, message: 'Add x\n\nWith a reason\n', parent_ids: [commits[1]?.id] })
    expect(await Commits.all(PROJECT, { since: '2100-01-01T00:00:00Z' })).toEqual([])
    const compared = await Repositories.compare(PROJECT, 'main', 'x')
    expect([compared.commits?.map((one) => one.id), compared.diffs?.map((file) => file.new_path)]).toEqual([
      [sha],
      ['x.txt'],
    ])
    expect(compared.diffs?.[0]).toMatchObject({ diff: '@@ -0,0 +1 @@\n+x\n', new_file: true, deleted_file: false })
    expect((await ask('bot', 'GET', `${PATH}/repository/compare?from=main`)).body).toEqual({ error: 'to is missing' })
  })
})
