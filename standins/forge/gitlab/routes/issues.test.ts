import { expect, test } from 'vitest'
import { PROJECT, withGitlab } from '../../testing/gitlab.ts'
import { testInside } from '../../../../testing/inside.ts'

const PATH = `/projects/${encodeURIComponent(PROJECT)}`

const it = testInside(withGitlab, {})

it('issues and merge requests count on their own, each from one', async ({ forge, clone, push }) => {
  await push(await clone('bot'), 'x', { 'x.txt': 'x\n' })
  const issue = forge.openIssue('reader', PROJECT, { title: 'An issue' })
  const pull = await forge.openPull('bot', PROJECT, { title: 'A merge request', head: 'x', base: 'main' })
  expect([issue.number, pull.number]).toEqual([1, 1])
  forge.comment('reader', PROJECT, 1, 'On the request', 'pull')
  expect([issue.comments.size, pull.comments.size]).toEqual([0, 1])
  expect(forge.issue(PROJECT, 1, 'pull').title).toBe('A merge request')
})

it('an issue is opened, edited, closed and reopened', async ({ gitlab }) => {
  const { Issues } = gitlab('bot')
  const issue = await Issues.create(PROJECT, 'Title', { description: 'Text', labels: 'one,two' })
  expect(issue).toMatchObject({
    iid: 1,
    state: 'opened',
    labels: ['one', 'two'],
    author: { username: 'bot' },
    references: { full: `${PROJECT}#1` },
  })
  expect(
    await Issues.edit(PROJECT, 1, { title: 'New', addLabels: 'three', removeLabels: 'one', stateEvent: 'close' }),
  ).toMatchObject({ title: 'New', description: 'Text', labels: ['three', 'two'], state: 'closed' })
  expect((await Issues.show(1, { projectId: PROJECT })).closed_at).not.toBeNull()
  expect(await Issues.edit(PROJECT, 1, { stateEvent: 'reopen', labels: '' })).toMatchObject({
    state: 'opened',
    labels: [],
    closed_at: null,
  })
})

it('of scoped labels the newest takes the place of its siblings, by whatever way it comes', async (fixture) => {
  const { gitlab, forge } = fixture
  const { Issues } = gitlab('bot')
  await Issues.create(PROJECT, 'X', { labels: 'agent::todo,plain' })
  const edited = await Issues.edit(PROJECT, 1, { addLabels: 'agent::doing' })
  expect(edited.labels).toEqual(['agent::doing', 'plain'])
  forge.addLabel('maintainer', PROJECT, 1, 'agent::done')
  expect((await Issues.show(1, { projectId: PROJECT })).labels).toEqual(['agent::done', 'plain'])
  expect((await Issues.create(PROJECT, 'Y', { labels: 'a::b::c,a::b::d,a::x' })).labels).toEqual(['a::b::d', 'a::x'])
})

it('a list is narrowed, sorted and paged', async ({ gitlab, forge, ask }) => {
  for (const title of ['a', 'b', 'c']) forge.openIssue('bot', PROJECT, { title, labels: title === 'b' ? ['l'] : [] })
  forge.closeIssue('bot', PROJECT, 1)
  const { Issues } = gitlab('bot')
  const titles = async (options: object): Promise<string[]> =>
    (await Issues.all({ projectId: PROJECT, ...options })).map((issue) => issue.title)
  expect(await titles({})).toEqual(['c', 'b', 'a'])
  expect(await titles({ sort: 'asc', orderBy: 'created_at', perPage: 1 })).toEqual(['a', 'b', 'c'])
  expect([await titles({ state: 'opened' }), await titles({ state: 'closed' })]).toEqual([['c', 'b'], ['a']])
  expect(await titles({ labels: 'L' })).toEqual(['b'])
  expect(await titles({ updatedAfter: '2100-01-01T00:00:00Z' })).toEqual([])
  const { headers } = await ask('bot', 'GET', `${PATH}/issues?per_page=2&page=2`)
  expect(
    ['x-page', 'x-next-page', 'x-prev-page', 'x-per-page', 'x-total', 'x-total-pages'].map((name) => headers.get(name)),
  ).toEqual(['2', '', '1', '2', '3', '2'])
  expect(headers.get('link')).toContain('rel="prev"')
  expect(headers.get('link')).not.toContain('rel="next"')
})

it('wrong parameters are named as GitLab names them', async ({ ask }) => {
  const issues = `${PATH}/issues`
  expect(await ask('bot', 'POST', issues, {})).toMatchObject({ status: 400, body: { error: 'title is missing' } })
  expect(await ask('bot', 'POST', issues, { title: '' })).toMatchObject({
    status: 400,
    body: { message: { title: ["can't be blank"] } },
  })
  expect(await ask('bot', 'POST', issues, { title: 'x'.repeat(300) })).toMatchObject({
    status: 400,
    body: { message: { title: [expect.stringContaining('too long')] } },
  })
  await ask('bot', 'POST', issues, { title: 'X' })
  expect(await ask('bot', 'PUT', `${issues}/1`, { state_event: 'burn' })).toMatchObject({
    status: 400,
    body: { error: 'state_event does not have a valid value' },
  })
  expect(await ask('bot', 'PUT', `${issues}/1`, {})).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('at least one parameter must be provided') },
  })
  expect(await ask('stranger', 'PUT', `${issues}/1`, { title: 'Y' })).toMatchObject({
    status: 403,
    body: { message: '403 Forbidden' },
  })
  expect(await ask('bot', 'GET', `${issues}/9`)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
})

