/** What the forge told while no orchestrator ran is not lost until the next resync. */
import { afterEach, expect, test } from 'vitest'
import { people } from '../../standins/people.ts'
import { repository, startOrchestratorFixture, type OrchestratorFixture } from '../testing/fixture.ts'

let fixture: OrchestratorFixture | undefined
afterEach(() => fixture?.stop(), 30_000)

test('an issue whose webhook found no orchestrator gets its Task once one starts (MIRROR-6)', async () => {
  fixture = await startOrchestratorFixture()
  const { forge } = fixture
  await fixture.restart(async () => {
    const issue = { title: 'Parse weeks', body: 'It does not.', labels: ['platform'] }
    forge.openIssue(people.reporter, repository, issue)
    await forge.idle()
  })
  expect(forge.deliveries().filter(({ status }) => status !== 'delivered')).not.toEqual([])
  await fixture.podAtWork(1)
}, 90_000)
