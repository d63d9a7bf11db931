import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import type { RefusedCalls } from '../../machines/turn/schema.ts'
import { applyLedgerEvent, type Ledger, type LedgerEvent } from './ledger.ts'
import { applyRefusals, countRefusal, isJournaled, type RefusedCall } from './refused-calls.ts'

/** The ledger on disk: one JSON line an event, synced before it counts, so a restarted wrapper knows its turn keys. */
export class TurnJournal {
  readonly #file: number
  #ledger: Ledger
  #refusedCalls: RefusedCalls

  constructor(stateDir: string) {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 })
    const path = join(stateDir, 'turns.jsonl')
    const events = existsSync(path) ? readEvents(path) : []
    this.#ledger = events.reduce<Ledger>(applyLedgerEvent, [])
    this.#refusedCalls = events.reduce<RefusedCalls>(applyRefusals, [])
    this.#file = openSync(path, 'a', 0o600)
  }

  get ledger(): Ledger {
    return this.#ledger
  }

  /** Since the newest result. */
  get refusedCalls(): RefusedCalls {
    return this.#refusedCalls
  }

  callRefused(call: RefusedCall, at: string): void {
    this.#refusedCalls = countRefusal(this.#refusedCalls, call)
    if (isJournaled(this.#refusedCalls)) this.record({ type: 'calls.refused', at, calls: this.#refusedCalls })
  }

  record(event: LedgerEvent): void {
    appendFileSync(this.#file, `${JSON.stringify(event)}\n`)
    fsyncSync(this.#file)
    this.#ledger = applyLedgerEvent(this.#ledger, event)
    this.#refusedCalls = applyRefusals(this.#refusedCalls, event)
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** A crash may leave half a last line: it was never acknowledged to anyone, so it is cut off. */
function readEvents(path: string): readonly LedgerEvent[] {
  const text = readFileSync(path, 'utf8')
  const end = text.lastIndexOf('\n') + 1
  if (end < text.length) truncateSync(path, Buffer.byteLength(text.slice(0, end)))
  const lines = text.slice(0, end).split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as LedgerEvent)
}
