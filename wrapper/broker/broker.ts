import type { Fetch } from '../../http/ports.ts'
import { Problem, problemBody } from '../../http/problems/problem.ts'
import type { TokenSource } from '../../http/token-source.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { BackoffBounds } from '../../runtime/backoff.ts'
import { createOutage, type Outage } from '../../runtime/outage.ts'
import { sleep, type Clock } from '../clock.ts'
import type { BrokeredRequest } from '../tools/port.ts'
import type { WorkspaceState } from '../workspace/outside/workspace.ts'
import { isAllowed, isOutcome, type Caller, type Service } from './allowed-calls.ts'

export interface Upstream {
  readonly baseUrl: string
  /** Gives the bearer; the caller never sees it. */
  readonly token: TokenSource
  /** How long a service that nobody listens for is waited for. */
  readonly patienceMs: number
}

interface BrokerOptions {
  readonly caller: Caller
  readonly upstreams: Readonly<Partial<Record<Service, Upstream>>>
  readonly fetch: Fetch
  readonly clock: Clock
  /** A number in [0, 1), as `Math.random` gives it. */
  readonly random: () => number
  readonly logger: Logger
  readonly workspaceState: () => Promise<WorkspaceState>
}

export interface Broker {
  /** The service's answer, or the broker's own refusal as a problem. `path` may hold a query, and has no leading slash. */
  call(service: Service, path: string, request: BrokeredRequest): Promise<Response>
}

const pauses: BackoffBounds = { firstMs: 250, longestMs: 4000 }

/** Adds the bearer to the calls that the pod's profile may make; the second check after the model's own word. */
export function createBroker(options: BrokerOptions): Broker {
  const { clock, random, logger } = options
  const outageOf = (service: Service): Outage =>
    createOutage({
      clock: { elapsed: () => clock.now() },
      random,
      logger,
      failing: `the ${service} service does not answer a tool; the wrapper retries`,
      over: `the ${service} service answers tools again`,
      bounds: pauses,
    })
  const outages: Readonly<Record<Service, Outage>> = { operator: outageOf('operator'), memory: outageOf('memory') }
  return {
    call: async (service, path, request) => {
      try {
        return await forward(options, outages[service], service, path, request)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        return Response.json(problemBody(error), { status: error.status })
      }
    },
  }
}

async function forward(
  options: BrokerOptions,
  outage: Outage,
  service: Service,
  tail: string,
  { method, body, requestId, signal }: BrokeredRequest,
): Promise<Response> {
  const { caller, upstreams } = options
  const [path = ''] = tail.split('?', 1)
  if (!isAllowed(caller, service, method, path))
    throw new Problem(
      'tool-denied',
      `the profile ${caller.profile || '(none)'} may not call ${method} ${service}/${path}`,
    )
  const upstream = upstreams[service]
  if (!upstream) throw new Problem('not-found', `this pod has no ${service} service`)
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    // The orchestrator judges an outcome by what is not committed too, and only the wrapper can see that.
    ...(isOutcome(caller, service, method, path) ? { 'x-platform-workspace': await options.workspaceState() } : {}),
    ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
    authorization: `Bearer ${await upstream.token.token()}`,
  }
  const init: RequestInit = { method, headers, signal, redirect: 'manual', ...(body === undefined ? {} : { body }) }
  const response = await reach(options, outage, upstream, `${upstream.baseUrl}/${tail}`, init)
  if (response.status === 401) upstream.token.forget()
  return response
}

/** A refused connection has carried nothing, so the call is made again; after any other failure it may have been heard. */
async function reach(
  { fetch, clock }: BrokerOptions,
  outage: Outage,
  { patienceMs }: Upstream,
  url: string,
  init: RequestInit,
): Promise<Response> {
  const giveUpAt = clock.now() + patienceMs
  for (;;) {
    try {
      const answer = await fetch(url, init)
      outage.answered()
      return answer
    } catch (cause) {
      const leftMs = giveUpAt - clock.now()
      const isGivenUp = init.signal?.aborted === true
      const pauseMs = isGivenUp ? 0 : outage.failed(cause)
      if (!isRefused(cause) || isGivenUp || leftMs <= 0)
        throw new Problem('upstream-failed', 'the service behind this call could not be reached', { cause })
      await sleep(clock, Math.min(pauseMs, leftMs))
    }
  }
}

function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
}

/** The pod's own token doesn't change while the pod lives. */
export function fixedToken(token: string): TokenSource {
  return { token: () => Promise.resolve(token), forget: () => undefined }
}
