/** The error's type decides what becomes of an effect (R7): `TerminalError` ends it, every other one is retried, and `AwayError` without end. */
interface ErrorDetails {
  readonly cause?: unknown
}

interface RetryDetails extends ErrorDetails {
  /** How long the other side asked us to wait. Such a wait is never counted as a failed attempt. */
  readonly retryAfterMs?: number
}

/** Ask again later. */
export class RetryableError extends Error {
  override readonly name: string = 'RetryableError'
  readonly retryAfterMs: number | undefined

  constructor(message: string, details: RetryDetails = {}) {
    super(message, { cause: details.cause })
    this.retryAfterMs = details.retryAfterMs
  }
}

/** Nobody answered, so nobody refused: however often that happens, it is no reason to give up (R7). */
export class AwayError extends RetryableError {
  override readonly name: string = 'AwayError'
}

interface TerminalDetails extends ErrorDetails {
  readonly words?: string
}

/** Asking again cannot help. The actor is told `reason`, a short constant, and `words` of the other side, fit for people. */
export class TerminalError extends Error {
  override readonly name: string = 'TerminalError'
  readonly reason: string
  readonly words: string | undefined

  constructor(reason: string, message: string = reason, details: TerminalDetails = {}) {
    super(message, { cause: details.cause })
    this.reason = reason
    this.words = details.words
  }
}

/** The inbox holds as much as it may; nothing was taken in. An HTTP edge answers 429 with `Retry-After`. */
export class OverloadedError extends RetryableError {
  override readonly name = 'OverloadedError'

  constructor(queued: number, retryAfterMs: number) {
    super(`${queued} events wait already`, { retryAfterMs })
  }
}

/** The store did not answer; whether the event was applied will be told by repeating it under its key (R3). */
export class StoreUnavailableError extends AwayError {
  override readonly name = 'StoreUnavailableError'
  /** An HTTP edge answers 503: nobody knows how long, and no target of effects is to blame. */
  readonly temporary = true
}

/** The runtime is stopping or was not started. */
export class RuntimeStoppedError extends AwayError {
  override readonly name = 'RuntimeStoppedError'
  readonly temporary = true
}

/** Another process may perform the effect by now (R5): nothing more is written for it here, and that counts as no attempt. */
export class EffectNotHeldError extends RetryableError {
  override readonly name = 'EffectNotHeldError'

  constructor(key: string) {
    super(`${key}: another process may perform it by now`)
  }
}

/** Another process owns the shard by now (R5). */
export class StaleLeaseError extends Error {
  override readonly name = 'StaleLeaseError'
}

/** An actor's row is not at the sequence number that the step started from. */
export class SequenceConflictError extends Error {
  override readonly name = 'SequenceConflictError'
}

/** A key of the batch is in the journal already (R3). */
export class DuplicateKeyError extends Error {
  override readonly name = 'DuplicateKeyError'
}

/** Another live process has the embedded store's folder open. */
export class StoreLockedError extends Error {
  override readonly name = 'StoreLockedError'
}

/** An applied migration is not what the file says now, or a file is missing. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/** An `AwayError`, or a store that says the same of itself: such a failure counts for nothing. */
export function isAway(error: unknown): boolean {
  return error instanceof AwayError || (error instanceof Error && 'temporary' in error && error.temporary === true)
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The system's or a driver's word for what failed, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
