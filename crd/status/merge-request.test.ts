import { expect, test } from 'vitest'
import { newMergeRequest, type MergeRequestContext } from '../../machines/merge-request/context.ts'
import { lostBy } from '../testing/server-view.ts'
import { mergeRequestResource } from './merge-request.ts'
import type { DerivedResource } from './shape.ts'

const at = Date.parse('2026-01-02T03:04:05Z')
const time = '2026-01-02T03:04:05.000Z'
const id = 'default/lib-mr-7'
const task = 'default/review-lib-7-abcde'
const facts = {
  repository: 'lib',
  number: 7,
  state: 'open',
  url: 'http://forge/lib/pull/7',
  headSha: 'sha-1',
  headBranch: 'digits',
  baseBranch: 'main',
  ci: 'success',
  mergeable: true,
} as NonNullable<MergeRequestContext['facts']>
const verdict = { task, sha: 'sha-1', value: 'approve', at }
const shown = (change: Partial<MergeRequestContext>): DerivedResource =>
  mergeRequestResource({ id, path: 'known.verdictPosted', seq: 3, context: { ...newMergeRequest(id), ...change } })!

test('is its actor’s word, under the names of the contract and no others (MERGE-REQUEST-RESOURCE-1, MERGE-REQUEST-RESOURCE-2, MERGE-REQUEST-RESOURCE-3)', () => {
  const resource = shown({ facts, owner: task, verdict })
  expect(resource.metadata).toEqual({ name: 'lib-mr-7', namespace: 'default', generation: 3 })
  expect(resource.spec).toEqual({ repositoryRef: 'lib', number: 7 })
  expect(resource.status).toEqual({
    status: 'verdictPosted',
    state: 'open',
    headBranch: 'digits',
    headSha: 'sha-1',
    baseBranch: 'main',
    ci: 'success',
    mergeable: true,
    url: 'http://forge/lib/pull/7',
    ownerTask: task,
    verdict: { value: 'approve', sha: 'sha-1', at: time },
  })
})

test('names the merged head once it is merged, and never before (MERGE-REQUEST-RESOURCE-3)', () => {
  const mergedSha = (state: 'open' | 'merged' | 'closed'): unknown =>
    (shown({ facts: { ...facts, state } }).status as { mergedSha: unknown }).mergedSha
  expect([mergedSha('open'), mergedSha('closed'), mergedSha('merged')]).toEqual([undefined, undefined, 'sha-1'])
})

test('RESOURCES-32: is not shown before it was observed (MERGE-REQUEST-RESOURCE-1)', () => {
  expect(mergeRequestResource({ id, path: 'unknown', seq: 1, context: newMergeRequest(id) })).toBeUndefined()
})

test('a server keeps all of it (RESOURCES-26)', () => {
  for (const change of [{ facts }, { facts, verdict, owner: task }, { facts: { ...facts, mergeable: null } }])
    expect(lostBy('MergeRequest', shown(change).status)).toEqual([])
})
