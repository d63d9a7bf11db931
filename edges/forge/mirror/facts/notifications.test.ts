import { expect, it } from 'vitest'
import type { ForgeComment } from '../../port.ts'
import { aProject } from '../../testing/fixture.ts'
import { peopleOf } from './people.ts'
import type { MirroredMergeRequest } from './records.ts'
import { commentNotifications, subjectAddress } from './notifications.ts'

const headAt = 1_800_000_000_000

const given = aProject({
  forge: { apiUrl: 'http://forge', url: 'http://forge', gitUrl: () => 'http://forge' },
} as never)
const project = { ...given, namespace: 'team', scm: { ...given.scm, maintainerLogins: ['maya'] } }
const people = peopleOf(project, given.repositories[0]!, new Map())

const row = {
  project: 'demo',
  repository: 'lib',
  kind: 'mr',
  number: 7,
  mergeRequest: { headSha: 'sha-2', author: { login: 'ann', id: '', bot: false }, headRepository: 'ann/fork' },
  notes: { headAt },
} as unknown as MirroredMergeRequest

function toldOf(change: Partial<ForgeComment>): object | undefined {
  const comment: ForgeComment = {
    id: '12',
    sort: 'comment',
    on: 'mr',
    number: 7,
    author: { login: 'maya', id: '', bot: false },
    body: '/approve',
    url: '',
    createdAt: headAt + 1000,
    updatedAt: headAt + 1000,
    ...change,
  }
  const thread = [{ comment, bodyHash: 'h', notified: false, heard: true }]
  return commentNotifications(row, { project, people, thread }, headAt)[0]?.event
}

it('names an Issue and a MergeRequest of one number apart, in the namespace of the Project (NAME-3)', () => {
  const of = (kind: 'issue' | 'mr'): string => subjectAddress(project, { repository: 'lib', kind, number: 7 })
  expect([of('issue'), of('mr')]).toEqual(['issue:team/lib-7', 'merge-request:team/lib-mr-7'])
})

it.each([
  ['after the head', {}],
  ['as a review of the head', { sort: 'review', sha: 'sha-2', body: 'fine', verdict: 'approved', createdAt: 1 }],
] as const)('a go-ahead %s counts (REVIEW-6)', (_when, change) => {
  expect(toldOf(change)).toMatchObject({ type: 'mr.command', command: 'goAhead', headSha: 'sha-2' })
})

it.each([
  ['of a comment', {}, { kind: 'mr_comment', text: '/approve' }],
  [
    'of a review',
    { sort: 'review', sha: 'sha-2', body: 'B please', verdict: 'approved' },
    { kind: 'mr_review', text: 'B please' },
  ],
  [
    'of a review without words',
    { sort: 'review', sha: 'sha-2', body: '', verdict: 'approved' },
    { kind: 'mr_review', text: 'approved' },
  ],
] as const)('a go-ahead carries the words %s (OUTCOME-IMPLEMENT-20)', (_what, change, said) => {
  expect(toldOf(change)).toMatchObject({ type: 'mr.command', command: 'goAhead', ...said })
})

it.each([
  ['before the head came', { createdAt: headAt - 1000 }],
  ['of an older head', { sort: 'review', sha: 'sha-1', body: 'fine', verdict: 'approved' }],
  ['beside a word that withdraws', { body: '/approve\n/hold' }],
] as const)('a go-ahead %s is words (REVIEW-6)', (_when, change) => {
  expect(toldOf(change)).toMatchObject({ type: 'mr.commented' })
})
