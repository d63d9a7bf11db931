import { expect, test } from 'vitest'
import { newIssue } from '../issue/context.ts'
import { newMergeRequest } from '../merge-request/context.ts'
import { newTask, type TaskContext } from '../task/context.ts'
import { recordOf, type RecordSeen } from './record.ts'
import type { StoryRow } from './story.ts'

const task = newTask('default/a')

function row(seq: number, type: string, fields: object = {}): StoryRow {
  return { seq, at: seq, path: '', status: 'active', event: { type, at: seq, ...fields }, effects: [] }
}

function seenOf(
  rows: readonly StoryRow[],
  context: Partial<TaskContext> = {},
  others: Partial<RecordSeen> = {},
): RecordSeen {
  return { task: { ...task, ...context }, rows, issues: [], mergeRequests: [], ...others }
}

const issue = 'default/lib-7'
const claim = {
  issue,
  citation: { commentId: '1', author: 'rosa', quote: '/approve, but small', span: '', bodyHash: '' },
}

const outcome = {
  pod: 1,
  outcomeId: '1-a',
  digest: 'd',
  kind: 'implement',
  action: 'approved',
  payload: {},
  claims: [],
  heads: [],
  workspaceClean: true,
}

test('an approval has the words that count and whose they were; one that the platform gives itself has none', () => {
  const rows = [
    row(1, 'approval.commented', { issue, by: 'rosa', commentId: '1' }),
    row(2, 'outcome', { ...outcome, claims: [claim] }),
    row(3, 'approval.granted', { issue, self: false, planHash: 'p' }),
    row(4, 'approval.revoked', { issue, reason: 'withdrawn by rosa' }),
    row(5, 'approval.granted', { issue, self: true, planHash: 'p' }),
  ]
  const owned = { repository: 'lib', number: 7, issue, selfProposed: false, humanCommented: false }
  const forge = { ...task.forge, issues: [{ ...owned, state: 'open', accepted: true, grant: null }] } as const
  const { approvals } = recordOf(seenOf(rows, { forge }))
  expect(approvals.map(({ on, what, who, words }) => [on, what, who, words])).toEqual([
    ['lib#7', 'granted without a comment', '', ''],
    ['lib#7', 'taken back: withdrawn by rosa', '', ''],
    ['lib#7', 'granted', 'rosa', '/approve, but small'],
    ['lib#7', 'a maintainer approves', 'rosa', ''],
  ])
})

test('an approval says for whose plan it counts, and when that is not the newest', () => {
  const note = (bodyHash: string, pod: number): TaskContext['journal']['notes'][number] => ({
    ...{ id: bodyHash, agent: 'implement', pod, at: pod, kind: 'plan', body: '', bodyHash, source: 'agent' },
  })
  const journal = { ...task.journal, notes: [note('sha256:aaaaaaaaaa', 1), note('sha256:bbbbbbbbbb', 2)] }
  const plan = { planHash: 'sha256:bbbbbbbbbb', planNoteId: 'sha256:bbbbbbbbbb' }
  const rows = ['sha256:aaaaaaaaaa', 'sha256:bbbbbbbbbb', 'sha256:cccccccccc'].map((planHash, index) =>
    row(index + 1, 'approval.granted', { issue, self: false, planHash }),
  )
  const record = recordOf(
    seenOf([...rows, row(4, 'approval.commented', { issue, by: 'rosa', commentId: '1' })], {
      journal: { ...journal, ...plan },
    }),
  )
  expect(record.plan).toMatchObject({ kind: 'plan', hash: 'bbbbbbbb', by: 'implement pod 2' })
  expect(record.approvals.map((approval) => approval.plan)).toEqual([
    '',
    'cccccccc, which is not the newest',
    'bbbbbbbb of implement pod 2',
    'aaaaaaaa of implement pod 1, which is not the newest',
  ])
})

test('an approval whose step is no longer kept is still told by the issue', () => {
  const grant = {
    task: 'a',
    planHash: 'p',
    self: false,
    commentId: '1',
    author: 'rosa',
    quote: '/approve',
    bodyHash: '',
    at: 3,
  }
  const seen = seenOf([row(9, 'x')], {}, { issues: [{ ...newIssue(issue), grant }] })
  expect(recordOf(seen).approvals).toEqual([
    { at: 3, on: issue, what: 'granted', who: 'rosa', words: '/approve', plan: 'p, which is not the newest' },
  ])
})

