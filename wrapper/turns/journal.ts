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
import { applyLedgerEvent, type Ledger, type LedgerEvent } from './ledger.ts'

/** The ledger on disk: one JSON line an event, synced before it counts, so a restarted wrapper knows its turn keys. */
export class TurnJournal {
  readonly #file: number
  #ledger: Ledger

  constructor(stateDir: string) {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 })
    const path = join(stateDir, 'turns.jsonl')
    this.#ledger = existsSync(path) ? readLedger(path) : []
    this.#file = openSync(path, 'a', 0o600)
  }

  get ledger(): Ledger {
    return this.#ledger
  }

  record(event: LedgerEvent): void {
    appendFileSync(this.#file, `${JSON.stringify(event)}\n`)
    fsyncSync(this.#file)
    this.#ledger = applyLedgerEvent(this.#ledger, event)
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** A crash may leave half a last line: it was never acknowledged to anyone, so it is cut off. */
function readLedger(path: string): Ledger {
  const text = readFileSync(path, 'utf8')
  const end = text.lastIndexOf('\n') + 1
  if (end < text.length) truncateSync(path, Buffer.byteLength(text.slice(0, end)))
  const lines = text.slice(0, end).split('\n').filter(Boolean)
  return lines.reduce<Ledger>((ledger, line) => applyLedgerEvent(ledger, JSON.parse(line) as LedgerEvent), [])
}
