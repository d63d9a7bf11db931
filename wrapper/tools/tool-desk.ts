import type { Logger } from '../../edges/http/logging.ts'
import type { Attestor } from '../attestation/attestor.ts'
import type { Refusal, Registered } from '../attestation/registry.ts'
import type { Broker } from '../broker/broker.ts'
import type { IssueReport } from '../issue-report.ts'
import type { WrapperMetrics } from '../metrics.ts'
import { CallRefused, type AgentCalls, type AskedCall, type ToolDesk } from './port.ts'

export interface ToolDeskOptions {
  readonly attestor: Attestor
  readonly broker: Broker
  readonly push: () => Promise<unknown>
  readonly task: string
  readonly metrics: Pick<WrapperMetrics, 'toolCallRefused'>
  readonly logger: Logger
}

const reasons: Readonly<Record<Refusal, string>> = {
  'no-turn': 'no turn runs',
  'no-block': 'the model did not ask for it in this turn',
  'other-tool': 'the model asked for another tool by this id',
  'other-arguments': 'the model asked for it with other arguments',
}

/** The one way to act in the agent's name: a call of a tool, spent against the block by which the model asked for it. */
export function createToolDesk(options: ToolDeskOptions): ToolDesk {
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

function refuse({ metrics, logger }: ToolDeskOptions, { id, tool }: AskedCall, reason: Refusal): CallRefused {
  metrics.toolCallRefused(reason)
  logger.warn({ id, tool, reason }, 'refused a call of a tool that no model decided')
  return new CallRefused(`call-refused: ${reasons[reason]}; nothing was sent`)
}

function callsUntil(over: AbortSignal, { broker, push, task, logger }: ToolDeskOptions): AgentCalls {
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
      await push()
    },
  }
}
