import { HeadMovedError, NotMergeableError } from '../errors.ts'
import { isOurs, refusalOf } from '../transport/refusals.ts'

interface HttpFailure {
  readonly status?: number
  readonly cause?: unknown
  readonly message?: string
  readonly response?: { readonly data?: unknown }
}

/** What octokit threw, as one of the port's errors. */
export function failureOf(operation: string, error: unknown): Error {
  const { status, cause } = error as HttpFailure
  for (const known of [error, cause]) {
    if (isOurs(known)) return known
  }
  return refusalOf(operation, status, detailOf(error as HttpFailure), error)
}

/** The HTTP status behind one of the port's errors; undefined when there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error ? (error.cause as HttpFailure | undefined)?.status : undefined
}

/** PUT .../merge has words of its own: 405 not mergeable, 409 another head. */
export function mergeFailureOf(operation: string, error: unknown): Error {
  const failure = error as HttpFailure
  if (failure.status === 409) return new HeadMovedError(operation, detailOf(failure), error)
  if (failure.status === 405 || failure.status === 422)
    return new NotMergeableError(operation, detailOf(failure), error)
  return failureOf(operation, error)
}

interface ErrorBody {
  readonly message?: string
  readonly errors?: readonly (string | { readonly message?: string; readonly field?: string; readonly code?: string })[]
}

function detailOf({ response, message }: HttpFailure): string {
  const body = (response?.data ?? {}) as ErrorBody
  const errors = (Array.isArray(body.errors) ? body.errors : []).map((one) =>
    typeof one === 'string' ? one : (one.message ?? `${one.field ?? ''} ${one.code ?? ''}`.trim()),
  )
  return [body.message ?? message ?? 'refused', ...errors].join('; ').slice(0, 500)
}
