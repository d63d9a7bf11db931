/** The token budget, and what it holds back (PROJECT-BUDGET, docs/contract/resources.md). */
import type { Hold, Spending } from '../../../../machines/project/context.ts'
import type { BudgetSettings, ProjectEvent } from '../../../../machines/project/events.ts'
import type { ProjectDraft } from './draft.ts'

const believed = 90 * 60_000
const order: readonly Hold[] = ['open', 'normalHeld', 'allHeld']

function holdAt(percent: number, proactive: number, emergency: number): Hold {
  if (percent < proactive) return 'open'
  return percent >= Math.max(proactive, emergency) ? 'allHeld' : 'normalHeld'
}

function hasWindow({ mode, resetSchedule, windowMs }: BudgetSettings): boolean {
  return mode === 'customWindow' && (resetSchedule !== '' || windowMs > 0)
}

function holdOf(budget: BudgetSettings | undefined, { windowTokens, windowEnd, account }: Spending, at: number): Hold {
  if (!budget) return 'open'
  const { proactivePercent: proactive, emergencyPercent: emergency, tokenLimit } = budget
  if (budget.mode === 'customWindow')
    return tokenLimit === 0 || !hasWindow(budget) || windowEnd === null
      ? 'open'
      : holdAt((100 * windowTokens) / tokenLimit, proactive, emergency)
  if (account === null || account.reportedAt + believed < at) return 'open'
  const holds = (['fiveHour', 'weekly'] as const).map((name) => {
    const { usedPercent, resetsAt } = account[name]
    const own = budget[name]
    const percents = [own.proactivePercent || proactive, own.emergencyPercent || emergency] as const
    return order.indexOf(holdAt(resetsAt > at ? usedPercent : 0, ...percents))
  })
  return order[Math.max(...holds)]!
}

/** The queue hears of a change only. */
function judge(p: ProjectDraft, patch: Partial<Spending> = {}): void {
  const spending = { ...p.scheduled.spending, ...patch }
  const hold = holdOf(p.settings?.budget, spending, p.c.at)
  if (hold !== spending.hold) p.tellQueue('queue.budgeted', { state: hold })
  p.patchScheduled({ spending: { ...spending, hold } })
}

/** It has begun before its bounds are known: at the last boundary, or whole durations after it. */
function endWindow(p: ProjectDraft, boundary: number | null, last?: number): void {
  const { windowMs = 0 } = p.settings?.budget ?? {}
  let windowStart = last ?? p.scheduled.spending.windowStart ?? p.c.at
  if (last !== undefined && windowMs > 0) while (windowStart + windowMs <= p.c.at) windowStart += windowMs
  const ends = [boundary, windowMs > 0 ? windowStart + windowMs : null].filter((end) => end !== null)
  judge(p, { windowStart, windowEnd: ends.length === 0 ? null : Math.min(...ends) })
}

export function enter(p: ProjectDraft, to: string): void {
  p.at.budget = to
  if (to === 'metering') p.delays['budget.reset'] = Math.max(0, (p.scheduled.spending.windowEnd ?? p.c.at) - p.c.at)
  if (to === 'known') p.delays['budget.account'] = untilNews(p)
  const schedule = p.settings?.budget?.resetSchedule ?? ''
  if (to === 'off') judge(p, { windowStart: null, windowTokens: 0, windowEnd: null, account: null })
  if (to === 'planning' && schedule !== '')
    p.ask('planTick', { project: p.c.id, name: 'window', schedule, after: p.c.at })
  if (to === 'choosing') judge(p, { windowStart: p.c.at, windowTokens: 0, windowEnd: null })
}

/** To the next reset of what was reported, or to where it is believed no more. */
function untilNews(p: ProjectDraft): number {
  const { account } = p.scheduled.spending
  const ends = account ? [account.reportedAt + believed + 1, account.fiveHour.resetsAt, account.weekly.resetsAt] : []
  return Math.max(0, Math.min(...ends.filter((end) => end > p.c.at)) - p.c.at)
}

/** What the region does by itself; false: nothing. */
export function always(p: ProjectDraft): boolean {
  const budget = p.settings?.budget
  const state = p.at.budget
  const isWindow = budget?.mode === 'customWindow'
  if (state === 'off') {
    if (budget === undefined) return false
    enter(p, isWindow ? 'choosing' : 'unknown')
    return true
  }
  if (state === 'choosing') {
    const isBounded = budget !== undefined && hasWindow(budget)
    if (isBounded && budget.resetSchedule === '') endWindow(p, null)
    enter(p, !isBounded ? 'unbounded' : budget.resetSchedule === '' ? 'metering' : 'planning')
    return true
  }
  const isAccount = budget?.mode === 'claudeSubscription'
  const isRight = state === 'unknown' || state === 'known' ? isAccount : isWindow
  if (!isRight) enter(p, 'off')
  return !isRight
}

export function hear(p: ProjectDraft, event: ProjectEvent): void {
  const state = p.at.budget
  const { spending } = p.scheduled
  const isMetered = ['planning', 'metering', 'unbounded'].includes(state)
  if (event.type === 'usage.spent' && isMetered) judge(p, { windowTokens: spending.windowTokens + event.tokens })
  if (event.type === 'project.applied' && (state === 'metering' || state === 'known')) judge(p)
  if (event.type === 'project.applied' && state === 'unbounded') enter(p, 'choosing')
  if (event.type === 'usage.reported' && (state === 'unknown' || state === 'known')) {
    const { fiveHour, weekly, reportedAt } = event
    if (reportedAt < (spending.account?.reportedAt ?? 0)) return
    judge(p, { account: { fiveHour, weekly, reportedAt } })
    enter(p, 'known')
  }
  if (event.type !== 'tick.planned' && event.type !== 'tick.refused') return
  const isOurs = event.name === 'window' && event.schedule === p.settings?.budget?.resetSchedule
  if (state !== 'planning' || !isOurs) return
  const isTimed = (p.settings?.budget?.windowMs ?? 0) > 0
  if (event.type === 'tick.planned') endWindow(p, event.next, event.previous)
  else if (isTimed) endWindow(p, null)
  enter(p, event.type === 'tick.planned' || isTimed ? 'metering' : 'unbounded')
}

export function fire(p: ProjectDraft, timer: string): void {
  if (timer === 'reset') enter(p, 'choosing')
  if (timer !== 'account') return
  judge(p)
  enter(p, 'known')
}

export function timersOf({ at }: ProjectDraft): readonly string[] {
  return at.budget === 'metering' ? ['budget.reset'] : at.budget === 'known' ? ['budget.account'] : []
}
