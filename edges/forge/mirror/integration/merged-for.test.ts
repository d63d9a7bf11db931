/** An issue is merged for the Task whose merge request was merged, and for nobody else (APPROVAL-16). */
import { expect } from 'vitest'
import { openChange } from '../../outbound/testing/merges.ts'
import { TASK, withApprovedIssue } from '../testing/approved-issue.ts'
import { testInside } from '../../../../testing/inside.ts'

const REPO = 'acme/library'

const it = testInside(withApprovedIssue, {})

it('APPROVAL-16: the facts of an issue name its Task once a merge request of the Task is merged', async (approved) => {
  await approved.change()
  expect(approved.facts.mergedFor).toBeUndefined()
  expect(await approved.merge()).toEqual([])
  await approved.fixture.quiet()
  expect(approved.facts.mergedFor).toBe(TASK)
})

it("APPROVAL-16: another Task's merge that closes the issue is not its own Task's, though the bot made it", async (approved) => {
  const { fixture, number } = approved
  await approved.change()
  const other = await openChange(fixture, 'platform/implement-library-9-bbbbb', {
    'src/other.js': 'export const a = 1\n',
  })
  await fixture.forge.mergePull('bot', REPO, other.number)
  await fixture.quiet(fixture.forge.closeIssue('bot', REPO, number))
  expect(approved.facts).toMatchObject({ state: 'closed', closedBy: 'bot' })
  expect(approved.facts.mergedFor).toBeUndefined()
})

it('APPROVAL-16: a merge whose webhook is lost reaches the issue with the next reading', async (approved) => {
  const { fixture } = approved
  const change = await approved.change()
  fixture.forge.faults.inject({ kind: 'drop', event: 'pull_request', times: 100 })
  await fixture.quiet(fixture.forge.mergePull('maintainer', REPO, change.number))
  expect(approved.facts.mergedFor).toBeUndefined()
  await approved.resync()
  expect(approved.facts.mergedFor).toBe(TASK)
})
