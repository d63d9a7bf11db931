import { expect, test } from 'vitest'
import type { AuditEntry } from '../../../standins/forge/store/audit.ts'
import { people } from '../../../standins/people.ts'
import { defaultScenarioFile, loadScenario } from '../../../standins/scenarios/load.ts'
import { asksMemory, faultsOfMemory } from './remembered.ts'

const scenario = await loadScenario(defaultScenarioFile)
const commit = 'a7e5a8bf4af873736948ea74b567e8dcb30299cd'

function written(actor: string, body: string, action: AuditEntry['action'] = 'review-comment.create'): AuditEntry {
  return { at: '2026-01-02T03:04:05Z', actor, action, repository: 'acme/a', detail: { comments: [{ body }] } }
}

const unnamed = [`no review names the commit ${commit}, which the memory holds`]
const silent = { agents: { implement: scenario.agents.implement! } }

test.each([
  [
    'names the commit of the memory was answered by it',
    scenario,
    [written(people.bot, `So since ${commit}.`)],
    commit,
    [],
  ],
  ['names another was not', scenario, [written(people.bot, 'So since the first.', 'review.create')], commit, unnamed],
  ['is of a person was not', scenario, [written(people.maintainer, commit)], commit, unnamed],
  [
    'is none, but another write of the bot, was not',
    scenario,
    [written(people.bot, commit, 'pull.open')],
    commit,
    unnamed,
  ],
  ['nobody wrote is not missed where there is no memory', scenario, [], undefined, []],
  ['nobody wrote is not missed where no reviewer asks', silent, [], commit, []],
])('a review that %s', (_what, played, audit, known, faults) => {
  expect(faultsOfMemory(played, audit, known)).toEqual(faults)
})

test('the story waits for the memory only where a turn asks it', () => {
  expect([asksMemory(scenario), asksMemory(silent)]).toEqual([true, false])
})
