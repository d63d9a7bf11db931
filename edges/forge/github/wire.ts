import type { ForgeWire } from '../transport/adapter.ts'

/**
 * docs.github.com, "Rate limits for the REST API": a secondary limit of 900 points a minute; the primary one, 5000 requests an
 * hour, closes by header. "Best practices for using the REST API": a renamed repository is redirected to `/repositories/{id}`.
 */
export const githubWire: ForgeWire = {
  limits: {
    statuses: [403, 429],
    remaining: 'x-ratelimit-remaining',
    reset: 'x-ratelimit-reset',
    words: /secondary rate limit|abuse detection mechanism/i,
  },
  repositories: {
    named: /^(?<base>.*)\/repos\/[^/]+\/[^/]+(?<tail>\/.*)?$/,
    byId: /^(?<base>.*)\/repositories\/(?<id>\d+)(?<tail>\/.*)?$/,
    template: '/repos/{owner}/{repo}',
  },
  rate: { burst: 100, perSecond: 15 },
}
