import { expect, test } from 'vitest'
import { PROJECT, withGitlab } from '../testing/gitlab.ts'
import { nested } from './body.ts'

test('brackets in names make objects and lists', () => {
  const fields = [
    ['body', 'text'],
    ['labels[]', 'a'],
    ['labels[]', 'b'],
    ['position[line_range][start][type]', 'new'],
    ['position[new_line]', '3'],
  ] as const
  expect(nested(fields)).toEqual({
    body: 'text',
    labels: ['a', 'b'],
    position: { line_range: { start: { type: 'new' } }, new_line: '3' },
  })
})

test('a name reaches into no object that others share', () => {
  const fields = [
    ['__proto__[reached]', 'yes'],
    ['constructor[prototype][reached]', 'yes'],
    ['a[__proto__][reached]', 'yes'],
  ] as const
  nested(fields)
  expect(({} as Record<string, unknown>).reached).toBeUndefined()
})

test('parameters come in the query, in a form or as JSON, and text becomes what is wanted', async () => {
  await withGitlab({}, async ({ forge }) => {
    const send = async (query: string, body?: FormData | URLSearchParams): Promise<unknown> => {
      const address = `${forge.gitlabApiUrl}/projects/${encodeURIComponent(PROJECT)}/issues${query}`
      const headers = { 'private-token': 'token-of-bot' }
      const response = await fetch(address, { method: 'POST', headers, ...(body === undefined ? {} : { body }) })
      return response.json()
    }
    const multipart = new FormData()
    multipart.set('title', 'Multipart')
    multipart.append('labels[]', 'x')
    expect(await send('?title=Query&confidential=true')).toMatchObject({ title: 'Query', confidential: true })
    expect(await send('', new URLSearchParams({ title: 'Form', confidential: 'false' }))).toMatchObject({
      title: 'Form',
      confidential: false,
    })
    expect(await send('', multipart)).toMatchObject({ title: 'Multipart', labels: ['x'] })
    expect(await send('?confidential=perhaps', new URLSearchParams({ title: 'X' }))).toEqual({
      error: 'confidential is invalid',
    })
  })
})
