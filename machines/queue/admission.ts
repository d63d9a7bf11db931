/** Who gets a slot, and why the others wait (QUEUE-1 to QUEUE-3). */
import type { Hold } from '../model-key/context.ts'
import type { QueueContext, WaitingEntry } from './context.ts'

const agingStep = 2 * 60 * 60 * 1000

/** Distance of two priorities (QUEUE-2): an entry ages one class up per 2 h. */
const agingClass = 20

function urgency({ priority, enqueuedAt }: WaitingEntry, at: number): number {
  const steps = Math.floor(Math.max(0, at - enqueuedAt) / agingStep)
  return Math.max(Math.min(priority, 0), priority - steps * agingClass)
}

/** Alert pods have slots of their own: they never use normal ones, nor the reverse. */
function slots(context: QueueContext, entryClass: WaitingEntry['class']): number {
  return entryClass === 'alert' ? context.alertCapacity : Math.min(context.capacity, context.maxConcurrentAgents)
}

export function isPaused(context: QueueContext): boolean {
  return context.maxConcurrentAgents === 0 || context.pausedBy !== null
}

const withheld = {
  usage_limit: 'the usage limit of the key is reached',
  key_refused: 'the provider of the model refuses the key',
  no_credit: 'the account of the key has no credit',
} as const satisfies Readonly<Record<Hold['cause'], string>>

type Used = Record<WaitingEntry['class'], number>

/** Counted once for all that wait: who counts for each of thousands looks at millions. */
function usedOf(context: QueueContext): Used {
  const now = { normal: 0, alert: 0 }
  for (const entry of context.entries) if (entry.admittedAt !== null) now[entry.class] += 1
  return now
}

/** Which hold wins (QUEUE-7), then whether its class is full; null: it may be admitted. */
function holdOf(context: QueueContext, used: Used, entry: WaitingEntry): string | null {
  return holdOfProject(context) ?? holdOfKey(context, entry) ?? holdOfClass(context, used, entry)
}

function holdOfProject(context: QueueContext): string | null {
  if (context.closedReason !== null) return `project not ready: ${context.closedReason}`
  if (context.pausedBy !== null) return `paused by ${context.pausedBy.by}: ${context.pausedBy.reason}`
  return isPaused(context) ? 'paused' : null
}

/** All but the one that tries it. */
function holdOfKey({ hold, probe }: QueueContext, { entry }: WaitingEntry): string | null {
  if (hold === null || entry === probe) return null
  return `${withheld[hold.cause]}; one Task tries again at ${new Date(hold.until).toISOString()}`
}

function holdOfClass(context: QueueContext, used: Used, entry: WaitingEntry): string | null {
  if (context.budget === 'allHeld') return 'token budget: emergency'
  if (context.budget === 'normalHeld' && entry.class === 'normal') return 'token budget: proactive'
  return used[entry.class] < slots(context, entry.class) ? null : 'no free slot'
}

/** By urgency, then by arrival. */
function inOrder(context: QueueContext, at: number): readonly WaitingEntry[] {
  return context.entries
    .filter(({ admittedAt }) => admittedAt === null)
    .toSorted((a, b) => urgency(a, at) - urgency(b, at) || a.sequence - b.sequence)
}

interface Position {
  readonly entry: string
  /** From 1, among those of its class. */
  readonly position: number
  readonly reason: string
}

/** QueuedEvent.status `position` and `reason` of everything that waits. */
export function positions(context: QueueContext, at: number): readonly Position[] {
  const seen = { normal: 0, alert: 0 }
  const used = usedOf(context)
  return inOrder(context, at).map((waiting) => {
    seen[waiting.class] += 1
    return { entry: waiting.entry, position: seen[waiting.class], reason: holdOf(context, used, waiting) ?? 'next' }
  })
}

/** Whom nothing but the key holds back: the most urgent one tries it. */
export function nextProbe(context: QueueContext): WaitingEntry | undefined {
  const used = usedOf(context)
  return inOrder(context, context.at).find(
    (waiting) => (holdOfProject(context) ?? holdOfClass(context, used, waiting)) === null,
  )
}

interface Admitted {
  readonly context: QueueContext
  readonly admitted: readonly WaitingEntry[]
}

/** As many as fit, most urgent first; an entry that is held back holds back nobody of the other class. */
export function admit(context: QueueContext): Admitted {
  const used = usedOf(context)
  const admitted: WaitingEntry[] = []
  for (const waiting of inOrder(context, context.at)) {
    if (holdOf(context, used, waiting) !== null) continue
    admitted.push(waiting)
    used[waiting.class] += 1
  }
  if (admitted.length === 0) return { context, admitted }
  const names = new Set(admitted.map(({ entry }) => entry))
  const entries = context.entries.map((one) => (names.has(one.entry) ? { ...one, admittedAt: context.at } : one))
  return { context: { ...context, entries }, admitted }
}
