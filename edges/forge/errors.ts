/**
 * What a forge can answer instead of the thing asked for. The class decides the retry (R7): a limit or an outage is
 * asked again however long it lasts, everything else is final. `operation` says what was tried, never with a body or a token in it.
 */
import { quoted } from './standing/text.ts'
import { AwayError, RetryableError, TerminalError } from '../../runtime/errors.ts'

export type LimitType = 'primary' | 'secondary' | 'bucket'

/** FORGE-BUDGET-4: a typed rate-limit error requeues, it never fails a Task. */
export class RateLimitedError extends RetryableError {
  override readonly name = 'RateLimitedError'
  readonly limitType: LimitType

  constructor(operation: string, limitType: LimitType, retryAfterMs: number) {
    super(`${operation}: the forge's ${limitType} limit is reached`, { retryAfterMs })
    this.limitType = limitType
  }
}

/** No answer, or a 5xx or 408, which say as much: the write may have happened. Look before repeating. */
export class ForgeUnavailableError extends AwayError {
  override readonly name = 'ForgeUnavailableError'
}

/** An answer that breaks its schema: the forge's trouble of this moment (a proxy's page, a half-done upgrade), asked again. */
export class BrokenAnswerError extends AwayError {
  override readonly name = 'BrokenAnswerError'
}

export class UnauthorizedError extends TerminalError {
  override readonly name = 'UnauthorizedError'
  constructor(operation: string, detail: string, cause?: unknown) {
    super('forge-unauthorized', `${operation}: ${detail}`, { cause, words: quoted(detail) })
  }
}

export class ForbiddenError extends TerminalError {
  override readonly name = 'ForbiddenError'
  constructor(operation: string, detail: string, cause?: unknown) {
    super('forge-forbidden', `${operation}: ${detail}`, { cause, words: quoted(detail) })
  }
}

export class NotFoundError extends TerminalError {
  override readonly name = 'NotFoundError'
  constructor(operation: string, detail: string, cause?: unknown) {
    super('forge-not-found', `${operation}: ${detail}`, { cause, words: quoted(detail) })
  }
}

export class ValidationError extends TerminalError {
  override readonly name = 'ValidationError'
  constructor(operation: string, detail: string, cause?: unknown) {
    super('forge-invalid', `${operation}: ${detail}`, { cause, words: quoted(detail) })
  }
}

export class ConflictError extends TerminalError {
  override readonly name: string = 'ConflictError'
  constructor(operation: string, detail: string, cause?: unknown) {
    super('forge-conflict', `${operation}: ${detail}`, { cause, words: quoted(detail) })
  }
}

/** The head is no longer the sha that the merge was pinned to. */
export class HeadMovedError extends ConflictError {
  override readonly name = 'HeadMovedError'
}

/** The forge refuses this merge as things stand: conflict, protection, method, draft. `detail` is its own words. */
export class NotMergeableError extends TerminalError {
  override readonly name = 'NotMergeableError'
  readonly detail: string
  constructor(operation: string, detail: string, cause?: unknown) {
    super('forge-not-mergeable', `${operation}: ${detail}`, { cause, words: quoted(detail) })
    this.detail = detail
  }
}
