/** How much of a forge's hourly limit is left, as its answers name it (ORCHESTRATOR-METRICS-14). */
import { createHash } from 'node:crypto'
import { Gauge, type Registry } from 'prom-client'
import type { Fetch } from '../../http/ports.ts'
import type { Clock } from '../../runtime/clock.ts'

interface Limit {
  readonly resource: string
  readonly limit: number
  readonly remaining: number
  readonly resetsAt: number
}

/** Those that docs.github.com names for what the adapter asks, "Rate limit". */
const resources: ReadonlySet<string> = new Set(['core', 'search', 'code_search', 'graphql'])

/** The same `fetch`, with the limits of its answers as gauges. Tokens stay apart, and the scarcest one of a resource shows. */
export function watchForgeLimits(registry: Registry, fetch: Fetch, clock: Pick<Clock, 'now'>): Fetch {
  /** By print of the token and resource. An installation has a new token each hour: a limit goes with its reset. */
  const known = new Map<string, Limit>()

  function scarcest(): ReadonlyMap<string, Limit> {
    const found = new Map<string, Limit>()
    for (const [key, limit] of known) {
      const other = found.get(limit.resource)
      if (limit.resetsAt <= clock.now()) known.delete(key)
      else if (other === undefined || limit.remaining < other.remaining) found.set(limit.resource, limit)
    }
    return found
  }

  const gauge = (name: string, help: string, read: (limit: Limit) => number): void => {
    const collect = function (this: Gauge<'resource'>): void {
      this.reset()
      for (const [resource, limit] of scarcest()) this.set({ resource }, read(limit))
    }
    registry.registerMetric(new Gauge({ name, help, labelNames: ['resource'], registers: [], collect }))
  }
  gauge(
    'operator_scm_requests_remaining',
    'Requests that the forge allows until its reset, of the token with the fewest.',
    ({ remaining }) => remaining,
  )
  gauge(
    'operator_scm_requests_limit',
    'Requests that the forge allows this token from reset to reset.',
    ({ limit }) => limit,
  )
  gauge(
    'operator_scm_requests_reset_seconds',
    'Time until the forge resets the limit of this token.',
    ({ resetsAt }) => (resetsAt - clock.now()) / 1000,
  )

  return async (input, init) => {
    const answer = await fetch(input, init)
    const limit = limitOf(answer.headers)
    if (limit !== undefined) {
      scarcest()
      known.set(`${printOf(input, init)} ${limit.resource}`, limit)
    }
    return answer
  }
}

/** GitHub's headers have an `x-` before them and a resource beside them; GitLab's (docs.gitlab.com, "Rate limits") have neither. */
function limitOf(headers: Headers): Limit | undefined {
  for (const prefix of ['x-ratelimit', 'ratelimit']) {
    const number = (name: string): number => Number(headers.get(`${prefix}-${name}`) ?? Number.NaN)
    const [limit, remaining, reset] = [number('limit'), number('remaining'), number('reset')]
    if (!Number.isFinite(limit + remaining + reset)) continue
    const resource = headers.get('x-ratelimit-resource') ?? 'core'
    return { resource: resources.has(resource) ? resource : 'other', limit, remaining, resetsAt: reset * 1000 }
  }
  return undefined
}

function printOf(input: Parameters<Fetch>[0], init: RequestInit | undefined): string {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
  return createHash('sha256')
    .update(headers.get('authorization') ?? headers.get('private-token') ?? '')
    .digest('hex')
}
