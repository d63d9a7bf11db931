import { expect, test } from 'vitest'
import { newIssue, type Grant, type IssueContext } from '../../machines/issue/context.ts'
import { lostBy } from '../testing/server-view.ts'
import { issueResource } from './issue.ts'
import type { DerivedResource } from './shape.ts'

const at = Date.parse('2026-01-02T03:04:05Z')
const time = '2026-01-02T03:04:05.000Z'
const id = 'default/lib-1'
const facts = {
  repository: 'lib',
  number: 1,
  state: 'open',
  title: 'Slugs lose digits',
  author: 'ann',
  url: 'http://forge/lib/issues/1',
  selfProposed: false,
} as NonNullable<IssueContext['facts']>
const grant: Grant = {
  task: 'default/implement-lib-1-abcde',
  planHash: 'plan-1',
  self: false,
  commentId: 'c-1',
  author: 'maya',
  quote: '/approve',
  bodyHash: 'body-1',
  at,
}
const shown = (change: Partial<IssueContext>): DerivedResource =>
  issueResource({ id, path: 'known.approved', seq: 3, context: { ...newIssue(id), ...change } })!

test('is its actor’s word, under the names of the contract and no others (ISSUE-RESOURCE-1, ISSUE-RESOURCE-2)', () => {
  const resource = shown({ facts, owner: grant.task })
  expect(resource.metadata).toEqual({ name: 'lib-1', namespace: 'default', generation: 3 })
  expect(resource.spec).toEqual({ repositoryRef: 'lib', number: 1 })
  expect(resource.status).toEqual({
    status: 'approved',
    state: 'open',
    title: 'Slugs lose digits',
    author: 'ann',
    url: 'http://forge/lib/issues/1',
    selfProposed: false,
    ownerTask: grant.task,
  })
})

test('shows on whose words an approval rests, for which plan, and how it was given (ISSUE-RESOURCE-4)', () => {
  expect(shown({ facts, grant }).status).toMatchObject({
    approval: {
      commentId: 'c-1',
      author: 'maya',
      quote: '/approve',
      bodyHash: 'body-1',
      planHash: 'plan-1',
      at: time,
      sort: 'comment',
    },
  })
  const self = { ...grant, self: true, commentId: '', author: '', quote: '', bodyHash: '' }
  expect(shown({ facts, grant: self }).status).toHaveProperty('approval', {
    planHash: 'plan-1',
    at: time,
    sort: 'self',
  })
})

test('ISSUE-RESOURCE-3: shows its labels, how many comments live, and when the mirror was last read back', () => {
  const actor = { id, path: 'known.approved', seq: 3, context: { ...newIssue(id), facts } }
  const { status } = issueResource(actor, { labels: ['bug'], comments: 2, syncedAt: at })!
  expect(status).toMatchObject({ labels: ['bug'], comments: 2, lastSyncTime: time })
  expect(lostBy('Issue', status)).toEqual([])
})

test('ISSUE-RESOURCE-3: its state is the forge’s, also where its actor was told another one before', () => {
  const actor = { id, path: 'live.done', seq: 3, context: { ...newIssue(id), facts, delivered: true } }
  expect(issueResource(actor, { state: 'closed' })!.status).toMatchObject({ state: 'closed' })
})

test('RESOURCES-32: is not shown before it was observed (ISSUE-RESOURCE-1)', () => {
  expect(issueResource({ id, path: 'unknown', seq: 1, context: newIssue(id) })).toBeUndefined()
})

test('a server keeps all of it (RESOURCES-26)', () => {
  for (const change of [{ facts }, { facts, grant, owner: grant.task }])
    expect(lostBy('Issue', shown(change).status)).toEqual([])
  expect(lostBy('Issue', { state: 1, approval: { by: 'maya' }, held: true })).toEqual([
    '/state is no string',
    '/approval/by is pruned',
    '/held is pruned',
  ])
})
