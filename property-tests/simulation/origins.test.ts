import { expect, test } from 'vitest'
import { people } from '../../standins/people.ts'
import type { Entry } from './forge.ts'
import { foreignCommitsWait } from './origins.ts'

function entry(actor: string, action: Entry['action'], more: Partial<Entry> = {}): Entry {
  return { at: '', place: 0, repository: 'acme/library', actor, action, ...more }
}
const push = (actor: string, before: string, after: string): Entry =>
  entry(actor, 'git.push', { ref: 'refs/heads/platform/x', before, after, sha: after })
const opened = entry(people.bot, 'pull.open', { number: 2, sha: 'a', detail: { head: 'platform/x', base: 'main' } })
const moved = (sha: string): Entry => entry(people.bot, 'pull.synchronize', { number: 2, sha })
const approved = entry(people.maintainer, 'comment.create', { number: 2, kind: 'pull', detail: { body: '/approve' } })
const merged = (sha: string): Entry => entry(people.bot, 'pull.merge', { number: 2, sha })
const begun = [push(people.bot, '0', 'a'), opened]

test.each<[what: string, audit: readonly Entry[]]>([
  ['pods alone pushed', [...begun, merged('a')]],
  ['a maintainer pushed too', [...begun, push(people.maintainer, 'a', 'b'), moved('b'), merged('b')]],
  ['a maintainer let go', [...begun, push(people.reporter, 'a', 'b'), moved('b'), approved, merged('b')]],
])('a head that %s may be merged', (_what, audit) => {
  expect(foreignCommitsWait({ audit })).toEqual([])
})

test.each<[what: string, audit: readonly Entry[]]>([
  ['nobody let go', [...begun, push(people.reporter, 'a', 'b'), moved('b'), merged('b')]],
  ['was let go before the push', [...begun, approved, push(people.reporter, 'a', 'b'), moved('b'), merged('b')]],
  [
    'has the commit below one of a pod',
    [...begun, push(people.reporter, 'a', 'b'), moved('b'), push(people.bot, 'b', 'c'), moved('c'), merged('c')],
  ],
])('a head with a foreign commit that %s may not be merged (REVIEW-3)', (_what, audit) => {
  expect(foreignCommitsWait({ audit })).toEqual([expect.stringContaining('which rita pushed')])
})
