/** The token budget (PROJECT-BUDGET, docs/contract/resources.md) as the queue hears of it. */
import { describe, expect, test } from 'vitest'
import { sent, types, type DrivenEffect } from '../drive.ts'
import { AProject, hour, minute, settingsWith } from '../testing/a-project.ts'
import type { BudgetSettings } from './events.ts'

const inherits = { proactivePercent: 0, emergencyPercent: 0 }
const budgetWith = (given: Partial<BudgetSettings> = {}): BudgetSettings => ({
  mode: 'customWindow',
  proactivePercent: 50,
  emergencyPercent: 80,
  resetSchedule: '',
  windowMs: 5 * hour,
  tokenLimit: 1000,
  fiveHour: inherits,
  weekly: inherits,
  ...given,
})
const projectWith = (given: Partial<BudgetSettings> = {}): AProject =>
  new AProject(settingsWith({ budget: budgetWith(given) }))
const held = (effects: readonly DrivenEffect[]): readonly unknown[] =>
  sent(effects, 'queue')
    .filter(({ type }) => type === 'queue.budgeted')
    .map(({ state }) => state)
const spend = (project: AProject, tokens: number): readonly unknown[] =>
  held(project.it.send({ type: 'usage.spent', turn: 't', tokens }))

const refuse = (project: AProject, schedule: string): readonly DrivenEffect[] =>
  project.it.send({ type: 'tick.refused', name: 'window', schedule, reason: 'it never comes' })

describe('customWindow', () => {
  test('Project budget/window: proactive pauses the normal pool, emergency everything, and only a change is told (PROJECT-BUDGET-4, PROJECT-BUDGET-6, PROJECT-BUDGET-7, PROJECT-BUDGET-12)', () => {
    const project = projectWith()
    expect([spend(project, 499), spend(project, 1), spend(project, 200), spend(project, 100)]).toEqual([
      [],
      ['normalHeld'],
      [],
      ['allHeld'],
    ])
  })

  test('an emergency percent below the proactive one is raised to it (PROJECT-BUDGET-8)', () => {
    const project = projectWith({ proactivePercent: 60, emergencyPercent: 10 })
    expect([spend(project, 599), spend(project, 1)]).toEqual([[], ['allHeld']])
  })

  test('Project budget/reset: at its end a new window begins, empty', () => {
    const project = projectWith()
    spend(project, 900)
    expect(project.it.timers()['budget']).toBe(5 * hour)
    expect(held(project.it.fire('budget'))).toEqual(['open'])
    expect(project.it.context.scheduled.spending).toMatchObject({ windowTokens: 0, windowStart: project.it.context.at })
  })

  test('a reset by schedule comes first, at most windowDuration after the start (PROJECT-BUDGET-9, PROJECT-BUDGET-11)', () => {
    const project = projectWith({ resetSchedule: '0 0 * * *' })
    expect(project.at('budget')).toBe('planning')
    project.plan('window', '0 0 * * *', 2 * hour)
    expect(project.it.timers()['budget']).toBe(2 * hour)
    expect(types(project.it.fire('budget'))).toEqual(['planTick'])
    project.plan('window', '0 0 * * *', 24 * hour)
    expect(project.it.timers()['budget']).toBe(5 * hour)
  })

  test('PROJECT-BUDGET-10: a budget applied between two boundaries counts in the window that the last one began', () => {
    const project = projectWith({ resetSchedule: '0 0 * * *', windowMs: 0 })
    const { at } = project.it.context
    project.plan('window', '0 0 * * *', 2 * hour, 22 * hour)
    expect(project.it.context.scheduled.spending).toMatchObject({
      windowStart: at - 22 * hour,
      windowEnd: at + 2 * hour,
    })
    project.it.fire('budget')
    expect(project.it.context.scheduled.spending.windowStart).toBe(at + 2 * hour)
  })

  test('PROJECT-BUDGET-10: it starts no later than the boundary before it, where a reset comes late', () => {
    const project = projectWith({ resetSchedule: '0 0 * * *', windowMs: 0 })
    project.plan('window', '0 0 * * *', 2 * hour, 22 * hour)
    const boundary = project.it.context.at + 2 * hour
    project.it.pass(3 * hour)
    project.it.send({ type: 'usage.spent', turn: 't', tokens: 1 })
    project.it.fire('budget')
    const late = project.it.context.at - boundary
    expect(late).toBeGreaterThan(0)
    project.plan('window', '0 0 * * *', 24 * hour - late, late)
    expect(project.it.context.scheduled.spending.windowStart).toBe(boundary)
  })

  test('PROJECT-BUDGET-11: windowDuration divides the time from the last boundary on', () => {
    const project = projectWith({ resetSchedule: '0 0 * * *', windowMs: 5 * hour })
    const { at } = project.it.context
    project.plan('window', '0 0 * * *', 10 * hour, 14 * hour)
    expect(project.it.context.scheduled.spending).toMatchObject({ windowStart: at - 4 * hour, windowEnd: at + hour })
  })

  test('tokens told while the schedule is read count in the window that has begun', () => {
    const project = projectWith({ resetSchedule: '0 0 * * *', windowMs: 0 })
    const start = project.it.context.at
    expect([project.at('budget'), spend(project, 600)]).toEqual(['planning', []])
    project.it.pass(minute)
    expect(held(project.plan('window', '0 0 * * *', 2 * hour))).toEqual(['normalHeld'])
    expect(project.it.context.scheduled.spending).toMatchObject({ windowStart: start, windowTokens: 600 })
  })

  test('they count too when the schedule is refused and windowDuration bounds the window, from where it began', () => {
    const project = projectWith({ resetSchedule: '0 0 31 2 *' })
    spend(project, 600)
    project.it.pass(minute)
    expect(held(refuse(project, '0 0 31 2 *'))).toEqual(['normalHeld'])
    expect(project.it.timers()['budget']).toBe(5 * hour - minute)
  })

  test('without a window nothing is held, whatever is spent (PROJECT-BUDGET-16)', () => {
    const project = projectWith({ windowMs: 0 })
    expect([project.at('budget'), spend(project, 5000)]).toEqual(['unbounded', []])
  })

  test('a schedule that is refused gives no window: nothing is held, for nothing would ever let it go', () => {
    const project = projectWith({ resetSchedule: '0 0 31 2 *', windowMs: 0 })
    refuse(project, '0 0 31 2 *')
    expect([project.at('budget'), spend(project, 5000)]).toEqual(['unbounded', []])
  })

  test('a schedule that is refused leaves the window to windowDuration', () => {
    const project = projectWith({ resetSchedule: '0 0 31 2 *' })
    refuse(project, '0 0 31 2 *')
    expect([project.at('budget'), spend(project, 900)]).toEqual(['metering', ['allHeld']])
    expect(project.it.timers()['budget']).toBe(5 * hour)
  })

  test('without a limit nothing is held', () => {
    expect(spend(projectWith({ tokenLimit: 0 }), 5000)).toEqual([])
  })

  test('a higher limit opens at once, what was spent stays counted', () => {
    const project = projectWith()
    spend(project, 600)
    expect(held(project.apply(settingsWith({ budget: budgetWith({ tokenLimit: 10_000 }) })))).toEqual(['open'])
    expect(project.it.context.scheduled.spending.windowTokens).toBe(600)
  })

  test('switched off, what was held is let go', () => {
    const project = projectWith()
    spend(project, 900)
    expect(held(project.apply(settingsWith()))).toEqual(['open'])
    expect(project.at('budget')).toBe('off')
  })
})

