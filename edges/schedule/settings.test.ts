/** Document 3's numbers, edge values and deprecated names, as a Project's actor is told them. */
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

test('a Project without schedules and budget does nothing by itself; an empty schedule is none', () => {
  expect(scheduleSettings(specWith())).toBeUndefined()
  expect(scheduleSettings(specWith({}, { issueScan: { schedule: '  ' }, upgrade: {} }))).toBeUndefined()
})

test('S3 Cron: defaults are those of the contract', () => {
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
  test('must be enabled', () => {
    expect(brainstorm({})?.schedule).toBe('')
    expect(brainstorm({ enabled: true })?.schedule).toBe(everyHour)
  })
  test.each([
    ['the default', {}, 3],
    ['the target', { targetOpenProposals: 7, maxOpenProposals: 2 }, 7],
    ['the deprecated alias, where no target is set', { maxOpenProposals: 2 }, 2],
  ])('%s is what it refills to', (_what, given, target) => {
    expect(brainstorm(given)?.targetOpenProposals).toBe(target)
  })
  test('a target of 0 disables it, whatever the alias says', () => {
    expect(brainstorm({ enabled: true, targetOpenProposals: 0, maxOpenProposals: 5 })?.schedule).toBe('')
  })
  test.each([
    [30, 1_800_000],
    [0, 720_000],
    [-1, 0],
  ])('minSessionIntervalMinutes %d is a floor of %d ms', (minSessionIntervalMinutes, floor) => {
    expect(brainstorm({ minSessionIntervalMinutes })?.minSessionIntervalMs).toBe(floor)
  })
})

test('S3 Cron: documentation has a double gate', () => {
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
  test('is on only where the block says so', () => {
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
  test('S3 TokenBudgetSpec: spawnCeilingByKind is accepted and holds nothing', () => {
    const enabled = { enabled: true, mode: 'claudeSubscription' } as const
    expect(budget({ ...enabled, spawnCeilingByKind: { implement: 1 } })).toEqual(budget(enabled))
  })
})
