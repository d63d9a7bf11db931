/** What deliveries say of who pushed, and what it is worth (REVIEW-3, decisions/0064); the graph is a line of commits. */
import { expect, test } from 'vitest'
import type { ForgeChange, MergeRequestChange } from './change.ts'
import { createReadForeign } from './foreign-commits.ts'
import type { ForgeMergeRequest } from './port.ts'
import { NO_COMMIT } from './mirror/store/pushes.ts'
import { openChange } from './outbound/testing/merges.ts'
import { withForgeEdge, type EdgeFixture } from './testing/fixture.ts'

const path = 'acme/library'
const maintainer = { login: 'Maintainer', id: '2', bot: false }
const sam = { login: 'sam', id: '7', bot: false }
const line = ['c3', 'c2', 'c1', 'c0']

interface Told {
  readonly fixture: EdgeFixture
  readonly mergeRequest: ForgeMergeRequest
  tell(
    change: Partial<MergeRequestChange> | { readonly kind: 'push'; readonly before: string; readonly after: string },
  ): Promise<void>
  /** Of `head`, by whom. */
  foreign(head: string): Promise<readonly string[]>
}

/** A merge request whose head is here, or in a fork of sam. */
async function withTold(headRepository: string, use: (told: Told) => Promise<void>): Promise<void> {
  await withForgeEdge({}, async (fixture) => {
    const { number } = await openChange(fixture)
    const { mirror } = fixture.edge
    await mirror.refresh('default/demo', 'library', 'mr', number)
    const row = (await mirror.mergeRequest('default/demo', 'library', number))!.mergeRequest
    const mergeRequest = { ...row, headRepository }
    const commits = line.slice(0, -1).map((sha, at) => ({ sha, parents: [line[at + 1]!], isOwnMerge: false }))
    const read = createReadForeign({ mirror, graph: { read: async () => ({ commits, missing: [] }) } })
    let told = 0
    await use({
      fixture,
      mergeRequest,
      async tell(change) {
        const common = {
          kind: 'mr',
          path,
          by: maintainer,
          action: 'pushed',
          mergeRequest,
          ref: `refs/heads/${row.headBranch}`,
        }
        await mirror.apply('default/demo', { ...common, ...change } as ForgeChange, `delivery-${++told}`)
      },
      foreign: async (headSha) =>
        (await read(fixture.project, fixture.project.repositories[0]!, { ...mergeRequest, headSha })).map(
          ({ sha, by }) => `${sha} ${by}`,
        ),
    })
  })
}

const push = (before: string, after: string, by = maintainer) => ({ kind: 'push', before, after, by }) as const

test('a maintainer’s push is known by login in any case, and by account: who got a login that was given up is somebody else', async () => {
  await withTold(path, async ({ tell, foreign }) => {
    await tell({ action: 'other' })
    await tell(push(NO_COMMIT, 'c1', { ...maintainer, login: 'MAINTAINER' }))
    await tell(push('c1', 'c2', { ...maintainer, id: '99' }))
    expect(await foreign('c2')).toEqual(['c2 Maintainer'])
  })
})

test('a branch that a maintainer restores has what others pushed before it was deleted', async () => {
  await withTold(path, async ({ tell, foreign }) => {
    await tell(push(NO_COMMIT, 'c1'))
    await tell(push('c1', 'c2', sam))
    await tell(push('c2', NO_COMMIT, sam))
    await tell(push(NO_COMMIT, 'c3'))
    expect(await foreign('c3')).toEqual(['c2 sam'])
  })
})

test('of a branch here a merge request tells what others pushed, where no push was told; what maintainers pushed it tells of forks alone', async () => {
  await withTold(path, async ({ tell, foreign, mergeRequest }) => {
    await tell({ by: sam, beforeSha: 'c1', afterSha: 'c2' })
    await tell({ beforeSha: 'c2', afterSha: 'c3', mergeRequest })
    await tell(push('c0', 'c3'))
    expect(await foreign('c3')).toEqual(['c2 sam'])
  })
})

test('of a fork counts who opened its merge request and who moved its head, to where that push moved it', async () => {
  await withTold('sam/library', async ({ tell, foreign, mergeRequest }) => {
    const shown = { ...mergeRequest, headSha: 'c3' }
    await tell({ action: 'opened', mergeRequest: { ...mergeRequest, headSha: 'c1' } })
    expect(await foreign('c1')).toEqual([])
    // A later push is shown already.
    await tell({ beforeSha: 'c1', afterSha: 'c2', mergeRequest: shown })
    expect(await foreign('c3')).toEqual(['c3 '])
    await tell({ action: 'reopened', mergeRequest: shown })
    await tell({ beforeSha: 'c2', afterSha: 'c3', by: sam, mergeRequest: shown })
    await tell({ beforeSha: 'c2', mergeRequest: shown })
    expect(await foreign('c3')).toEqual(['c3 sam'])
  })
})
