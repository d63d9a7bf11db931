import type { Logger } from '../../http/operational/logging.ts'
import type { CallRefusal, FailedPush } from '../../machines/turn/schema.ts'
import type { Attestor } from '../attestation/attestor.ts'
import type { Registered } from '../attestation/registry.ts'
import type { Broker } from '../broker/broker.ts'
import type { IssueReport } from '../issue-report.ts'
import type { WrapperMetrics } from '../metrics.ts'
import type { RefusedCall } from '../turns/refused-calls.ts'
import { CallRefused, type AgentCalls, type AskedCall, type ToolRunner } from './port.ts'

export interface ToolRunnerOptions {
  readonly attestor: Attestor
  readonly broker: Broker
  readonly push: () => Promise<readonly FailedPush[]>
  readonly task: string
  readonly metrics: Pick<WrapperMetrics, 'toolCallRefused'>
  readonly logger: Logger
  /** For the turn's result: what was refused, never with which arguments. */
  readonly onRefusal: (call: RefusedCall) => void
}

const reasons: Readonly<Record<CallRefusal, string>> = {
  'no-turn': 'no turn runs',
  'no-block': 'the model did not make this call in this turn',
  'other-tool': 'the model called another tool under this id',
  'other-arguments': 'the model gave other arguments',
  'too-deep': 'its arguments nest too deep to compare',
}

/** The one way to act in the agent's name: a call of a tool, spent against the block by which the model asked for it. */
export function createToolRunner(options: ToolRunnerOptions): ToolRunner {
  const { attestor } = options
  // Kept as long as the registry keeps the block: until the turn is over.
  const answers = new WeakMap<Registered, Promise<unknown>>()
  return {
    perform<Answer>(asked: AskedCall, run: (calls: AgentCalls) => Promise<Answer>): Promise<Answer> {
      const verdict = attestor.spend(asked)
      if (verdict.kind === 'refused') return Promise.reject(refuse(options, asked, verdict.reason))
      if (verdict.kind === 'repeat') return answers.get(verdict.block) as Promise<Answer>
      const answer = run(callsUntil(attestor.turnOver, options))
      answers.set(verdict.block, answer)
      return answer
    },
  }
}

function refuse(options: ToolRunnerOptions, { id, tool }: AskedCall, reason: CallRefusal): CallRefused {
  options.metrics.toolCallRefused(reason)
  options.logger.warn({ id, tool, reason }, 'the wrapper refused a tool call that the model did not make')
  options.onRefusal({ tool, reason })
  return new CallRefused(`call-refused: ${reasons[reason]}; nothing was sent`)
}

function callsUntil(over: AbortSignal, { broker, push, task, logger }: ToolRunnerOptions): AgentCalls {
  const insist = (): void => {
    if (over.aborted) throw new CallRefused('call-refused: its turn is over')
  }
  return {
    ask: async (service, path, request) => {
      insist()
      return broker.call(service, path, { ...request, signal: AbortSignal.any([request.signal, over]) })
    },
    reportIssue: (report: IssueReport) => {
      insist()
      const severity = report.severity ?? 'error'
      logger.error({ ...report, severity, task }, 'internal issue reported by the agent')
    },
    push: async () => {
      insist()
      return push()
    },
  }
}
