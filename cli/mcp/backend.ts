import { sleep, type Clock } from '../../runtime/clock.ts'
import type { ToolAnswer } from './tool.ts'

/** The pod that this server runs in. */
export interface PodIdentity {
  readonly task: string
  readonly project: string
  readonly profile: string
}

/** One call of a tool, while it goes on. */
export interface OngoingCall {
  /** The client gave it up: nothing more is asked. */
  readonly signal: AbortSignal
  /** Why it takes so long. */
  readonly tell: (message: string) => void
}

/** The two REST interfaces, behind the wrapper's broker, which adds the credential that this process never has. */
export interface Backend {
  readonly pod: PodIdentity
  get(service: 'operator' | 'memory', path: string, query?: Readonly<Record<string, unknown>>): Promise<ToolAnswer>
  send(
    service: 'operator' | 'memory',
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<ToolAnswer>
  reportIssue(body: unknown): Promise<ToolAnswer>
  /** Asks the wrapper to push what is committed, before the forge is asked about it (rulings 3.34). */
  push(): Promise<void>
}

/** A refusal of the platform, told to the model with what to repair. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
}

/** Answered as a normal result: it tells the agent what to do next (document 2, creating merge requests 3). */
const guidance = ['approval-required']

export interface BackendOptions {
  readonly pod: PodIdentity
  readonly operatorUrl: string
  readonly memoryUrl: string
  readonly internalUrl: string
  readonly fetch: typeof globalThis.fetch
  readonly timeoutMs: number
  /** How long a platform that cannot be reached is waited for; every call here may be repeated. */
  readonly patienceMs: number
  readonly clock: Clock
  /** For the report of a platform so broken that even the wrapper cannot be reached: one line. */
  readonly logError: (line: string) => void
}

/** A Project may go without a memory service, and a pod's start may have failed half way. */
const absent = {
  operator: 'this pod cannot reach the orchestrator; report it with report_internal_issue and end your turn',
  memory: 'this project has no memory service: go on without it',
}

/** What a broker says while the orchestrator behind it restarts. */
const unreachable = [502, 503, 504]
const firstWaitMs = 250
const longestWaitMs = 4000

export function httpBackend(options: BackendOptions, call: OngoingCall): Backend {
  /** Notes, outcomes and comments are recognised when they come again, so an unanswered call is simply repeated. */
  async function reach(url: string, init: RequestInit, since: number, waitMs: number): Promise<Response> {
    const response = await options
      .fetch(url, { ...init, signal: AbortSignal.any([call.signal, AbortSignal.timeout(options.timeoutMs)]) })
      .catch((error: unknown) => error as Error)
    if (call.signal.aborted) throw new ToolFailure('the call was cancelled; what it asked for may have happened')
    if (response instanceof Response && !unreachable.includes(response.status)) return response
    if (options.clock.now() - since < options.patienceMs) {
      call.tell('the platform cannot be reached; trying again')
      await sleep(options.clock, waitMs, call.signal)
      return reach(url, init, since, Math.min(waitMs * 2, longestWaitMs))
    }
    if (response instanceof Response) return response
    throw new ToolFailure(`the platform did not answer (${response.message}); try again in a moment`)
  }
  async function ask(url: string, init: RequestInit): Promise<ToolAnswer> {
    const response = await reach(url, init, options.clock.now(), firstWaitMs)
    const text = await response.text()
    const data = parse(text)
    if (response.ok && text === '') return { text: 'done', data: { status: 'ok' } }
    if (response.ok) return data === undefined ? { text } : { text: JSON.stringify(data, null, 2), data }
    if (data !== undefined && guidance.includes(String(data['code'])))
      return { text: JSON.stringify(data, null, 2), data }
    throw new ToolFailure(sayProblem(response.status, data, text))
  }
  function urlOf(service: 'operator' | 'memory', path: string): string {
    const base = service === 'operator' ? options.operatorUrl : options.memoryUrl
    if (base === '') throw new ToolFailure(absent[service])
    return `${base}/${path}`
  }
  const json = { 'content-type': 'application/json' }
  return {
    pod: options.pod,
    get: async (service, path, query = {}) => ask(`${urlOf(service, path)}${toQuery(query)}`, { method: 'GET' }),
    send: async (service, method, path, body) =>
      ask(urlOf(service, path), {
        method,
        ...(body === undefined ? {} : { headers: json, body: JSON.stringify(body) }),
      }),
    reportIssue: async (body) => {
      const report = { method: 'POST', headers: json, body: JSON.stringify(body) }
      try {
        if (options.internalUrl === '') throw new ToolFailure('no wrapper')
        return await ask(`${options.internalUrl}/internal/report-issue`, report)
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error
        options.logError(
          JSON.stringify({ level: 'error', msg: 'internal issue reported by the agent', ...Object(body) }),
        )
        return { text: 'recorded', data: { recorded: true } }
      }
    },
    push: async () => {
      await ask(`${options.internalUrl}/internal/push`, { method: 'POST' })
    },
  }
}

function toQuery(query: Readonly<Record<string, unknown>>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value))
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Code, detail and every listed fault: all that the model needs to repair its call. */
function sayProblem(status: number, problem: Record<string, unknown> | undefined, text: string): string {
  if (problem === undefined) return `the platform answered ${status}: ${text.slice(0, 500)}`
  const faults = Array.isArray(problem['errors']) ? (problem['errors'] as { path?: string; message?: string }[]) : []
  const rest = Object.entries(problem).filter(
    ([name]) => !['type', 'title', 'status', 'detail', 'code', 'requestId', 'errors'].includes(name),
  )
  return [
    `${String(problem['code'] ?? status)}: ${String(problem['detail'] ?? problem['title'] ?? '')}`,
    ...faults.map(({ path, message }) => `- ${path} ${message}`),
    ...rest.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  ].join('\n')
}
