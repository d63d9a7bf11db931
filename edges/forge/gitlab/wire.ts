import type { ForgeWire } from '../transport/adapter.ts'

/**
 * docs.gitlab.com, "Rate limits" and "GitLab.com settings": 429 alone means a limit, and gitlab.com lets a token ask 2000 times a
 * minute. "REST API": a project that moved is redirected to its id, in the place of its path.
 */
export const gitlabWire: ForgeWire = {
  limits: { statuses: [429], remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' },
  repositories: {
    named: /^(?<base>.*)\/projects\/[^/]+(?<tail>\/.*)?$/,
    byId: /^(?<base>.*)\/projects\/(?<id>\d+)(?<tail>\/.*)?$/,
    template: '/projects/{path}',
  },
  rate: { burst: 100, perSecond: 15 },
}
