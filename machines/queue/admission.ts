/** Who gets a slot, and why the others wait (QUEUE-1 to QUEUE-3). */
import type { QueueContext, WaitingEntry } from './context.ts'

const agingStep = 2 * 60 * 60 * 1000

/** Distance of two priorities (QUEUE-2): an entry ages one class up per 2 h. */
const agingClass = 20

function urgency({ priority, enqueuedAt }: WaitingEntry, at: number): number {
  const steps = Math.floor(Math.max(0, at - enqueuedAt) / agingStep)
  return Math.max(Math.min(priority, 0), priority - steps * agingClass)
}

function used(context: QueueContext, entryClass: WaitingEntry['class']): number {
  return context.entries.filter((entry) => entry.class === entryClass && entry.admittedAt !== null).length
}

/** Alert pods have slots of their own: they never use normal ones, nor the reverse. */
function slots(context: QueueContext, entryClass: WaitingEntry['class']): number {
  return entryClass === 'alert' ? context.alertCapacity : Math.min(context.capacity, context.maxConcurrentAgents)
}

export function isPaused(context: QueueContext): boolean {
  return context.maxConcurrentAgents === 0
}

/** Which hold wins (QUEUE-7), then whether its class is full; null: it may be admitted. */
function holdOf(context: QueueContext, entry: WaitingEntry): string | null {
  if (context.closedReason !== null) return `project not ready: ${context.closedReason}`
  if (isPaused(context)) return 'paused'
  if (context.budget === 'allHeld') return 'token budget: emergency'
  if (context.budget === 'normalHeld' && entry.class === 'normal') return 'token budget: proactive'
  return used(context, entry.class) < slots(context, entry.class) ? null : 'no free slot'
}

/** By urgency, then by arrival. */
function inOrder(context: QueueContext, at: number): readonly WaitingEntry[] {
  return context.entries
    .filter(({ admittedAt }) => admittedAt === null)
    .toSorted((a, b) => urgency(a, at) - urgency(b, at) || a.sequence - b.sequence)
}

export interface Position {
  readonly entry: string
  /** From 1, among those of its class. */
  readonly position: number
  readonly reason: string
}

/** QueuedEvent.status `position` and `reason` of everything that waits. */
export function positions(context: QueueContext, at: number): readonly Position[] {
  const seen = { normal: 0, alert: 0 }
  return inOrder(context, at).map((waiting) => {
    seen[waiting.class] += 1
    return { entry: waiting.entry, position: seen[waiting.class], reason: holdOf(context, waiting) ?? 'next' }
  })
}

interface Admitted {
  readonly context: QueueContext
  readonly admitted: readonly WaitingEntry[]
}

/** As many as fit, most urgent first; an entry that is held back holds back nobody of the other class. */
export function admit(context: QueueContext): Admitted {
  let now = context
  const admitted: WaitingEntry[] = []
  for (const waiting of inOrder(context, context.at)) {
    if (holdOf(now, waiting) !== null) continue
    admitted.push(waiting)
    now = {
      ...now,
      entries: now.entries.map((one) => (one.entry === waiting.entry ? { ...one, admittedAt: context.at } : one)),
    }
  }
  return { context: now, admitted }
}
