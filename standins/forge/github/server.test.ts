import { Octokit } from '@octokit/rest'
import { expect, test } from 'vitest'
import { failure, withForge } from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

const REPO = { owner: 'acme', repo: 'library' }

const it = testInside(withForge, { git: 'memory' })

it('an unknown token is bad credentials everywhere, no token reads what is public and writes nothing', async (fixture) => {
  const { forge } = fixture
  const wrong = new Octokit({
    baseUrl: forge.apiUrl,
    auth: 'nope',
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  expect(await failure(wrong.repos.get(REPO))).toMatchObject({ status: 401, message: 'Bad credentials' })
  const nobody = await fetch(`${forge.apiUrl}/repos/acme/library`)
  expect([nobody.status, nobody.headers.get('x-ratelimit-limit')]).toEqual([200, '60'])
  const write = await fetch(`${forge.apiUrl}/repos/acme/library/issues`, {
    method: 'POST',
    body: JSON.stringify({ title: 'X' }),
  })
  expect([write.status, await write.json()]).toMatchObject([401, { message: 'Requires authentication' }])
})

it('a token may do less than its user, never more', async ({ forge }) => {
  forge.createUser({ login: 'careful', tokens: [{ token: 'narrow', permission: 'read', scopes: ['read:repo'] }] })
  await forge.createRepository({ owner: 'careful', name: 'own' })
  const octokit = new Octokit({
    baseUrl: forge.apiUrl,
    auth: 'narrow',
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const { headers, data } = await octokit.repos.get({ owner: 'careful', repo: 'own' })
  expect(headers['x-oauth-scopes']).toBe('read:repo')
  expect(data.permissions).toMatchObject({ admin: false, push: false, pull: true })
  expect(await failure(octokit.issues.createLabel({ owner: 'careful', repo: 'own', name: 'x' }))).toMatchObject({
    status: 403,
  })
})

test('permissions are told to who may push, in the older words and the newer role', async () => {
  await withForge(
    { git: 'memory', repository: { permissions: { maintainer: 'admin', bot: 'write', reader: 'triage' } } },
    async ({ octokit }) => {
      const of = async (username: string): Promise<unknown> =>
        (await octokit('bot').repos.getCollaboratorPermissionLevel({ ...REPO, username })).data
      expect(await of('maintainer')).toMatchObject({
        permission: 'admin',
        role_name: 'admin',
        user: { login: 'maintainer' },
      })
      expect(await of('reader')).toMatchObject({ permission: 'read', role_name: 'triage' })
      expect(await of('stranger')).toMatchObject({ permission: 'read', role_name: 'read' })
      expect(
        await failure(octokit('bot').repos.getCollaboratorPermissionLevel({ ...REPO, username: 'nobody-at-all' })),
      ).toMatchObject({ status: 404 })
      expect(
        await failure(octokit('stranger').repos.getCollaboratorPermissionLevel({ ...REPO, username: 'bot' })),
      ).toMatchObject({ status: 403, message: 'Must have push access to view collaborator permission.' })
    },
  )
})

it('an unchanged answer is 304 and free, a changed one is new', async ({ octokit, forge }) => {
  const bot = octokit('bot')
  const first = await bot.issues.listForRepo(REPO)
  const again = { ...REPO, headers: { 'if-none-match': first.headers.etag } }
  const unchanged = await bot.issues.listForRepo(again).then(
    () => undefined,
    (error: { status: number; response: { headers: Record<string, string> } }) => error,
  )
  expect(unchanged?.status).toBe(304)
  expect(unchanged?.response.headers['x-ratelimit-remaining']).toBe(first.headers['x-ratelimit-remaining'])
  forge.openIssue('reader', 'acme/library', { title: 'New' })
  expect((await bot.issues.listForRepo(again)).data).toHaveLength(1)
})

test('the hourly limit is counted in headers, shown by /rate_limit for free, and refuses when used up', async () => {
  await withForge({ git: 'memory', rateLimit: 3 }, async ({ octokit }) => {
    const bot = octokit('bot')
    expect((await bot.repos.get(REPO)).headers).toMatchObject({
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '2',
      'x-ratelimit-used': '1',
    })
    expect((await bot.rateLimit.get()).data.resources.core).toMatchObject({ limit: 3, remaining: 2 })
    await bot.repos.get(REPO)
    await bot.repos.get(REPO)
    expect(await failure(bot.repos.get(REPO))).toMatchObject({
      status: 403,
      message: expect.stringContaining('API rate limit exceeded'),
      headers: { 'x-ratelimit-remaining': '0' },
    })
    expect((await octokit('maintainer').repos.get(REPO)).status).toBe(200)
  })
})

it('long lists come in pages that name their neighbours, and octokit walks them', async ({ octokit, forge }) => {
  for (let number = 1; number <= 7; number += 1) forge.openIssue('reader', 'acme/library', { title: `Issue ${number}` })
  const bot = octokit('bot')
  const { headers } = await bot.issues.listForRepo({ ...REPO, per_page: 3, page: 2 })
  expect(headers.link).toMatch(
    /page=1>; rel="prev", .*page=3>; rel="next", .*page=3>; rel="last", .*page=1>; rel="first"/,
  )
  const all = await bot.paginate(bot.issues.listForRepo, { ...REPO, per_page: 3, sort: 'created', direction: 'asc' })
  expect(all.map((issue) => issue.title)).toEqual([1, 2, 3, 4, 5, 6, 7].map((number) => `Issue ${number}`))
})

it('every fault of a body is named, and what is no JSON is said so', async ({ forge, octokit }) => {
  const { status, errors } = await failure(
    octokit('bot').request('POST /repos/{owner}/{repo}/issues', {
      ...REPO,
      title: undefined as unknown as string,
      labels: 3 as unknown as string[],
      body: 4 as unknown as string,
    }),
  )
  expect(status).toBe(422)
  expect(errors).toEqual(
    expect.arrayContaining([
      { resource: 'Issue', code: 'missing_field', field: 'title' },
      expect.objectContaining({ resource: 'Issue', code: 'invalid', field: 'body' }),
      expect.objectContaining({ resource: 'Issue', code: 'invalid', field: 'labels' }),
    ]),
  )
  const headers = { authorization: 'token token-of-bot', 'content-type': 'text/plain' }
  const post = (body: string): Promise<Response> =>
    fetch(`${forge.apiUrl}/repos/acme/library/issues`, { method: 'POST', headers, body })
  expect(await (await post('{"title":')).json()).toMatchObject({ message: 'Problems parsing JSON' })
  expect(await (await post('"title"')).json()).toMatchObject({ message: 'Body should be a JSON object' })
  expect((await post(`{"title":"${'x'.repeat(11 * 1024 * 1024)}"}`)).status).toBe(413)
})

it('an unknown path or repository is 404 with a body that clients understand', async ({ octokit }) => {
  expect(await failure(octokit('bot').request('GET /repos/acme/nothing'))).toMatchObject({
    status: 404,
    message: 'Not Found',
  })
  expect(await failure(octokit('bot').request('GET /no/such/path'))).toMatchObject({
    status: 404,
    message: 'Not Found',
  })
  expect(await failure(octokit('bot').issues.get({ ...REPO, issue_number: 99 }))).toMatchObject({ status: 404 })
})

test('a 502 after the write hides a write that was done; the path says which', async () => {
  await withForge(
    { git: 'memory', faults: [{ kind: 'errorAfterWrite', method: 'POST', path: '/repos/*/*/issues/*/comments' }] },
    async ({ octokit, forge }) => {
      const bot = octokit('bot')
      const { data: issue } = await bot.issues.create({ ...REPO, title: 'X' })
      const comment = (): Promise<unknown> =>
        bot.issues.createComment({ ...REPO, issue_number: issue.number, body: 'Once' })
      expect(await failure(comment())).toMatchObject({ status: 502 })
      expect(
        (await bot.issues.listComments({ ...REPO, issue_number: issue.number })).data.map((one) => one.body),
      ).toEqual(['Once'])
      await comment()
      expect(forge.faults.struck()).toHaveLength(1)
    },
  )
})

test('a secondary rate limit refuses as often as it was told, with Retry-After, and writes nothing', async () => {
  await withForge(
    { git: 'memory', faults: [{ kind: 'rateLimit', times: 2, retryAfter: 7, status: 403 }] },
    async ({ octokit }) => {
      const open = (): Promise<unknown> => octokit('bot').issues.create({ ...REPO, title: 'X' })
      for (let time = 0; time < 2; time += 1) {
        expect(await failure(open())).toMatchObject({
          status: 403,
          message: expect.stringContaining('secondary rate limit'),
          headers: { 'retry-after': '7' },
        })
      }
      await open()
      expect((await octokit('bot').issues.listForRepo(REPO)).data).toHaveLength(1)
    },
  )
})

test('a 502 before the write has written nothing, and a look is never hit by a fault of writes', async () => {
  await withForge(
    {
      git: 'memory',
      faults: [{ kind: 'errorBeforeWrite' }, { kind: 'errorAfterWrite', status: 504 }],
    },
    async ({ octokit }) => {
      const bot = octokit('bot')
      expect(await failure(bot.issues.create({ ...REPO, title: 'X' }))).toMatchObject({ status: 502 })
      expect((await bot.issues.listForRepo(REPO)).data).toEqual([])
      expect(await failure(bot.issues.create({ ...REPO, title: 'X' }))).toMatchObject({ status: 504 })
      expect((await bot.issues.listForRepo(REPO)).data).toHaveLength(1)
    },
  )
})

test('the audit log opens only to the holder of the admin token', async () => {
  await withForge({ git: 'memory', adminToken: 'the parent' }, async ({ forge }) => {
    const ask = (token: string): Promise<Response> =>
      fetch(`${forge.url}/_audit`, { headers: { authorization: `Bearer ${token}` } })
    expect((await ask('token-of-acme')).status).toBe(404)
    expect(await (await ask('the parent')).json()).toMatchObject({
      entries: [{ action: 'repository.create', actor: 'acme' }],
    })
  })
})
