import { expect, test } from 'vitest'
import { PROJECT, withGitlab } from '../testing/gitlab.ts'
import { testInside } from '../../../testing/inside.ts'

const PATH = `/projects/${encodeURIComponent(PROJECT)}`

test('both headers carry a token, a wrong one is refused everywhere, and without one only public projects are read', async () => {
  await withGitlab({}, async ({ forge, ask }) => {
    const bearer = { authorization: 'Bearer token-of-bot' }
    expect((await fetch(`${forge.gitlabApiUrl}/user`, { headers: bearer })).status).toBe(200)
    expect(await ask('nobody-known', 'GET', PATH)).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } })
    expect((await ask(undefined, 'GET', PATH)).status).toBe(200)
    expect((await ask(undefined, 'GET', '/user')).status).toBe(401)
  })
  await withGitlab({ repository: { private: true } }, async ({ ask }) => {
    expect(await ask(undefined, 'GET', PATH)).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    })
    expect((await ask('stranger', 'GET', PATH)).status).toBe(404)
    expect((await ask('reader', 'GET', PATH)).status).toBe(200)
  })
})

const it = testInside(withGitlab, {})

it('a project is found by its encoded path at any depth, by its number, and whatever the case', async ({ gitlab }) => {
  const { Projects } = gitlab('bot')
  const project = await Projects.show(PROJECT)
  expect(project).toMatchObject({
    path_with_namespace: PROJECT,
    default_branch: 'main',
    merge_method: 'merge',
    squash_option: 'default_off',
    visibility: 'public',
    namespace: { kind: 'group', full_path: 'acme/tools' },
    permissions: { project_access: { access_level: 30 } },
  })
  expect((await Projects.show(project.id)).id).toBe(project.id)
  expect((await Projects.show(PROJECT.toUpperCase())).id).toBe(project.id)
})

it('who one is, who others are, and what role they have', async ({ gitlab, ask }) => {
  const { Users, ProjectMembers, PersonalAccessTokens } = gitlab('bot')
  const me = await Users.showCurrentUser()
  expect(me).toMatchObject({ username: 'bot', bot: true })
  expect(await PersonalAccessTokens.show()).toMatchObject({ user_id: me.id, active: true })
  const level = async (username: string): Promise<unknown> => {
    const [user] = await Users.all({ username })
    return (await ProjectMembers.show(PROJECT, user?.id ?? 0, { includeInherited: true })).access_level
  }
  expect([await level('maintainer'), await level('bot'), await level('READER')]).toEqual([50, 30, 10])
  expect(await Users.all({ username: 'acme/tools' })).toEqual([])
  const [stranger] = await Users.all({ username: 'stranger' })
  expect(await ask('bot', 'GET', `${PATH}/members/all/${stranger?.id}`)).toMatchObject({
    status: 404,
    body: { message: '404 Not found' },
  })
  expect((await ask('bot', 'GET', '/version')).body).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+/) })
})

test('the rate limit is counted in headers, and refuses with the seconds to wait for', async () => {
  await withGitlab({ rateLimit: 2 }, async ({ ask }) => {
    const first = await ask('bot', 'GET', PATH)
    expect([first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual(['2', '1'])
    await ask('bot', 'GET', PATH)
    const refused = await ask('bot', 'GET', PATH)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await ask('reader', 'GET', PATH)).status).toBe(200)
  })
})

test('a fault strikes by the path as it was asked for, and a rate limit may come without Retry-After', async () => {
  const path = `/projects/*`
  await withGitlab({ faults: [{ kind: 'rateLimit', path, retryAfter: null }] }, async ({ ask, forge }) => {
    const refused = await ask('bot', 'GET', PATH)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null])
    expect((await ask('bot', 'GET', PATH)).status).toBe(200)
    forge.faults.inject({ kind: 'rateLimit', path, retryAfter: 7 })
    expect((await ask('bot', 'GET', PATH)).headers.get('retry-after')).toBe('7')
  })
})

it('an unknown path is 404, and what is no JSON is refused as a bad request', async ({ forge, ask }) => {
  expect(await ask('bot', 'GET', '/no/such')).toMatchObject({ status: 404, body: { error: '404 Not Found' } })
  expect(await ask('bot', 'GET', '/projects/999999')).toMatchObject({
    status: 404,
    body: { message: '404 Project Not Found' },
  })
  const headers = { 'private-token': 'token-of-bot', 'content-type': 'application/json' }
  const post = (body: string): Promise<Response> =>
    fetch(`${forge.gitlabApiUrl}${PATH}/issues`, { method: 'POST', headers, body })
  expect((await post('{"title":')).status).toBe(400)
  expect((await post('"title"')).status).toBe(400)
})

it('an edit is later than the creation, if by a thousandth of a second: it is another request', async ({ forge }) => {
  const { number } = forge.openIssue('maintainer', PROJECT, { title: 'T', body: '' })
  for (let at = 0; at < 20; at += 1) {
    const { id } = forge.comment('maintainer', PROJECT, number, 'a', 'issue')
    forge.editComment('maintainer', PROJECT, id, 'b')
    const edited = forge.issue(PROJECT, number, 'issue').comments.get(id)
    expect(Date.parse(edited?.updatedAt ?? '')).toBeGreaterThan(Date.parse(edited?.createdAt ?? ''))
  }
})
