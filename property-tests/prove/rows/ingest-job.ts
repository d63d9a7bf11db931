/** The rows of an ingest job (INGEST-RULE, docs/rules.md). */
import { newIngestJob, type IngestJobContext, type ItemFault } from '../../../machines/ingest-job/context.ts'
import type { FileGroup, IngestJobEvent } from '../../../machines/ingest-job/events.ts'
import { Asking, leavesOf, type Mutable, type Rows } from './draft.ts'

type EventOf<T extends IngestJobEvent['type']> = Extract<IngestJobEvent, { type: T }>

const triesOfItem = 3
const faultsKept = 100
const patience = 60_000

class JobDraft extends Asking {
  readonly c: Mutable<IngestJobContext>
  state: string
  readonly delays: Record<string, number> = {}

  constructor(context: IngestJobContext, state: string) {
    super()
    this.c = { ...context }
    this.state = state
  }

  get group(): FileGroup | undefined {
    return this.c.groups[this.c.group]
  }

  /** What was asked for and has no answer yet is taken back when its state is left. */
  leave(): void {
    const asked = { queued: 'awaitLane', 'running.purging': 'purgeFile', 'running.storing': 'storeItem' }[this.state]
    if (asked !== undefined) this.withdraw(asked)
  }

  go(to: string): void {
    this.leave()
    this.state = to
  }

  store(): void {
    this.go('running.storing')
    const { id: job, repo, index } = this.c
    this.c.attempt += 1
    this.ask('storeItem', { job, repo, index, attempt: this.c.attempt })
    this.delays['itemTimeout'] = this.c.itemTimeoutMs ?? patience
  }

  rest(): void {
    this.go('running.resting')
    this.delays['retry'] = this.c.attempt === 1 ? 5000 : 10_000
  }

  keep(faults: readonly ItemFault[]): void {
    this.c.errors = [...this.c.errors, ...faults].slice(0, faultsKept)
  }

  /** An item fails alone. */
  fail(message: string): void {
    const { index, attempt: attempts } = this.c
    this.keep([{ index, message, attempts }])
    this.c.failed += 1
    this.nextItem()
  }

  nextItem(): void {
    Object.assign(this.c, { item: this.c.item + 1, index: this.c.index + 1, attempt: 0 })
  }

  nextGroup(): void {
    Object.assign(this.c, { group: this.c.group + 1, item: 0, isPurged: false, attempt: 0 })
  }

  end(state: 'succeeded' | 'failed', reason: string, at: number): void {
    this.go(state)
    Object.assign(this.c, { reason, finishedAt: at })
  }
}

/** A file's earlier memories go right before its items; files without items come first. */
function created(j: JobDraft, { repo, groups, itemTimeoutMs, at }: EventOf<'job.created'>): void {
  const isBare = ({ purges, items }: FileGroup): boolean => purges && items === 0
  Object.assign(j.c, newIngestJob(j.c.id), { repo, createdAt: at })
  j.c.groups = groups.toSorted((a, b) => Number(isBare(b)) - Number(isBare(a)))
  for (const { items } of groups) j.c.total += items
  if (itemTimeoutMs !== undefined) j.c.itemTimeoutMs = itemTimeoutMs
  j.state = 'queued'
  j.ask('awaitLane', { job: j.c.id, repo })
}

/** Its earlier memories stay, so nothing new comes beside them. */
function unpurged(j: JobDraft, message: string, at: number): void {
  const { items = 0 } = j.group ?? {}
  const first = j.c.index
  const lost = Array.from({ length: items }, (_, item) => ({ index: first + item, message, attempts: 0 }))
  j.keep(items === 0 ? [{ index: -1, message, attempts: 0 }] : lost)
  j.c.failed += items === 0 ? 1 : items
  j.c.index += items
  j.nextGroup()
  decide(j, at)
}

function decide(j: JobDraft, at: number): void {
  if (!j.group) return j.c.failed > 0 ? j.end('failed', 'items-failed', at) : j.end('succeeded', '', at)
  const { file, purges, items } = j.group
  if (purges && !j.c.isPurged) {
    j.go('running.purging')
    if (file !== null) j.ask('purgeFile', { job: j.c.id, repo: j.c.repo, file })
    return
  }
  if (j.c.item < items) return j.store()
  j.nextGroup()
  decide(j, at)
}

function stored(j: JobDraft, { outcome, purged = 0 }: EventOf<'item.stored'>): void {
  j.nextItem()
  j.c.purged += purged
  if (outcome === 'skipped') j.c.skipped += 1
  else j.c.stored += 1
}

/** Whether what comes next is looked at anew. */
function inRunning(j: JobDraft, event: IngestJobEvent): boolean {
  const isStoring = j.state === 'running.storing'
  switch (event.type) {
    case 'file.purged':
      if (j.state !== 'running.purging' || event.file !== j.group?.file) return false
      Object.assign(j.c, { isPurged: true, purged: j.c.purged + event.memories })
      return true
    case 'item.stored':
      if (j.state === 'running.purging' || event.index !== j.c.index) return false
      stored(j, event)
      return true
    case 'item.failed':
      if (!isStoring || event.index !== j.c.index || event.attempt !== j.c.attempt) return false
      if (j.c.attempt < triesOfItem) return (j.rest(), false)
      j.fail(event.message)
      return true
    case 'effect.failed':
      if (!isStoring || event.effect !== 'storeItem') return false
      j.fail(event.reason)
      return true
    default:
      return false
  }
}

function running(j: JobDraft, event: IngestJobEvent): void {
  const isUnpurged = j.state === 'running.purging' && event.type === 'effect.failed' && event.effect === 'purgeFile'
  if (isUnpurged) {
    j.leave()
    j.state = 'running.deciding'
    return unpurged(j, event.reason, event.at)
  }
  if (!inRunning(j, event)) return
  j.leave()
  j.state = 'running.deciding'
  decide(j, event.at)
}

function fired(j: JobDraft, type: string, at: number): void {
  if (type.startsWith('xstate.after.retry.')) return j.store()
  if (j.c.attempt < triesOfItem) return j.rest()
  j.fail('words')
  j.leave()
  j.state = 'running.deciding'
  decide(j, at)
}

function hear(j: JobDraft, event: IngestJobEvent): void {
  if (j.state === 'new') return event.type === 'job.created' ? created(j, event) : undefined
  if (event.type === 'job.cancelled') return j.end('failed', 'cancelled', event.at)
  if (j.state !== 'queued') return running(j, event)
  if (event.type !== 'job.admitted') return
  j.leave()
  j.state = 'running.deciding'
  j.c.startedAt = event.at
  decide(j, event.at)
}

const timers: Readonly<Record<string, readonly string[]>> = {
  'running.storing': ['itemTimeout'],
  'running.resting': ['retry'],
}

export const ingestJobRows: Rows = (before, event, id) => {
  const context = before ? (before.context as IngestJobContext) : newIngestJob(id)
  const [leaf = 'new'] = before ? leavesOf(before.value) : []
  const j = new JobDraft(context, leaf)
  if (event.type.startsWith('xstate.')) fired(j, event.type, event.at)
  else hear(j, event as unknown as IngestJobEvent)
  const armed = timers[j.state] ?? []
  const delays = Object.fromEntries(Object.entries(j.delays).filter(([name]) => armed.includes(name)))
  return { leaves: [j.state], context: j.c, effects: j.effects, timers: armed, delays }
}
