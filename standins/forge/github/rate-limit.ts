/** The primary limit: so many requests an hour per user, shown in the headers of every answer. */
export interface RateLimit {
  readonly limit: number
  used: number
  /** Seconds since the epoch. */
  resetAt: number
}

export interface RateLimits {
  /** The account as it stands, its hour begun anew when over. */
  of(who: string): RateLimit
}

const HOUR_SECONDS = 3_600
const ANONYMOUS_LIMIT = 60

export function createRateLimits(limit: number, clock: () => number): RateLimits {
  const accounts = new Map<string, RateLimit>()
  return {
    of(who) {
      const now = Math.floor(clock() / 1000)
      const known = accounts.get(who)
      if (known && known.resetAt > now) return known
      const fresh = { limit: who === '' ? ANONYMOUS_LIMIT : limit, used: 0, resetAt: now + HOUR_SECONDS }
      accounts.set(who, fresh)
      return fresh
    },
  }
}

export function rateHeaders(account: RateLimit): Record<string, string> {
  return {
    'x-ratelimit-limit': String(account.limit),
    'x-ratelimit-remaining': String(Math.max(0, account.limit - account.used)),
    'x-ratelimit-used': String(account.used),
    'x-ratelimit-reset': String(account.resetAt),
    'x-ratelimit-resource': 'core',
  }
}

export function ratePayload(account: RateLimit): Record<string, unknown> {
  const core = {
    limit: account.limit,
    used: account.used,
    remaining: Math.max(0, account.limit - account.used),
    reset: account.resetAt,
  }
  return { resources: { core, search: core, graphql: core }, rate: core }
}
