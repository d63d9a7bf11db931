/** The numbers, edge values and deprecated names of docs/contract/resources.md, as a Project's actor is told them. */
import { describe, expect, test } from 'vitest'
import type { ProjectSpec } from '../../crd/project.ts'
import { scheduleSettings } from './settings.ts'

type Cron = NonNullable<ProjectSpec['scm']['cron']>
const everyHour = '0 * * * *'
const specWith = (given: Partial<ProjectSpec> = {}, cron: Cron = {}): ProjectSpec => ({
  scmSecretRef: 's',
  scm: { provider: 'forge_a', owner: 'o', botLogin: 'b', cron, guidance: 'Be bold.' },
  ...given,
})
const brainstorm = (given: NonNullable<Cron['brainstorm']>) =>
  scheduleSettings(specWith({}, { issueScan: { schedule: everyHour }, brainstorm: { schedule: everyHour, ...given } }))
    ?.brainstorm

test('a Project without schedules and budget does nothing by itself; an empty schedule is none (PROJECT-UPGRADE-3, PROJECT-CRON-1)', () => {
  expect(scheduleSettings(specWith())).toBeUndefined()
  expect(scheduleSettings(specWith({}, { issueScan: { schedule: '  ' }, upgrade: {} }))).toBeUndefined()
})

test('PROJECT-CRON-4, PROJECT-CRON-7, PROJECT-CRON-15: defaults are those of the contract (PROJECT-9, PROJECT-10, PROJECT-CRON-4, PROJECT-CRON-11, PROJECT-CRON-19)', () => {
  expect(scheduleSettings(specWith({}, { issueScan: { schedule: everyHour } }))).toEqual({
    maxNewTasksPerSweep: 5,
    maxOpenTasks: 6,
    issueScan: { schedule: everyHour, maxPerRepo: 1 },
    brainstorm: { schedule: '', targetOpenProposals: 3, minSessionIntervalMs: 720_000, guidance: 'Be bold.' },
    documentation: { schedule: '', maxPerRepo: 1 },
    upgrade: { schedule: '', maxOpenUpgrades: 1 },
  })
})

describe('the brainstorm', () => {
  test('must be enabled (PROJECT-CRON-5, PROJECT-CRON-6)', () => {
    expect(brainstorm({})?.schedule).toBe('')
    expect(brainstorm({ enabled: true })?.schedule).toBe(everyHour)
  })
  test.each([
    ['the default', {}, 3],
    ['the target', { targetOpenProposals: 7, maxOpenProposals: 2 }, 7],
    ['the deprecated alias, where no target is set', { maxOpenProposals: 2 }, 2],
  ])('%s is what it refills to (PROJECT-CRON-7, PROJECT-CRON-9)', (_what, given, target) => {
    expect(brainstorm(given)?.targetOpenProposals).toBe(target)
  })
  test('a target of 0 disables it, whatever the alias says (PROJECT-CRON-8)', () => {
    expect(brainstorm({ enabled: true, targetOpenProposals: 0, maxOpenProposals: 5 })?.schedule).toBe('')
  })
  test.each([
    [30, 1_800_000],
    [0, 720_000],
    [-1, 0],
  ])('minSessionIntervalMinutes %d is a floor of %d ms (PROJECT-CRON-11)', (minSessionIntervalMinutes, floor) => {
    expect(brainstorm({ minSessionIntervalMinutes })?.minSessionIntervalMs).toBe(floor)
  })
})

test('PROJECT-DOCS-2: documentation has a double gate (PROJECT-DOCS-1, PROJECT-DOCS-2)', () => {
  const documentation = (enabled: boolean, schedule: string) =>
    scheduleSettings(
      specWith(
        { documentation: { enabled, repo: 'r' } },
        { issueScan: { schedule: everyHour }, documentation: { schedule } },
      ),
    )?.documentation.schedule
  expect([documentation(true, everyHour), documentation(false, everyHour), documentation(true, '')]).toEqual([
    everyHour,
    '',
    '',
  ])
})

describe('the token budget', () => {
  const budget = (tokenBudget: ProjectSpec['tokenBudget']) => scheduleSettings(specWith({ tokenBudget }))?.budget
  test('is on only where the block says so (PROJECT-BUDGET-1, PROJECT-BUDGET-2)', () => {
    expect([budget(undefined), budget({}), budget({ enabled: false })]).toEqual([undefined, undefined, undefined])
  })
  test('is a Project’s only business where nothing is scheduled', () => {
    expect(budget({ enabled: true, tokenLimit: 10, windowDuration: '5h' })).toEqual({
      mode: 'customWindow',
      proactivePercent: 50,
      emergencyPercent: 80,
      resetSchedule: '',
      windowMs: 18_000_000,
      tokenLimit: 10,
      fiveHour: { proactivePercent: 0, emergencyPercent: 0 },
      weekly: { proactivePercent: 0, emergencyPercent: 0 },
    })
  })
  test('PROJECT-BUDGET-15: spawnCeilingByKind is accepted and holds nothing (PROJECT-BUDGET-15)', () => {
    const enabled = { enabled: true, mode: 'claudeSubscription' } as const
    expect(budget({ ...enabled, spawnCeilingByKind: { implement: 1 } })).toEqual(budget(enabled))
  })
})
