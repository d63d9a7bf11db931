/**
 * The token budget as a hold on admission (PROJECT-BUDGET-6, PROJECT-BUDGET-7): `proactivePercent` pauses the normal pool,
 * `emergencyPercent` the alert pool too. Usage that nobody knows, or not any more, holds nothing: the gate fails open.
 */
import type { Hold, ProjectContext, Scheduled, Spending } from './context.ts'
import type { AccountWindow } from '../event.ts'
import type { BudgetSettings } from './events.ts'

const minute = 60_000

/** ADMISSION-5: what an account was told to have used is believed for this long. */
export const accountBelievedMs = 90 * minute

interface Percents {
  readonly proactivePercent: number
  readonly emergencyPercent: number
}

const severity = { open: 0, normalHeld: 1, allHeld: 2 } as const satisfies Readonly<Record<Hold, number>>

function holdAt(percent: number, { proactivePercent, emergencyPercent }: Percents): Hold {
  // Raised to the proactive one if lower: alerts are never paused before the rest.
  if (percent >= Math.max(proactivePercent, emergencyPercent)) return 'allHeld'
  return percent >= proactivePercent ? 'normalHeld' : 'open'
}

/** 0 inherits: each window of the subscription may have a pair of its own. */
function inherit(own: Percents, { proactivePercent, emergencyPercent }: Percents): Percents {
  return {
    proactivePercent: own.proactivePercent || proactivePercent,
    emergencyPercent: own.emergencyPercent || emergencyPercent,
  }
}

function strictest(one: Hold, other: Hold): Hold {
  return severity[one] >= severity[other] ? one : other
}

/** A window that has been reset since is empty. */
function usedOf({ usedPercent, resetsAt }: AccountWindow, at: number): number {
  return resetsAt <= at ? 0 : usedPercent
}

function holdOfAccount(budget: BudgetSettings, { account }: Spending, at: number): Hold {
  if (account === null || at - account.reportedAt > accountBelievedMs) return 'open'
  return strictest(
    holdAt(usedOf(account.fiveHour, at), inherit(budget.fiveHour, budget)),
    holdAt(usedOf(account.weekly, at), inherit(budget.weekly, budget)),
  )
}

/** A limit without a window would hold for ever, once reached. */
export function hasWindow({ mode, resetSchedule, windowMs }: BudgetSettings): boolean {
  return mode === 'customWindow' && (resetSchedule !== '' || windowMs > 0)
}

/** A schedule that was refused gives no window, and what it counts would never be reset. */
function holdOfWindow(budget: BudgetSettings, { windowTokens, windowEnd }: Spending): Hold {
  if (budget.tokenLimit === 0 || !hasWindow(budget) || windowEnd === null) return 'open'
  return holdAt((windowTokens / budget.tokenLimit) * 100, budget)
}

export function holdOf(budget: BudgetSettings | undefined, spending: Spending, at: number): Hold {
  if (budget === undefined) return 'open'
  return budget.mode === 'customWindow' ? holdOfWindow(budget, spending) : holdOfAccount(budget, spending, at)
}

/** When what is known may say something else by itself: a reset, or the end of belief. */
export function accountChangesIn({ at, scheduled }: ProjectContext): number {
  const account = scheduled?.spending.account
  if (!account) return accountBelievedMs
  const ends = [account.reportedAt + accountBelievedMs + 1, account.fiveHour.resetsAt, account.weekly.resetsAt]
  return Math.max(0, Math.min(...ends.filter((end) => end > at)) - at)
}

/** A new window, from now: it counts at once, and nobody knows yet where it ends. */
export function openWindow(scheduled: Scheduled, at: number): Scheduled {
  return { ...scheduled, spending: { ...scheduled.spending, windowStart: at, windowTokens: 0, windowEnd: null } }
}

/** Ticks of `resetSchedule` around now: the next one, and the last one where the answer names it. */
interface Boundaries {
  readonly next: number
  readonly previous?: number
}

/**
 * A window starts at the last boundary (PROJECT-BUDGET-10), whenever the budget was applied. `windowDuration` divides the
 * time from that boundary on (PROJECT-BUDGET-11).
 */
export function boundWindow(scheduled: Scheduled, at: number, boundaries: Boundaries | null): Scheduled {
  const { spending, settings } = scheduled
  const { windowMs = 0 } = settings.budget ?? {}
  const start = startOf(spending.windowStart ?? at, at, windowMs, boundaries?.previous)
  const ends = [...(boundaries === null ? [] : [boundaries.next]), ...(windowMs > 0 ? [start + windowMs] : [])]
  const windowEnd = ends.length === 0 ? null : Math.min(...ends)
  return { ...scheduled, spending: { ...spending, windowStart: start, windowEnd } }
}

function startOf(begun: number, at: number, windowMs: number, previous: number | undefined): number {
  if (previous === undefined) return begun
  return windowMs > 0 ? previous + Math.floor((at - previous) / windowMs) * windowMs : previous
}
