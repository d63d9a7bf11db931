import type { Batch } from './batch.ts'
import type { CommittedBatch, RuntimeObserver } from '../observer.ts'

type Reported = Pick<Batch, 'commit' | 'effects'>
type Figures = Pick<CommittedBatch, 'items' | 'durationMs' | 'queued' | 'waitedMs'>

/** Tells the observer of a commit, in whole and by what is worth counting in it. */
export function reportBatch(observer: RuntimeObserver, { commit, effects }: Reported, figures: Figures): void {
  const { events, snapshots, deadLetters, updated } = commit
  let bytes = 0
  for (const { actor, body, effects: decided, fault } of events) {
    bytes += body.length + decided.length
    if (fault !== null) observer.stepFault(kindOf(actor))
  }
  for (const { actor, body } of snapshots) observer.snapshotWritten(kindOf(actor), body.length)
  for (const { actor } of deadLetters) observer.deadLetter(kindOf(actor))
  for (const { status, kind } of updated) if (status === 'quarantined') observer.quarantined(kind)
  observer.batchCommitted({ steps: events.length, effects: effects.length, bytes, ...figures })
}

function kindOf(address: string): string {
  return address.slice(0, address.indexOf(':'))
}