it('a confidential issue is there for its author and for members who may sort issues', async ({ gitlab, ask }) => {
  await gitlab('reader').Issues.create(PROJECT, 'Secret', { confidential: true })
  const statuses = await Promise.all(
    ['reader', 'bot', 'stranger', undefined].map(async (login) => (await ask(login, 'GET', `${PATH}/issues/1`)).status),
  )
  expect(statuses).toEqual([200, 200, 404, 404])
  expect((await ask('stranger', 'GET', `${PATH}/issues`)).body).toEqual([])
  expect(await gitlab('bot').Issues.edit(PROJECT, 1, { confidential: false })).toMatchObject({ confidential: false })
  expect((await ask('stranger', 'GET', `${PATH}/issues/1`)).status).toBe(200)
})

it('notes come newest first unless asked otherwise, and are changed by their author or a maintainer', async (fixture) => {
  const { gitlab, ask } = fixture
  const { Issues, IssueNotes } = gitlab('bot')
  await Issues.create(PROJECT, 'X')
  const first = await IssueNotes.create(PROJECT, 1, 'First')
  await IssueNotes.create(PROJECT, 1, 'Second')
  const bodies = async (options: object): Promise<string[]> =>
    (await IssueNotes.all(PROJECT, 1, options)).map((note) => note.body)
  expect([await bodies({}), await bodies({ sort: 'asc', orderBy: 'created_at' })]).toEqual([
    ['Second', 'First'],
    ['First', 'Second'],
  ])
  expect(await IssueNotes.edit(PROJECT, 1, first.id, { body: 'Edited' })).toMatchObject({
    body: 'Edited',
    system: false,
    internal: false,
    noteable_type: 'Issue',
    noteable_iid: 1,
    type: null,
  })
  const one = `${PATH}/issues/1/notes/${first.id}`
  expect((await ask('reader', 'PUT', one, { body: 'Mine' })).status).toBe(403)
  expect((await ask('maintainer', 'DELETE', one)).status).toBe(204)
  expect(await bodies({})).toEqual(['Second'])
  expect(await ask('bot', 'POST', `${PATH}/issues/1/notes`, { body: ' ' })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining("can't be blank") },
  })
})

it('an internal note is for members', async ({ gitlab, ask }) => {
  await gitlab('bot').Issues.create(PROJECT, 'X')
  await ask('bot', 'POST', `${PATH}/issues/1/notes`, { body: 'Between us', internal: true })
  expect((await ask('maintainer', 'GET', `${PATH}/issues/1/notes`)).body).toMatchObject([{ internal: true }])
  expect((await ask('stranger', 'GET', `${PATH}/issues/1/notes`)).body).toEqual([])
  expect((await ask('stranger', 'POST', `${PATH}/issues/1/notes`, { body: 'X', internal: true })).status).toBe(403)
})

it('labels are made once, with a colour, and listed by name', async ({ gitlab, ask }) => {
  const { ProjectLabels } = gitlab('bot')
  await ProjectLabels.create(PROJECT, 'b', '#00ff00', { description: 'B' })
  await ProjectLabels.create(PROJECT, 'a', '#ff0000')
  expect((await ProjectLabels.all(PROJECT)).map((label) => [label.name, label.color])).toEqual([
    ['a', '#ff0000'],
    ['b', '#00ff00'],
  ])
  expect(await ask('bot', 'POST', `${PATH}/labels`, { name: 'A', color: '#ff0000' })).toMatchObject({
    status: 409,
    body: { message: 'Label already exists' },
  })
  expect(await ask('bot', 'POST', `${PATH}/labels`, { name: 'c' })).toMatchObject({
    status: 400,
    body: { error: 'color is missing' },
  })
  expect(await ProjectLabels.edit(PROJECT, 'a', { newName: 'z' })).toMatchObject({ name: 'z' })
  await ProjectLabels.remove(PROJECT, 'z')
  expect((await ProjectLabels.all(PROJECT)).map((label) => label.name)).toEqual(['b'])
})

test('a 502 after the write hides a write that was done', async () => {
  const path = '/projects/*/issues/*/notes'
  await withGitlab({ faults: [{ kind: 'errorAfterWrite', path }] }, async ({ forge, ask }) => {
    forge.openIssue('bot', PROJECT, { title: 'X' })
    expect((await ask('bot', 'POST', `${PATH}/issues/1/notes`, { body: 'Once' })).status).toBe(502)
    expect((await ask('bot', 'GET', `${PATH}/issues/1/notes`)).body).toMatchObject([{ body: 'Once' }])
  })
})
