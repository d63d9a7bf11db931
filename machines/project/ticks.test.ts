/** Ticks: when they are asked for, when they run, and how often what was missed is made up for. */
import { expect, test } from 'vitest'
import { types } from '../drive.ts'
import { AProject, backlogWith, everyTen, hour, minute, planned, settingsWith } from '../testing/a-project.ts'

const nightly = settingsWith({ documentation: { schedule: everyTen, maxPerRepo: 1 } })
const documentation = (): AProject => planned('documentation', nightly)
const planTicks = (effects: readonly { readonly type: string; readonly params: Record<string, unknown> }[]) =>
  effects.filter(({ type }) => type === 'planTick').map(({ params }) => params)

test('Project blocks/scheduled: a schedule is asked for its next tick, and one region each waits for it', () => {
  const project = new AProject(nightly)
  expect([project.at('documentation'), project.at('upgrade')]).toEqual(['planning', 'off'])
  project.plan('documentation', everyTen, 10 * minute)
  expect([project.at('documentation'), project.it.timers()['documentation']]).toEqual(['idle', 10 * minute])
})

test('without anything scheduled the table is as it was', () => {
  expect(new AProject(undefined).it.value).toBe('notReady')
})

test('Project blocks/due: at its time it runs, and asks again from the start of the run', () => {
  const project = documentation()
  project.it.fire('documentation')
  expect(project.at('documentation')).toEqual({ running: 'reading' })
  const startedAt = project.it.context.at
  project.it.pass(minute)
  const effects = project.read('documentation', backlogWith({ documentation: 'docs' }))
  expect(planTicks(effects)).toEqual([
    { project: 'default/demo', name: 'documentation', schedule: everyTen, after: startedAt },
  ])
})

test('Project blocks/missed: SCHEDULE-4: ticks missed while down are one tick (CRON-3)', () => {
  const project = documentation()
  project.it.pass(5 * 24 * hour)
  project.it.fire('documentation')
  const effects = project.read('documentation')
  expect(planTicks(effects)[0]?.['after']).toBe(project.it.context.at)
  expect(project.block('documentation').runs).toBe(1)
})

test('Project blocks/overlapping: SCHEDULE-4: ticks that come during a run are one run after it', () => {
  const project = documentation()
  project.it.fire('documentation')
  project.it.pass(25 * minute)
  project.read('documentation')
  project.plan('documentation', everyTen, -15 * minute)
  expect(project.it.timers()['documentation']).toBe(0)
  project.it.fire('documentation')
  const startedAt = project.it.context.at
  expect(planTicks(project.read('documentation'))[0]?.['after']).toBe(startedAt)
})

test('Project blocks/paused: SCHEDULE-3: while paused a tick is recorded and nothing runs; resumed it runs once (CRON-3)', () => {
  const project = documentation()
  project.apply(nightly, 0)
  project.it.fire('documentation')
  expect(project.at('documentation')).toBe('due')
  project.it.pass(3 * hour)
  project.apply(nightly, 2)
  expect(project.at('documentation')).toEqual({ running: 'reading' })
  expect(planTicks(project.read('documentation'))[0]?.['after']).toBe(project.it.context.at)
})

test('Project blocks/not-ready: SCHEDULE-1: not ready, a tick waits', () => {
  const project = documentation()
  project.check(false)
  project.it.fire('documentation')
  expect([project.at('documentation'), project.at('readiness')]).toEqual(['due', 'notReady'])
  project.check()
  expect(project.at('documentation')).toEqual({ running: 'reading' })
})

test('Project blocks/overran: SCHEDULE-5: a run that gets no answer ends after 4 hours and says so', () => {
  const project = documentation()
  project.it.fire('documentation')
  expect(project.it.timers()['runEnds']).toBe(4 * hour)
  expect(types(project.it.fire('runEnds'))).toEqual(['planTick'])
  expect(project.block('documentation')).toMatchObject({ trouble: 'the run got no answer in 4 hours', last: null })
})

test('an answer to an earlier run changes nothing', () => {
  const project = documentation()
  project.it.fire('documentation')
  project.it.fire('runEnds')
  project.plan('documentation', everyTen, minute)
  project.it.fire('documentation')
  project.it.send({ type: 'backlog.read', run: 'documentation/1', backlog: backlogWith() })
  expect(project.at('documentation')).toEqual({ running: 'reading' })
})

test('Project blocks/refused: a schedule that cannot be followed is said, until another is applied', () => {
  const project = new AProject(nightly)
  project.it.send({ type: 'tick.refused', name: 'documentation', schedule: everyTen, reason: 'never comes' })
  expect([project.at('documentation'), project.it.context.scheduled.blocks.documentation.refused]).toEqual([
    'refused',
    'never comes',
  ])
  const other = settingsWith({ documentation: { schedule: '0 3 * * *', maxPerRepo: 1 } })
  expect(planTicks(project.apply(other))[0]?.['schedule']).toBe('0 3 * * *')
})

test('another schedule is planned anew, and an answer to the old one is none', () => {
  const project = documentation()
  project.apply(settingsWith({ documentation: { schedule: '0 3 * * *', maxPerRepo: 1 } }))
  expect(project.at('documentation')).toBe('planning')
  project.plan('documentation', everyTen, minute)
  expect(project.at('documentation')).toBe('planning')
})

test('an empty schedule switches a block off, also when it comes during a run', () => {
  const project = documentation()
  project.apply(undefined)
  expect([project.at('documentation'), project.it.timers()['documentation']]).toEqual(['off', undefined])
  const running = documentation()
  running.it.fire('documentation')
  running.apply(settingsWith())
  expect(planTicks(running.read('documentation'))).toEqual([])
  expect(running.at('documentation')).toBe('off')
})

test('a backlog that cannot be read ends the run with the reason', () => {
  const project = documentation()
  project.it.fire('documentation')
  project.it.send({ type: 'effect.failed', effect: 'readBacklog', reason: 'no such Project', key: 'k' })
  expect([project.at('documentation'), project.block('documentation').trouble]).toEqual(['planning', 'no such Project'])
})

test('a Project that is deleted has no timer and no region left; what was known comes back with it', () => {
  const project = documentation()
  project.it.send({ type: 'project.deleted' })
  expect([project.it.value, project.it.timers()]).toEqual(['deleted', {}])
  project.apply(nightly)
  expect(project.at('documentation')).toBe('planning')
})

test('applied with schedules while ready, it stays ready', () => {
  const project = new AProject(undefined)
  project.check()
  project.apply(nightly)
  expect([project.at('readiness'), project.at('documentation')]).toEqual(['ready', 'planning'])
})
