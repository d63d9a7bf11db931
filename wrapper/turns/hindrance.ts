import type { Hindrance } from '../../machines/turn/schema.ts'
import { isoTime } from '../clock.ts'

/** What is looked at; nothing of it is text from the terminal. */
export interface Signs {
  /** A turn was accepted and has not ended. */
  readonly isRunning: boolean
  readonly lastOutputAt: number
  readonly failures: { readonly inRow: number; readonly status: number }
  readonly usageLimit: { readonly resetsAt?: string } | undefined
  /** Requests that the model has not answered whole, and what the streams of all of them brought until now. */
  readonly model: { readonly openRequests: number; readonly events: number; readonly pings: number }
}

/**
 * The CLI repaints at least every 370 ms while a turn runs (CLI-FACT-11): a screen that stands still is a dialog that waits
 * for a person. Measured on an idle machine, so a good deal more than that.
 */
const stillMs = 10_000

/** The API's limit of retries is ten, with pauses that double: one failure says nothing, three in a row do. */
const failuresWorthSaying = 3

/** A long thought may stream nothing for a minute; the provider pings meanwhile, and the CLI repaints. */
const silentMs = 120_000

/**
 * What keeps a turn from going on and shows nowhere else: no hook and no line of the transcript tells of the CLI's retries,
 * of a used-up window that it waits for, or of a dialog. It is made visible only; nothing is ended by it
 * (SESSION-4, WRAPPER-STALL-1).
 */
export class HindranceWatch {
  #current: Hindrance | undefined
  #silence: Silence | undefined

  get current(): Hindrance | undefined {
    return this.#current
  }

  /** True when this look found a hindrance that the one before had not. */
  look(signs: Signs, now: number): boolean {
    this.#silence = silenceOf(signs, now, this.#silence)
    const found = findHindrance(signs, this.#silence, now)
    const before = this.#current
    const isNew = found !== undefined && found.kind !== before?.kind
    this.#current = found && { ...found, since: found.since ?? (isNew || !before ? isoTime(now) : before.since) }
    return isNew
  }
}

/** Since when no request that is open brought more than pings, and the counts of then. */
interface Silence {
  readonly since: number
  readonly events: number
  readonly pings: number
}

function silenceOf({ isRunning, model }: Signs, now: number, before: Silence | undefined): Silence | undefined {
  const { openRequests, events, pings } = model
  if (!isRunning || openRequests === 0) return undefined
  return before?.events === events ? before : { since: now, events, pings }
}

/** `since` where it is known better than by the first look that found it. */
type Found = Omit<Hindrance, 'since'> & Partial<Pick<Hindrance, 'since'>>

function findHindrance(
  { isRunning, lastOutputAt, failures, usageLimit, model }: Signs,
  silence: Silence | undefined,
  now: number,
): Found | undefined {
  if (usageLimit && (isRunning || now < Date.parse(usageLimit.resetsAt ?? '')))
    return { kind: 'usage-limit', ...(usageLimit.resetsAt ? { resetsAt: usageLimit.resetsAt } : {}) }
  if (!isRunning) return undefined
  if (failures.inRow >= failuresWorthSaying)
    return { kind: 'model-retries', attempts: failures.inRow, status: failures.status }
  if (silence && now - silence.since >= silentMs)
    return { kind: 'model-silent', since: isoTime(silence.since), pings: model.pings - silence.pings }
  return now - lastOutputAt >= stillMs ? { kind: 'screen-still', since: isoTime(lastOutputAt) } : undefined
}
