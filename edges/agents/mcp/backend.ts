import { withDeadline } from '../../../http/deadline.ts'
import { sleep, type Clock } from '../../../runtime/clock.ts'
import { CallRefused, type AgentCalls, type BrokeredRequest, type RefusedPush } from '../../../wrapper/tools/port.ts'
import type { IssueReport } from '../../../wrapper/issue-report.ts'
import type { ToolAnswer } from './tool-answer.ts'

/** The pod that this server runs in. */
interface PodIdentity {
  readonly task: string
  readonly project: string
  readonly profile: string
  /** Names of the Task's Repositories. */
  readonly repositories: readonly string[]
}

type Service = 'operator' | 'memory'

/** One call of a tool, while it goes on. */
export interface OngoingCall {
  /** The client gave it up: nothing more is asked. */
  readonly signal: AbortSignal
  /** Why it takes so long. */
  readonly report: (message: string) => void
}

/** The two REST interfaces, behind the wrapper's broker, which adds the credential that no tool ever has. */
export interface Backend {
  readonly pod: PodIdentity
  get(service: Service, path: string, query?: Readonly<Record<string, unknown>>): Promise<ToolAnswer>
  send(service: Service, method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<ToolAnswer>
  reportIssue(report: IssueReport): Promise<ToolAnswer>
  /** Asks the wrapper to push what is committed, before the forge is asked about it (TOOL-RULE-3). Answers what was refused. */
  push(): Promise<readonly RefusedPush[]>
}

/** A refusal of the platform, told to the model with what to repair. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
}

/** Answered as a normal result: it tells the agent what to do next (TOOL-OPEN-10). */
const guidance = ['approval-required']

export interface BackendOptions {
  readonly pod: PodIdentity
  readonly hasMemory: boolean
  readonly timeoutMs: number
  /** How long a platform that cannot be reached is waited for; every call here may be repeated. */
  readonly patienceMs: number
  readonly clock: Clock
  /** One for each call; its repeats have the same one, so that a lost answer is given again (OUTCOME-20). */
  readonly newId: () => string
}

/** A Project may go without one. */
const noMemory = 'this project has no memory service: go on without it'

/** What a broker says while the orchestrator behind it restarts. */
const unreachable = [502, 503, 504]
const firstWaitMs = 250
const longestWaitMs = 4000

interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly text: string
}

type Asked = Omit<BrokeredRequest, 'signal' | 'requestId'>
type Known = Omit<BrokeredRequest, 'signal'>

/** The REST side of one call of a tool, as far as the wrapper lets it go. */
export function brokeredBackend(options: BackendOptions, calls: AgentCalls, call: OngoingCall): Backend {
  /** Notes, outcomes and comments are recognised when they come again, so an unanswered call is simply repeated. */
  async function reach(service: Service, path: string, asked: Known, since: number, waitMs: number): Promise<Answer> {
    const answer = await withDeadline(options.clock, options.timeoutMs, async (signal): Promise<Answer> => {
      const response = await calls.ask(service, path, { ...asked, signal: AbortSignal.any([call.signal, signal]) })
      return { ok: response.ok, status: response.status, text: await response.text() }
    }).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
    if (answer instanceof CallRefused) throw answer
    if (call.signal.aborted) throw new ToolFailure('the call was cancelled; what it asked for may have happened')
    if (!(answer instanceof Error) && !unreachable.includes(answer.status)) return answer
    if (options.clock.now() - since < options.patienceMs) {
      call.report('the platform cannot be reached; trying again')
      await sleep(options.clock, waitMs, call.signal)
      return reach(service, path, asked, since, Math.min(waitMs * 2, longestWaitMs))
    }
    if (!(answer instanceof Error)) return answer
    throw new ToolFailure(`the platform did not answer (${answer.message}); try again in a moment`)
  }
  async function ask(service: Service, path: string, asked: Asked): Promise<ToolAnswer> {
    if (service === 'memory' && !options.hasMemory) throw new ToolFailure(noMemory)
    const known = { ...asked, requestId: options.newId() }
    const { ok, status, text } = await reach(service, path, known, options.clock.now(), firstWaitMs)
    const data = parse(text)
    if (ok && text === '') return { text: 'done', data: { status: 'ok' } }
    if (ok) return data === undefined ? { text } : { text: JSON.stringify(data, null, 2), data }
    if (data !== undefined && guidance.includes(String(data['code'])))
      return { text: JSON.stringify(data, null, 2), data }
    throw new ToolFailure(problemText(status, data, text))
  }
  return {
    pod: options.pod,
    get: async (service, path, query = {}) => ask(service, `${path}${toQuery(query)}`, { method: 'GET' }),
    send: async (service, method, path, body) =>
      ask(service, path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
    reportIssue: async (report) => {
      calls.reportIssue(report)
      const data = { recorded: true }
      return { text: JSON.stringify(data, null, 2), data }
    },
    push: () => calls.push(),
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
function problemText(status: number, problem: Record<string, unknown> | undefined, text: string): string {
  if (problem === undefined) return `the platform answered ${status}: ${text.slice(0, 500)}`
  const faults = Array.isArray(problem['errors']) ? (problem['errors'] as { path?: string; message?: string }[]) : []
  const rest = Object.entries(problem).filter(
    ([name]) => !['type', 'title', 'status', 'detail', 'code', 'requestId', 'request_id', 'errors'].includes(name),
  )
  return [
    `${String(problem['code'] ?? status)}: ${String(problem['detail'] ?? problem['title'] ?? '')}`,
    ...faults.map(({ path, message }) => `- ${path} ${message}`),
    ...rest.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  ].join('\n')
}
