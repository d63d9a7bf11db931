import { ForbiddenError, HeadMovedError, NotMergeableError, ValidationError } from '../errors.ts'
import { isOurs, refusalOf } from '../transport/refusals.ts'

/** An answer that is no success. */
export interface Refusal {
  readonly status: number
  readonly body: string
}

/** What was thrown instead of an answer: on this side of the line, to be heard as it was, or by a line that broke. */
export function silenceOf(operation: string, error: unknown): Error {
  return isOurs(error) ? error : refusalOf(operation, undefined, '', error)
}

/** GitLab's refusal as one of the port's errors. */
export function failureOf(operation: string, refusal: Refusal): Error {
  return refusalOf(operation, refusal.status, detailOf(refusal))
}

/** PUT .../merge has words of its own: 401 no right to merge, 405, 406 and 422 not mergeable, 409 another head. */
export function mergeFailureOf(operation: string, refusal: Refusal): Error {
  const detail = detailOf(refusal)
  if (refusal.status === 401) return new ForbiddenError(operation, detail)
  if (refusal.status === 409) return new HeadMovedError(operation, detail)
  if ([405, 406, 422].includes(refusal.status)) return new NotMergeableError(operation, detail)
  return failureOf(operation, refusal)
}

/** A second open merge request of one branch is a 409, and no conflict of two writes. */
export function openFailureOf(operation: string, refusal: Refusal): Error {
  return refusal.status === 409 ? new ValidationError(operation, detailOf(refusal)) : failureOf(operation, refusal)
}

/** `message` is a text, a list, or lists by field; OAuth's own refusals have `error` and `error_description`. */
function detailOf({ status, body }: Refusal): string {
  const { message, error_description, error } = objectIn(body)
  const words = [message, error_description, error].flatMap((one) => textsIn(one))
  return ([...new Set(words)].join('; ') || `refused with ${status}`).slice(0, 500)
}

function objectIn(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([field, words]) => `${field} ${textsIn(words).join(', ')}`.trim())
}
