import { expect, test } from 'vitest'
import type { AuditEntry } from '../../standins/forge/store/audit.ts'
import { people } from '../../standins/people.ts'
import { defaultScenarioFile, loadScenario } from '../../standins/scenarios/load.ts'
import { asksMemory, faultsOfMemory } from './remembered.ts'

const scenario = await loadScenario(defaultScenarioFile)
const commit = 'a7e5a8bf4af873736948ea74b567e8dcb30299cd'

function written(actor: string, body: string, action: AuditEntry['action'] = 'review-comment.create'): AuditEntry {
  return { at: '2026-01-02T03:04:05Z', actor, action, repository: 'acme/a', detail: { comments: [{ body }] } }
}

test('a review that names the commit of the memory was answered by it', () => {
  expect(faultsOfMemory(scenario, [written(people.bot, `So since ${commit}.`)], commit)).toEqual([])
})

test('a review without it was not, whoever else names it', () => {
  const audit = [
    written(people.bot, 'So since the first version.', 'review.create'),
    written(people.maintainer, commit),
    written(people.bot, commit, 'pull.open'),
  ]
  expect(faultsOfMemory(scenario, audit, commit)).toEqual([
    `no review names the commit ${commit}, which the memory holds`,
  ])
})

test('a story in which no reviewer asks needs no answer, and one without a memory has none', () => {
  expect(faultsOfMemory(scenario, [], undefined)).toEqual([])
  expect(faultsOfMemory({ agents: { implement: scenario.agents.implement! } }, [], commit)).toEqual([])
})

test('the story waits for the memory only where a turn asks it', () => {
  expect(asksMemory(scenario)).toBe(true)
  expect(asksMemory({ agents: { implement: scenario.agents.implement! } })).toBe(false)
})
