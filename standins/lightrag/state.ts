/** What a LightRAG server remembers, and how its pipeline works on it: the parts of both generations that callers meet. */
import { createHash } from 'node:crypto'
import { modelMarks } from './model.ts'

export type Generation = '1.4' | '1.5'

export interface Record {
  id: string
  readonly source: string
  readonly text: string
  status: 'pending' | 'processing' | 'processed' | 'failed'
  readonly trackId: string
  fault: string | null
  readonly metadata: object
  /** Entities that the extraction gave. */
  entities: readonly string[]
}

export class LightRagState {
  readonly generation: Generation
  readonly records = new Map<string, Record>()
  readonly calls: string[] = []
  /** The pipeline stays where it is until told otherwise. */
  isHeld = false
  /** It died in the midst of its work: what it had accepted stays as it is until somebody wakes it. */
  isStopped = false
  /** Extraction of marked texts fails, as long as this is so. */
  isModelBroken = true
  isDeleting = false
  /** How long a deletion takes. */
  deletionMs = 20
  #count = 0

  constructor(generation: Generation) {
    this.generation = generation
  }

  get isBusy(): boolean {
    return this.isDeleting || (!this.isStopped && [...this.records.values()].some((one) => isWaiting(one)))
  }

  newTrack(): string {
    return `insert_20261121_000000_${String(++this.#count).padStart(8, '0')}`
  }

  add(source: string, text: string, trackId: string): void {
    const id = `doc-${hash(this.generation === '1.5' ? source : text)}`
    this.records.set(id, { id, source, text, status: 'pending', trackId, fault: null, metadata: {}, entities: [] })
    this.isStopped = false
    this.work()
  }

  addRefusal(source: string, text: string, trackId: string, original: Record, kind: string): void {
    const metadata = {
      is_duplicate: true,
      duplicate_kind: kind,
      original_doc_id: original.id,
      original_track_id: original.trackId,
    }
    const id = `dup-${hash(`${source}${trackId}`)}`
    const fault = `Identical content already exists under another filename. Original doc_id: ${original.id}`
    this.records.set(id, { id, source, text, status: 'failed', trackId, fault, metadata, entities: [] })
  }

  bySource(source: string): Record | undefined {
    return this.#real().find((one) => one.source === source)
  }

  byText(text: string): Record | undefined {
    return this.#real().find((one) => one.text === text)
  }

  #real(): Record[] {
    return [...this.records.values()].filter((one) => !one.id.startsWith('dup-'))
  }

  /** One record after another, a turn of the event loop each. */
  work(): void {
    setImmediate(() => {
      if (this.isHeld || this.isStopped) return
      const next = [...this.records.values()].find(isWaiting)
      if (!next) return
      if (next.status === 'pending') next.status = 'processing'
      else this.#finish(next)
      this.work()
    })
  }

  #finish(record: Record): void {
    if (this.isModelBroken && record.text.includes(modelMarks.refuse)) {
      record.status = 'failed'
      record.fault = `C[1/1]: ${record.id}-chunk-000: BadRequestError: Error code: 400 - the model refuses`
      return
    }
    record.status = 'processed'
    record.entities = record.text.includes(modelMarks.prose) ? [] : namesOf(record.text)
  }

  /** All that had failed is worked on again, and all that lay still. */
  reprocess(): void {
    this.isStopped = false
    for (const one of this.#real()) if (one.status === 'failed') one.status = 'pending'
    this.work()
  }

  /** False: it is busy, and nothing was queued. */
  delete(ids: readonly string[]): boolean {
    if (this.isBusy) return false
    this.isDeleting = true
    setTimeout(() => {
      for (const id of ids) this.records.delete(id)
      this.isDeleting = false
    }, this.deletionMs)
    return true
  }

  processed(): Record[] {
    return this.#real().filter((one) => one.status === 'processed')
  }
}

function isWaiting(record: Record): boolean {
  return record.status === 'pending' || record.status === 'processing'
}

export function namesOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b/g)].map(([name]) => name))]
}

function hash(text: string): string {
  return createHash('md5').update(text).digest('hex')
}
