/** What each forge answers to a text above its limit, as the stand-in plays it: what we send is judged by it. */
import { expect, test } from 'vitest'
import { withForge } from '../../standins/forge/testing/fixture.ts'
import { PROJECT, withGitlab } from '../../standins/forge/testing/gitlab.ts'

const PLACE = { owner: 'acme', repo: 'library' }
const PATH = `/projects/${encodeURIComponent(PROJECT)}`
const tooLong = (most: number): string => `is too long (maximum is ${most} characters)`

test('GitHub takes 65,536 characters a text, 256 a title and 50 a label, however many bytes', async () => {
  await withForge({ git: 'memory' }, async ({ octokit }) => {
    const { issues } = octokit('bot')
    const most = '😀'.repeat(65_536)
    const { number } = (await issues.create({ ...PLACE, title: '😀'.repeat(256), body: most })).data
    await issues.createComment({ ...PLACE, issue_number: number, body: most })
    const refusal = async (call: Promise<unknown>): Promise<unknown> =>
      call.catch((error: { status: number; response: { data: { errors: unknown[] } } }) => [
        error.status,
        ...error.response.data.errors,
      ])
    const fault = (resource: string, field: string, limit: number): object => ({
      ...{ resource, field, code: 'custom' },
      message: `${field} ${tooLong(limit)}`,
    })
    expect(await refusal(issues.create({ ...PLACE, title: 'a', body: `${most}x` }))).toEqual([
      422,
      fault('Issue', 'body', 65_536),
    ])
    expect(await refusal(issues.create({ ...PLACE, title: 'x'.repeat(257) }))).toEqual([
      422,
      fault('Issue', 'title', 256),
    ])
    expect(await refusal(issues.createComment({ ...PLACE, issue_number: number, body: `${most}x` }))).toEqual([
      422,
      { resource: 'IssueComment', code: 'unprocessable', field: 'data', message: `Body ${tooLong(65_536)}` },
    ])
    expect(await refusal(issues.createLabel({ ...PLACE, name: 'x'.repeat(51) }))).toEqual([
      422,
      fault('Label', 'name', 50),
    ])
  })
})

test('GitLab takes 1,048,576 characters a description, 1,000,000 a note and 255 a title, a label or a folder', async () => {
  await withGitlab({}, async ({ ask, forge }) => {
    const open = (title: string, description: string) => ask('bot', 'POST', `${PATH}/issues`, { title, description })
    const note = (body: string) => ask('bot', 'POST', `${PATH}/issues/1/notes`, { body })
    const label = (name: string) => ask('bot', 'POST', `${PATH}/labels`, { name, color: '#ffffff' })
    const most = 'x'.repeat(1_048_576)
    expect((await open(most.slice(0, 255), most)).status).toBe(201)
    expect((await note(most.slice(0, 1_000_000))).status).toBe(201)
    expect((await label(most.slice(0, 255))).status).toBe(201)
    expect([
      await open('a', `${most}x`),
      await open(most.slice(0, 256), ''),
      await label(most.slice(0, 256)),
    ]).toMatchObject([
      { status: 400, body: { message: { description: [tooLong(1_048_576)] } } },
      { status: 400, body: { message: { title: [tooLong(255)] } } },
      { status: 400, body: { message: { title: [tooLong(255)] } } },
    ])
    expect(await note(most)).toMatchObject({
      status: 400,
      body: { message: `400 Bad request - Note {note: ["${tooLong(1_000_000)}"]}` },
    })
    const place = { dialect: 'gitlab', owner: `acme/${'x'.repeat(255)}`, name: 'long' } as const
    await forge.createRepository(place)
    await expect(forge.createRepository({ ...place, owner: `${place.owner}x` })).rejects.toThrow('invalid')
  })
})
