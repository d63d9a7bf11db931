import { expect, test } from 'vitest'
import { githubWebhooks } from './inbound.ts'

const at = '2026-01-01T00:00:00Z'
const repository = { full_name: 'acme/library' }
const sender = { login: 'maintainer', id: 7 }
const issue = { number: 1, title: 'One', state: 'open', labels: [], html_url: 'u', created_at: at, updated_at: at }
const comment = { id: 5, body: 'hello', html_url: 'u', created_at: at, updated_at: at }

test.each(['pinned', 'unpinned'])('an issue that is %s concerns nobody, whatever GitHub leaves out of it', (action) => {
  const { state: _state, labels: _labels, ...short } = issue
  expect(githubWebhooks.changeOf('issues', { action, issue: short, repository, sender })).toBeUndefined()
})

test('an issue without its state is malformed where the action needs it', () => {
  const { state: _state, ...short } = issue
  const payload = { action: 'closed', issue: short, repository, sender }
  expect(() => githubWebhooks.changeOf('issues', payload)).toThrow('issues: /issue must have required properties state')
})

test('an issue whose face of a merge request is null is an issue, and so is a comment on it', () => {
  const whole = { action: 'opened', issue: { ...issue, pull_request: null }, repository, sender }
  expect(githubWebhooks.changeOf('issues', whole)).toMatchObject({ kind: 'issue', issue: { number: 1 } })
  const on = { ...whole, action: 'created', comment }
  expect(githubWebhooks.changeOf('issue_comment', on)).toMatchObject({ comment: { on: 'issue' }, issue: { number: 1 } })
  const face = { ...on, issue: { ...issue, pull_request: {} } }
  expect(githubWebhooks.changeOf('issue_comment', face)).toMatchObject({ comment: { on: 'mr' } })
})
