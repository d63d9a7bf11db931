/** What both forges mean by a status, as one of the port's errors. */
import { EffectNotHeldError } from '../../../runtime/errors.ts'
import {
  ConflictError,
  ForbiddenError,
  ForgeUnavailableError,
  NotFoundError,
  RateLimitedError,
  UnauthorizedError,
  ValidationError,
} from '../errors.ts'

/** `status` undefined: nobody answered. */
export function refusalOf(operation: string, status: number | undefined, detail: string, cause?: unknown): Error {
  if (status === 401) return new UnauthorizedError(operation, detail, cause)
  if (status === 403) return new ForbiddenError(operation, detail, cause)
  if (status === 404 || status === 410) return new NotFoundError(operation, detail, cause)
  if (status === 409) return new ConflictError(operation, detail, cause)
  if (status === 400 || status === 422) return new ValidationError(operation, detail, cause)
  if (status === undefined || status === 408 || status >= 500)
    return new ForgeUnavailableError(`${operation}: ${status ?? 'no answer'}`, { cause })
  return new ValidationError(operation, `${status} ${detail}`, cause)
}

/** Thrown on this side of the line, and to be heard as it was. */
export function isOurs(error: unknown): error is Error {
  return [RateLimitedError, ForgeUnavailableError, EffectNotHeldError].some((kind) => error instanceof kind)
}
