/** What a model provider's bad day looks like on the wire (measured answers of the CLI: README of ../scenarios). */
import type { FaultKind, FaultStep } from '../scenarios/format.ts'

export interface ErrorAnswer {
  readonly status: number
  readonly type: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Undefined for the faults that are no HTTP error: they need the connection itself, or are an ordinary message. */
export function errorOf(fault: FaultStep, nowSeconds: number): ErrorAnswer | undefined {
  const answer = errors[fault.fault]
  if (answer === undefined) return undefined
  return { ...answer, message: fault.text ?? answer.message, headers: headersOf(fault, nowSeconds) }
}

const errors: Readonly<Partial<Record<FaultKind, Omit<ErrorAnswer, 'headers'>>>> = {
  overloaded: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
  rateLimit: { status: 429, type: 'rate_limit_error', message: 'This request would exceed the rate limit' },
  usageLimit: { status: 429, type: 'rate_limit_error', message: 'This request would exceed the account usage limit' },
  serverError: { status: 500, type: 'api_error', message: 'Internal server error' },
  badRequest: { status: 400, type: 'invalid_request_error', message: 'The request is invalid' },
  promptTooLong: {
    status: 400,
    type: 'invalid_request_error',
    message: 'prompt is too long: 220000 tokens > 200000 maximum',
  },
  keyRefused: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  noCredit: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  },
  forbidden: { status: 403, type: 'permission_error', message: 'This key may not use this model' },
}

/** A usage limit is told by the unified headers; the CLI then waits for the reset instead of retrying. */
function headersOf(fault: FaultStep, nowSeconds: number): Readonly<Record<string, string>> {
  const seconds = fault.seconds ?? 1
  if (fault.fault === 'rateLimit') return { 'retry-after': String(Math.ceil(seconds)) }
  if (fault.fault !== 'usageLimit') return {}
  const reset = String(Math.ceil(nowSeconds + seconds))
  return {
    'retry-after': String(Math.ceil(seconds)),
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': reset,
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-5h-status': 'rejected',
    'anthropic-ratelimit-unified-5h-utilization': '1',
    'anthropic-ratelimit-unified-5h-reset': reset,
  }
}
