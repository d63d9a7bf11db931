import { expect, it } from 'vitest'
import { hookEvents } from './hooks.ts'
import { githubWebhooks } from './inbound.ts'

const asked = [
  ...['push', 'issues', 'issue_comment', 'pull_request', 'pull_request_review', 'pull_request_review_comment'],
  ...['check_suite', 'check_run', 'workflow_run', 'status'],
]

it('a hook asks for the events that the mirror uses, and for no others (WEBHOOK-RULE-3)', () => {
  expect(hookEvents).toEqual(asked)
  expect(hookEvents.filter((event) => !githubWebhooks.handles(event))).toEqual([])
  expect(githubWebhooks.handles('release')).toBe(false)
})
