import { expect, test, vi } from 'vitest'
import { PROJECT, withGitlab } from '../testing/gitlab.ts'
import { extractQuickActions } from './quick-actions.ts'

test.each([
  ['one on a line of its own', 'Good.\n/close\nThanks.', 'Good.\nThanks.', ['close ']],
  ['one with words behind it', '/label ~bug ~"two words"', '', ['label ~bug ~"two words"']],
  ['one in capitals', '/CLOSE', '', ['close ']],
  ['one that the thread cannot do', 'Yes.\n\n/approve\n', 'Yes.', ['approve ']],
  ['none within a line', 'Please /close it', 'Please /close it', []],
  ['none behind a blank', ' /close', ' /close', []],
  ['none in backticks', '`/close`', '`/close`', []],
  ['none that it does not know', '/hold\n/retry', '/hold\n/retry', []],
  ['none in a fenced block', '```\n/close\n```', '```\n/close\n```', []],
  ['none between quotes', '>>>\n/close\n>>>', '>>>\n/close\n>>>', []],
  ['none in an HTML block', '<details>\n/close\n</details>', '<details>\n/close\n</details>', []],
  ['one behind a fence that nobody closed', '```\n/close', '```', ['close ']],
])('of a text GitLab takes %s', (_what, text, left, taken) => {
  const { text: kept, actions } = extractQuickActions(text)
  expect([kept, actions.map(({ name, argument }) => `${name} ${argument}`)]).toEqual([left, taken])
})

test('the API obeys what the author may, keeps the rest of the words, and keeps no comment of commands alone', async () => {
  await withGitlab({}, async ({ ask, forge, clone, push }) => {
    await push(await clone('bot'), 'topic', { 'a.js': '1\n' })
    const [issues, merges] = ['issues', 'merge_requests'].map(
      (kind) => `/projects/${encodeURIComponent(PROJECT)}/${kind}`,
    )
    await ask('maintainer', 'POST', issues!, { title: 'T', description: 'Do it.\n/label ~wanted' })
    expect(forge.issue(PROJECT, 1, 'issue')).toMatchObject({ body: 'Do it.', labels: [{ name: 'wanted' }] })
    const approve = await ask('maintainer', 'POST', `${issues}/1/notes`, { body: '/approve' })
    expect([approve.status, forge.issue(PROJECT, 1, 'issue').comments.size]).toEqual([202, 0])
    await ask('maintainer', 'POST', `${issues}/1/notes`, { body: 'Done.\n/close' })
    const { state, comments } = forge.issue(PROJECT, 1, 'issue')
    expect([state, [...comments.values()].map(({ body }) => body)]).toEqual(['closed', ['Done.']])
    await ask('maintainer', 'POST', merges!, { title: 'M', source_branch: 'topic', target_branch: 'main' })
    await ask('reader', 'POST', `${merges}/1/notes`, { body: '/merge' })
    expect(forge.issue(PROJECT, 1, 'pull').state).toBe('open')
    await ask('bot', 'POST', `${merges}/1/notes`, { body: 'Fine.\n/approve\n/merge' })
    expect(forge.issue(PROJECT, 1, 'pull').state).toBe('closed')
    expect(forge.audit().map(({ action }) => action)).toEqual(expect.arrayContaining(['review.create', 'pull.merge']))
  })
})

test('a draft is obeyed when it is published', async () => {
  await withGitlab({}, async ({ ask, forge, clone, push }) => {
    await push(await clone('bot'), 'topic', { 'a.js': '1\n' })
    const merges = `/projects/${encodeURIComponent(PROJECT)}/merge_requests`
    await ask('maintainer', 'POST', merges, { title: 'M', source_branch: 'topic', target_branch: 'main' })
    await ask('bot', 'POST', `${merges}/1/draft_notes`, { note: 'Fine.\n/close' })
    expect(forge.issue(PROJECT, 1, 'pull').state).toBe('open')
    await ask('bot', 'POST', `${merges}/1/draft_notes/bulk_publish`)
    expect(forge.issue(PROJECT, 1, 'pull').state).toBe('closed')
  })
})

test('what people write on its pages is obeyed too', async () => {
  await withGitlab({}, async ({ forge }) => {
    forge.openIssue('reader', PROJECT, { title: 'T' })
    expect(() => forge.comment('maintainer', PROJECT, 1, '/approve')).toThrow('invalid')
    forge.comment('maintainer', PROJECT, 1, 'Enough.\n/close')
    await vi.waitFor(() => expect(forge.issue(PROJECT, 1).state).toBe('closed'))
  })
})
