import { expect, test } from 'vitest'
import { topicMarker } from '../../edges/forge/marker.ts'
import { people } from '../../standins/people.ts'
import type { PlacedRow } from './evidence.ts'
import type { Entry } from './forge.ts'
import { grantsAreTheirs, plansStand, withdrawalsStand } from './withdrawals.ts'

const issue = 'issue:default/library-1'
const at = 1_700_000_000_000

function entry(action: string, actor: string, number: number, detail: Readonly<Record<string, unknown>>): Entry {
  return {
    at: new Date(at).toISOString(),
    action,
    actor,
    repository: 'acme/library',
    number,
    ...(action.startsWith('comment.') ? { kind: number === 1 ? 'issue' : 'pull' } : {}),
    place: 5,
    detail,
  } as Entry
}

function row(place: number, address: string, event: object, effects: readonly object[] = []): PlacedRow {
  return { place, address, seq: place, event, effects } as unknown as PlacedRow
}

const rows = [
  row(2, issue, {
    type: 'issue.observed',
    facts: { withdrawals: [{ commentId: '9', author: people.maintainer, at }] },
  }),
  row(4, 'task:default/implement-library-1-aaaaa', { type: 'turn.ended' }, [
    { type: 'mergeMergeRequest', params: { repository: 'library', number: 2, grants: [issue] } },
  ]),
]
const opened = entry('pull.open', people.bot, 2, { head: 'platform/implement-library-1-aaaaa' })
const elsewhere = entry('pull.open', people.bot, 3, { head: 'platform/implement-library-8-bbbbb' })
const held = entry('comment.create', people.maintainer, 1, { comment: '9', body: '/hold' })
const merged = entry('pull.merge', people.bot, 2, {})

const approving = (number: number, actor: string = people.maintainer): Entry =>
  entry('review.create', actor, number, { review: '10', event: 'APPROVE' })
const comment = (number: number, body: string): Entry =>
  entry('comment.create', people.maintainer, number, { comment: '11', body })

const edited = (by: 'stranger' | 'maintainer'): Entry =>
  entry('comment.edit', people[by], 1, { comment: '11', body: '/approve' })

const found = (...between: readonly Entry[]): number =>
  withdrawalsStand({ audit: [opened, elsewhere, held, ...between, merged], rows }).length

test.each<[title: string, word: Entry]>([
  ['/approve in the same issue', comment(1, '/approve')],
  ['/approve in a merge request of its Task', comment(2, '/approve')],
  ['an approving review there', approving(2)],
])('a withdrawal in an issue ends by %s (MERGE-11)', (_, word) => {
  expect(found(word)).toBe(0)
})

test.each<[title: string, words: readonly Entry[]]>([
  ['nobody said anything after it', []],
  ['an approving review of another Task', [approving(3)]],
  ['an approving review of no maintainer', [approving(2, people.stranger)]],
  ['a review that only comments', [entry('review.create', people.maintainer, 2, { review: '10', event: 'COMMENT' })]],
  ['a comment that approves nothing', [comment(2, 'Nice.')]],
])('a withdrawal in an issue stands: %s', (_, words) => {
  expect(found(...words)).toBe(1)
})

test.each<[title: string, audit: readonly Entry[], broken: number]>([
  ['that a maintainer wrote and another edited since', [comment(1, '/approve'), edited('stranger')], 0],
  ['that another wrote over what he had said', [comment(1, 'Hm, no.'), edited('stranger')], 1],
  ['that he wrote over what he had said', [comment(1, 'Hm, no.'), edited('maintainer')], 0],
])('a grant is on a comment %s (LAW-24)', (_, audit, broken) => {
  const granted = row(
    3,
    issue,
    { type: 'approval.claimed', claim: { issue: 'default/library-1', citation: { commentId: '11' } } },
    [{ type: 'deliver', params: { event: { type: 'approval.granted' } } }],
  )
  expect(grantsAreTheirs({ audit, rows: [granted] })).toHaveLength(broken)
})

const hash = '0123456789abcdef'
const said = comment(1, '/approve')
const early = { ...said, at: new Date(at - 20_000).toISOString() }
function planned(by: 'bot' | 'stranger', atMs: number, action = 'comment.edit', words = hash): Entry {
  const detail = { comment: '12', body: `${words}\n\n${topicMarker('plan')}` }
  return { ...entry(action, people[by], 1, detail), at: new Date(at + atMs).toISOString() }
}
const shown = planned('bot', -9000, 'comment.create')
const altered = planned('stranger', -2000)

test.each<[title: string, audit: readonly Entry[], broken: number]>([
  ['as the platform wrote it', [shown, said], 0],
  ['that another altered before', [shown, altered, said], 1],
  ['that another altered in its second', [shown, planned('stranger', -1), said], 1],
  ['that another altered after it', [shown, said, planned('stranger', 1)], 0],
  ['that another deleted before', [shown, planned('stranger', -2000, 'comment.delete'), said], 1],
  ['that the platform wrote anew after it', [shown, altered, said, planned('bot', 2000)], 1],
  ['that the platform wrote in its second', [said, planned('bot', 2, 'comment.create')], 0],
  ['while an older plan was shown', [planned('bot', -9000, 'comment.create', 'other'), said], 1],
  ['in advance of it', [early, shown], 0],
  ['whose change the Task has merged', [shown, altered, said, opened, merged], 0],
])('a grant is on a plan %s (LAW-24)', (_, audit, broken) => {
  const task = 'default/implement-library-1-aaaaa'
  const noted = row(1, `task:${task}`, { type: 'note.written', kind: 'plan', at: at - 10_000 })
  const claim = { issue: 'default/library-1', citation: { commentId: '11' } }
  const granted = row(9, issue, { type: 'approval.claimed', task, planHash: hash, claim }, [
    { type: 'deliver', params: { event: { type: 'approval.granted' } } },
  ])
  expect(plansStand({ audit, rows: [noted, granted] })).toHaveLength(broken)
})
