import { expect, test } from 'vitest'
import type { IssueFacts } from '../../../machines/issue/events.ts'
import { RetryableError } from '../../../runtime/errors.ts'
import { withForgeEdge, type EdgeFixture } from '../testing.ts'
import { loadCursor } from './store/cursors.ts'

const REPO = 'acme/library'

async function resync(fixture: EdgeFixture): Promise<void> {
  await fixture.edge.handlers.resyncMirror.perform({ project: 'default/demo' }, fixture.context('resync'))
}

function openWanted({ forge }: EdgeFixture): number {
  return forge.openIssue('maintainer', REPO, { title: 'Add mul', body: 'We need it.', labels: ['platform'] }).number
}

function lastFacts({ delivered }: EdgeFixture): IssueFacts {
  return delivered.findLast(({ event }) => event.type === 'issue.observed')!.event['facts'] as IssueFacts
}

test.each([
  ['an address that the forge cannot reach', 'POST', 422],
  ['no right to see hooks', 'GET', 403],
] as const)(
  'a hook refused for %s stops no resync: what people closed is seen by the next one (TOOL-SCM-READ-8)',
  async (_name, method, status) => {
    await withForgeEdge({}, async (fixture) => {
      const path = `/repos/${REPO}/hooks/**`
      fixture.forge.faults.inject({ kind: 'errorBeforeWrite', method, path, status, times: 10_000 })
      const number = openWanted(fixture)
      await resync(fixture)
      expect(lastFacts(fixture)).toMatchObject({ number, state: 'open' })
      fixture.forge.closeIssue('maintainer', REPO, number)
      fixture.clock.advance(30 * 60_000)
      await resync(fixture)
      expect(lastFacts(fixture)).toMatchObject({ number, state: 'closed' })
    })
  },
)

test('a forge that fails at the hooks is asked again, and what was read is not read anew (TOOL-SCM-READ-8)', async () => {
  await withForgeEdge({}, async (fixture) => {
    const path = `/repos/${REPO}/hooks/**`
    fixture.forge.faults.inject({ kind: 'errorBeforeWrite', method: 'GET', path, status: 502 })
    await expect(resync(fixture)).rejects.toThrow(RetryableError)
    expect(await loadCursor(fixture.sql, 'demo', 'library')).toMatchObject({ since: fixture.clock.now() })
    await resync(fixture)
  })
})
