import { expect, it } from 'vitest'
import { topicMarker, withMarkers } from '../../forge/marker.ts'
import type { ProjectSettings } from '../../forge/projects.ts'
import { aTask, aThreadIssue, aThreadReader, aView, reading } from '../testing/fixture.ts'
import { proposalRoom } from './proposals.ts'

const project = {
  scm: { botLogin: 'bot', labels: { declined: 'platform-declined' } },
  repositories: [{ name: 'lib' }],
  kinds: { targetOpenProposals: 2 },
} as unknown as ProjectSettings
const body = withMarkers('x', topicMarker('proposal/k'))
const own = { author: 'bot', bot: true, labels: [] as string[], body }

/** `rejected`: numbers of the issues whose actors say so. */
async function room(
  issues: readonly object[],
  rejected: readonly number[] = [],
): Promise<Awaited<ReturnType<typeof proposalRoom>>> {
  const actors = rejected.map((number) => [`issue:default/lib-${number}`, aView({ rejected: 'not worth it' })] as const)
  const deps = {
    runtime: reading(Object.fromEntries(actors)),
    projects: { project: async () => project, projects: async () => [], secret: async () => undefined },
    threads: aThreadReader({ issues: issues.map((change, n) => aThreadIssue({ number: n + 1, ...change })) }),
  }
  return proposalRoom(deps, aTask())
}

it('OUTCOME-RULE-7: what is open of the platform’s own proposals takes room; declined, closed and other issues do not (OUTCOME-BRAINSTORM-7, OUTCOME-RULE-8)', async () => {
  const found = await room([own, own, { ...own, state: 'closed' }, {}], [2])
  expect(found.left).toBe(1)
})

it('a label frees no place: anybody may put one on (LABELS-2, CRON-8)', async () => {
  expect((await room([{ ...own, labels: ['platform-declined'] }])).left).toBe(1)
})

it('a marker that somebody else pasted makes no proposal', async () => {
  expect((await room([{ ...own, author: 'rita' }])).left).toBe(2)
})

it('never below nothing, when the target was lowered', async () => {
  expect((await room([own, own, own])).left).toBe(0)
})

it('filed are all proposals, and what people have open', async () => {
  const { filed } = await room([
    { ...own, title: 'a', state: 'closed' },
    { title: 'b' },
    { title: 'c', state: 'closed' },
  ])
  expect(filed.map(({ title }) => title).toSorted()).toEqual(['a', 'b'])
})
