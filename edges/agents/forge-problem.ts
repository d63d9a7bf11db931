/** What a tool is told when the forge or the runtime cannot do what it asked: never a bare 500 (HTTP-6). */
import {
  OverloadedError,
  RetryableError,
  RuntimeStoppedError,
  StoreUnavailableError,
  TerminalError,
} from '../../runtime/errors.ts'
import { ConflictError, NotFoundError, NotMergeableError, RateLimitedError, ValidationError } from '../forge/errors.ts'
import { invalidInput, Problem } from '../../http/problems/problem.ts'

/** Anything else is returned as it came. */
export function problemOf(error: unknown): unknown {
  if (error instanceof RateLimitedError || error instanceof OverloadedError) return waitFor(error)
  if (error instanceof StoreUnavailableError || error instanceof RuntimeStoppedError)
    return new Problem('not-ready', '', { headers: { 'retry-after': '1' }, cause: error })
  if (error instanceof NotFoundError) return new Problem('not-found', error.message, { cause: error })
  if (error instanceof ValidationError) return invalidInput([{ path: '', message: error.message }])
  if (error instanceof ConflictError || error instanceof NotMergeableError)
    return new Problem('conflict', error.message, { cause: error })
  if (error instanceof RetryableError || error instanceof TerminalError)
    return new Problem('upstream-failed', error.message, { cause: error })
  return error
}

/** Where nobody said how long. */
const defaultWaitMs = 60_000

function waitFor(error: RetryableError): Problem {
  const seconds = Math.max(1, Math.ceil((error.retryAfterMs ?? defaultWaitMs) / 1000))
  return new Problem('too-many-requests', error.message, { headers: { 'retry-after': String(seconds) }, cause: error })
}