test('findings say where, checks what the forge answered and says now', () => {
  const finding = { repo: 'lib', number: 2, path: 'src/a.ts', line: 3, severity: 'high', body: '<b>off by one</b>' }
  const rows = [
    row(1, 'outcome', {
      claims: [],
      payload: { findings: [finding, { ...finding, path: undefined, line: undefined }] },
    }),
    row(2, 'mr.ciRed', { repository: 'lib', number: 2, reason: 'build is red' }),
  ]
  const facts = { repository: 'lib', number: 2, ci: 'failure', mergeable: false, headSha: 'abc', state: 'open' }
  const mergeRequest = {
    ...newMergeRequest('m'),
    facts,
    updatedAt: 5,
  } as unknown as RecordSeen['mergeRequests'][number]
  const { findings, checks } = recordOf(seenOf(rows, {}, { mergeRequests: [mergeRequest] }))
  expect(findings.map(({ on, place, body }) => [on, place, body])).toEqual([
    ['lib!2', '', '<b>off by one</b>'],
    ['lib!2', 'src/a.ts:3', '<b>off by one</b>'],
  ])
  expect(checks.map(({ what }) => what)).toEqual([
    'now: checks failure, cannot merge, no verdict of a review stands',
    'checks are red: build is red',
  ])
  const merged = { ...mergeRequest, facts: { ...facts, state: 'merged' } } as unknown as typeof mergeRequest
  expect(recordOf(seenOf([], {}, { mergeRequests: [merged] })).checks[0]?.what).toBe(
    'now: merged, no verdict of a review stands',
  )
})

test.each([
  [
    'https://github.com/acme/lib/pull/2',
    'https://github.com/acme/lib/pull/2/files',
    'https://github.com/acme/lib/commit/',
  ],
  [
    'https://git.example/a/lib/-/merge_requests/2',
    'https://git.example/a/lib/-/merge_requests/2/diffs',
    'https://git.example/a/lib/-/commit/',
  ],
])('%s leads to its diff and its commit', (url, diff, commit) => {
  const sha = 'c16d9b1c1a837eabbdcc84dd34917151d0976e50'
  const owned = { repository: 'lib', number: 2, mergeRequest: 'm', headSha: sha, headBranch: 'b', author: 'bot', url }
  const links = (changed: object) =>
    recordOf(
      seenOf([], {
        forge: { ...task.forge, mergeRequests: [{ ...owned, state: 'open', mergeCommit: null, ...changed }] },
      }),
    ).links
  expect(links({}).map((link) => link.url)).toEqual([url, diff, `${commit}${sha}`])
  expect(links({ url: 'javascript:alert(1)/pull/2' })).toEqual([])
  expect(links({ headSha: '../../x' })).toHaveLength(1)
})

test('of many notes the newest are told, and how many more there are', () => {
  const notes = Array.from({ length: 60 }, (_, index) => ({
    id: `n${index}`,
    agent: 'implement',
    pod: 1,
    at: index,
    kind: index === 5 ? 'plan' : 'note',
    body: `${index}`,
    bodyHash: '',
    source: index % 2 ? 'agent' : 'operator',
  })) as TaskContext['journal']['notes']
  const record = recordOf(seenOf([], { journal: { ...task.journal, notes, planNoteId: 'n5' } }))
  expect(record.notes).toHaveLength(50)
  expect(record.notes.slice(0, 2).map(({ by }) => by)).toEqual(['implement pod 1', 'platform, for implement pod 1'])
  expect(record.more.notes).toBe(10)
  expect(record.plan!.body).toBe('5')
})

test('a title that is too long for a line ends with a sign that it goes on', () => {
  const titleFor = (goal: string): string => recordOf(seenOf([], { goal })).title
  expect(titleFor(`lib#7: ${'a'.repeat(200)}`)).toBe('a'.repeat(200))
  expect(titleFor(`lib#7: ${'a'.repeat(201)}`)).toBe(`${'a'.repeat(199)}…`)
})