describe('claudeSubscription', () => {
  const subscribed = (given: Partial<BudgetSettings> = {}): AProject =>
    projectWith({ mode: 'claudeSubscription', ...given })
  const report = (project: AProject, fiveHour: number, weekly = 0, ago = 0): readonly unknown[] => {
    const { at } = project.it.context
    const event = {
      type: 'usage.reported',
      fiveHour: { usedPercent: fiveHour, resetsAt: at + 3 * hour },
      weekly: { usedPercent: weekly, resetsAt: at + 100 * hour },
      reportedAt: at - ago,
    }
    return held(project.it.send(event))
  }

  test('Project budget/account: the stricter of both windows holds (PROJECT-BUDGET-5)', () => {
    const project = subscribed()
    expect([report(project, 49), report(project, 10, 50), report(project, 80, 50), report(project, 0)]).toEqual([
      [],
      ['normalHeld'],
      ['allHeld'],
      ['open'],
    ])
  })

  test('each window may have a pair of its own; 0 inherits (PROJECT-BUDGET-13, PROJECT-BUDGET-14)', () => {
    const project = subscribed({ weekly: { proactivePercent: 90, emergencyPercent: 0 } })
    expect([report(project, 0, 89), report(project, 50, 89)]).toEqual([[], ['normalHeld']])
    // The weekly emergency inherits 80 and is raised to its own 90.
    expect(report(project, 0, 90)).toEqual(['allHeld'])
  })

  test('Project budget/stale: usage older than 90 minutes holds nothing (ADMISSION-5)', () => {
    const project = subscribed()
    report(project, 90)
    expect(project.it.timers()['budget']).toBe(90 * minute + 1)
    expect(held(project.it.fire('budget'))).toEqual(['open'])
    expect(report(subscribed(), 90, 0, 91 * minute)).toEqual([])
  })

  test('a window that resets lets go before that', () => {
    const project = subscribed()
    const { at } = project.it.context
    const soon = { usedPercent: 90, resetsAt: at + 10 * minute }
    project.it.send({
      type: 'usage.reported',
      fiveHour: soon,
      weekly: { usedPercent: 1, resetsAt: at + hour },
      reportedAt: at,
    })
    expect(project.it.timers()['budget']).toBe(10 * minute)
    expect(held(project.it.fire('budget'))).toEqual(['open'])
  })

  test('an older report says nothing beside a newer one', () => {
    const project = subscribed()
    report(project, 90)
    expect(report(project, 0, 0, minute)).toEqual([])
  })

  test('tokens are not metered', () => {
    expect(spend(subscribed(), 5000)).toEqual([])
  })
})
