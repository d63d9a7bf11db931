/** Whose commits a head has, by the graph and the record of pushes alone (REVIEW-3, decisions/0064). */
import { expect, test } from 'vitest'
import type { GraphCommit } from '../ports/commit-graph.ts'
import { foreignIn, sinceDeletions, type Judged } from './foreign-commits.ts'
import { refOf } from './head-ref.ts'
import { NO_COMMIT } from './mirror/store/pushes.ts'

/** `c3<c2`: c3 has the parent c2. The base has c0. */
function graphOf(...lines: readonly string[]): { commits: GraphCommit[]; missing: string[] } {
  const commits = lines.map((line): GraphCommit => {
    const [sha = '', parents = 'c0'] = line.replace('*', '').split('<')
    return { sha, parents: parents.split(','), isOwnMerge: line.endsWith('*') }
  })
  return { commits, missing: [] }
}

const pod = (before: string, after: string): Judged => ({ before, after, by: '', mayMerge: true })
const sam = (before: string, after: string): Judged => ({ before, after, by: 'sam', mayMerge: false })
const kim = pod
const loose = (push: Judged): Judged => ({ ...push, isLoose: true })
const line = graphOf('c3<c2', 'c2<c1', 'c1<c0')

test.each<[string, readonly Judged[], readonly string[]]>([
  ['all by pods: none is foreign', [pod(NO_COMMIT, 'c2'), pod('c2', 'c3')], []],
  ['a first push from the base brings all after it', [pod('c0', 'c3')], []],
  ['a person who may not pushed on top', [pod(NO_COMMIT, 'c2'), sam('c2', 'c3')], ['c3 sam']],
  [
    'a pod that pushes on top of it does not make it its own',
    [pod(NO_COMMIT, 'c1'), sam('c1', 'c2'), pod('c2', 'c3')],
    ['c2 sam'],
  ],
  ['who made the branch before the pod is named', [sam(NO_COMMIT, 'c1'), pod('c1', 'c3')], ['c1 sam']],
  ['a lost delivery is nobody’s', [pod(NO_COMMIT, 'c2')], ['c3 ']],
  ['without any record everything is foreign', [], ['c3 ', 'c2 ', 'c1 ']],
  ['what one brought who may stays so when another pushes it again', [pod(NO_COMMIT, 'c3'), sam('c1', 'c3')], []],
  [
    'pushed, taken back and pushed again by others',
    [pod(NO_COMMIT, 'c1'), sam('c1', 'c3'), sam('c3', 'c1'), sam('c1', 'c3')],
    ['c3 sam', 'c2 sam'],
  ],
  [
    'a pod brings again what was taken back while it had it',
    [pod(NO_COMMIT, 'c1'), sam('c1', 'c2'), sam('c2', 'c1'), pod('c1', 'c3')],
    ['c2 sam'],
  ],
  [
    'who pushed from a state that nobody knows brought all of it',
    [pod(NO_COMMIT, 'c1'), { by: 'sam', after: 'c2', mayMerge: false }, pod('c1', 'c3')],
    ['c2 sam'],
  ],
  [
    'a maintainer’s, whose merge request shows what sam pushed right after it',
    [loose(kim('c0', 'c3')), loose(sam('c2', 'c3')), loose(sam('c1', 'c3'))],
    ['c3 sam', 'c2 sam'],
  ],
  [
    'opened by a maintainer, and shown with what sam pushed',
    [loose(kim(NO_COMMIT, 'c3')), loose(sam('c2', 'c3'))],
    ['c3 sam'],
  ],
])('%s', (_name, pushes, foreign) => {
  expect(foreignIn(line, 'c3', pushes).map(({ sha, by }) => `${sha} ${by}`)).toEqual(foreign)
})

test('a push from a state that the forge does not give any more is no evidence', () => {
  expect(foreignIn({ ...line, missing: ['gone'] }, 'c3', [pod('gone', 'c3')])).toHaveLength(3)
})

test('a merge of the base is nobody’s where it is git’s own, and somebody’s where it holds more', () => {
  const pushes = [pod(NO_COMMIT, 'c1'), sam('c1', 'm')]
  expect(foreignIn(graphOf('m<c1,b1*', 'c1<c0'), 'm', pushes)).toEqual([])
  expect(foreignIn(graphOf('m<c1,b1', 'c1<c0'), 'm', pushes)).toEqual([{ sha: 'm', by: 'sam' }])
})

test('a branch that was merged in is looked at too, and what only the record has is left out', () => {
  const graph = graphOf('m<c1,s1', 's1<c0', 'c1<c0', 'old<c1')
  expect(foreignIn(graph, 'm', [pod(NO_COMMIT, 'c1'), pod('c1', 'old'), sam('c1', 'm')]).map(({ sha }) => sha)).toEqual(
    ['m', 's1'],
  )
})

test('a fork’s pushes stand under its merge request', () => {
  const found = { number: 7, headBranch: 'x', headRepository: 'Acme/Library' }
  expect(refOf(found, 'acme/library')).toBe('refs/heads/x')
  expect(refOf({ ...found, headRepository: 'sam/library' }, 'acme/library')).toBe('refs/pull/7/head')
})

test('who makes a deleted branch again brings what it had not; where its deletion is not known, nobody knows what', () => {
  const sam = { login: 'sam', id: '7' }
  const first = { before: NO_COMMIT, after: 'c1' }
  const evil = { before: 'c1', after: 'c2', by: sam }
  const again = { before: NO_COMMIT, after: 'c3' }
  const made = (...pushes: Parameters<typeof sinceDeletions>[0]) =>
    sinceDeletions(pushes).map(({ before, after }) => [before, after])
  expect(made(first, evil)).toEqual([
    [NO_COMMIT, 'c1'],
    ['c1', 'c2'],
  ])
  expect(made(first, { before: 'c2', after: NO_COMMIT, by: sam }, again)).toEqual([
    [NO_COMMIT, 'c1'],
    ['c2', 'c3'],
  ])
  expect(made(first, again)).toEqual([
    [NO_COMMIT, 'c1'],
    [undefined, 'c3'],
  ])
})
