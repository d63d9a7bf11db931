import type { Hindrance } from '../../machines/turn/schema.ts'
import { isoTime } from '../clock.ts'

/** What is looked at; nothing of it is text from the terminal. */
export interface Signs {
  /** A turn was accepted and has not ended. */
  readonly isRunning: boolean
  readonly lastOutputAt: number
  readonly failures: { readonly inRow: number; readonly status: number }
  readonly usageLimit: { readonly resetsAt?: string } | undefined
}

/**
 * The CLI repaints at least every 370 ms while a turn runs (CLI-FACT-11): a screen that stands still is a dialog that waits
 * for a person. Measured on an idle machine, so a good deal more than that.
 */
const stillMs = 10_000

/** The API's limit of retries is ten, with pauses that double: one failure says nothing, three in a row do. */
const failuresWorthSaying = 3

/**
 * What keeps a turn from going on and shows nowhere else: no hook and no line of the transcript tells of the CLI's retries,
 * of a used-up window that it waits for, or of a dialog. It is made visible only; nothing is ended by it
 * (SESSION-4, WRAPPER-STALL-1).
 */
export class HindranceWatch {
  #current: Hindrance | undefined

  get current(): Hindrance | undefined {
    return this.#current
  }

  /** True when this look found a hindrance that the one before had not. */
  look(signs: Signs, now: number): boolean {
    const found = findHindrance(signs, now)
    const before = this.#current
    const isNew = found !== undefined && found.kind !== before?.kind
    this.#current = found && { ...found, since: isNew || !before ? since(found.kind, signs, now) : before.since }
    return isNew
  }
}

type Found = Omit<Hindrance, 'since'>

function findHindrance({ isRunning, lastOutputAt, failures, usageLimit }: Signs, now: number): Found | undefined {
  if (usageLimit && (isRunning || now < Date.parse(usageLimit.resetsAt ?? '')))
    return { kind: 'usage-limit', ...(usageLimit.resetsAt ? { resetsAt: usageLimit.resetsAt } : {}) }
  if (!isRunning) return undefined
  if (failures.inRow >= failuresWorthSaying)
    return { kind: 'model-retries', attempts: failures.inRow, status: failures.status }
  return now - lastOutputAt >= stillMs ? { kind: 'screen-still' } : undefined
}

function since(kind: Hindrance['kind'], signs: Signs, now: number): string {
  return isoTime(kind === 'screen-still' ? signs.lastOutputAt : now)
}
