import type { RateLimit } from '../github/rate-limit.ts'

/** The account of one user, in GitLab's headers. */
export function rateHeaders(account: RateLimit): Record<string, string> {
  return {
    'ratelimit-name': 'throttle_authenticated_api',
    'ratelimit-limit': String(account.limit),
    'ratelimit-observed': String(account.used),
    'ratelimit-remaining': String(Math.max(0, account.limit - account.used)),
    'ratelimit-reset': String(account.resetAt),
    'ratelimit-resettime': new Date(account.resetAt * 1_000).toUTCString(),
  }
}
