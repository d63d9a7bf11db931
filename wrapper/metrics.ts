import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { exposeMetrics } from '../http/operational/expose-metrics.ts'
import type { CallRefusal, Hindrance } from '../machines/turn/schema.ts'
import type { Identity } from './boot/config.ts'
import type { AgentOutcome } from './turns/outcome.ts'

/** Every `ccw_*` of WRAPPER-METRICS (docs/contract/wrapper.md), and the one series that is named after the platform (WRAPPER-RULE-10). */
export interface WrapperMetrics {
  /** Makes these series part of a server's /metrics. */
  exposeIn(registry: Registry): void
  turnEnded(outcome: AgentOutcome): void
  turnInFlight(value: 0 | 1): void
  spontaneousTurn(): void
  booted(seconds: number): void
  toolCall(tool: string, outcome: 'ok' | 'error'): void
  toolCallRefused(reason: CallRefusal): void
  internalIssue(category: string, severity: string): void
  interrupt(result: 'confirmed' | 'restored' | 'idle' | 'unconfirmed'): void
  stallSuspected(): void
  hindered(kind: Hindrance['kind']): void
  modelFailed(status: number): void
  safetyPush(result: 'ok' | 'failed'): void
  reconciled(result: string): void
  skillsInstalled(count: number): void
  skillsCloneFailed(source: 'skills_repo' | 'extra'): void
  agentsInstalled(count: number): void
  statuslineReport(result: 'ok' | 'bad_payload'): void
  hookFailed(hook: string): void
}

const bootBuckets = [1, 2, 4, 5, 6, 8, 10, 15, 30, 60, 120]

export function createWrapperMetrics(identity: Identity, repository: string): WrapperMetrics {
  const registry = new Registry()
  const counter = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Counter({ name, help, labelNames: [...labelNames], registers: [registry] })
  const common = { kind: identity.profile || 'none', project: identity.project }
  const where = { ...common, repo: repository }
  const turns = counter('ccw_turns_total', 'Turns by result.', ['result'])
  const tokens = counter('ccw_turn_tokens_total', 'Tokens of turns.', ['type', 'model', 'kind', 'repo', 'project'])
  const cost = counter('ccw_turn_cost_usd_total', 'List-price estimate of turns.', ['kind', 'repo', 'project'])
  const spontaneous = counter('ccw_spontaneous_turns_total', 'Turns that the CLI started by itself.')
  const tools = counter('ccw_tool_calls_total', 'Tool calls.', ['tool', 'outcome'])
  const refusals = counter(
    'ccw_tool_calls_refused_total',
    'Tool calls that the wrapper refused because no model made them.',
    ['reason'],
  )
  const issues = counter('platform_wrapper_internal_issue_total', 'Internal issues that the agent reported.', [
    'category',
    'severity',
    'kind',
    'project',
  ])
  const interrupts = counter('ccw_interrupts_total', 'Interrupts by result.', ['result'])
  const stalls = counter('ccw_turn_stall_suspected_total', 'Stalls that the wrapper suspected. Each counts once.')
  const hindrances = counter('ccw_turn_hindered_total', 'Obstacles that stopped a turn. Each counts once.', ['kind'])
  const failures = counter(
    'ccw_model_failures_total',
    'Requests that the model did not answer, by HTTP status. 0: there was none.',
    ['status'],
  )
  const pushes = counter('ccw_safety_push_total', 'Mid-turn pushes.', ['result'])
  const reconciles = counter(
    'ccw_bootstrap_reconcile_total',
    'Repositories that the wrapper updated at boot, by result.',
    ['result'],
  )
  const skills = counter('ccw_skills_installed_total', 'Skills installed.', ['profile'])
  const skillFailures = counter('ccw_skills_clone_failures_total', 'Clones of skill sources that failed.', ['source'])
  // A rate over a series that appears with its first failure would miss that failure.
  for (const source of ['skills_repo', 'extra']) skillFailures.inc({ source }, 0)
  const agents = counter('ccw_agents_installed_total', 'Agent definitions installed.')
  const reports = counter('ccw_statusline_reports_total', 'Reports of the status line.', ['result'])
  const hookFailures = counter('ccw_hook_failures_total', 'Lifecycle hooks that failed.', ['hook'])
  const inFlight = new Gauge({ name: 'ccw_turn_in_flight', help: '1 while a turn runs.', registers: [registry] })
  const boot = new Histogram({
    name: 'ccw_bootstrap_duration_seconds',
    help: 'Time from process start to ready.',
    buckets: bootBuckets,
    registers: [registry],
  })
  return {
    exposeIn: (other) => exposeMetrics(registry, other),
    turnEnded: (outcome) => {
      turns.inc({ result: outcome.stopReason })
      cost.inc(where, outcome.usage.costUsd)
      for (const [model, counts] of Object.entries(outcome.usage.byModel)) {
        const by = { ...where, model }
        tokens.inc({ ...by, type: 'input' }, counts.inputTokens)
        tokens.inc({ ...by, type: 'output' }, counts.outputTokens)
        tokens.inc({ ...by, type: 'cache_read' }, counts.cacheReadTokens)
        tokens.inc({ ...by, type: 'cache_write' }, counts.cacheWriteTokens)
      }
    },
    turnInFlight: (value) => inFlight.set(value),
    spontaneousTurn: () => spontaneous.inc(),
    booted: (seconds) => boot.observe(seconds),
    toolCall: (tool, outcome) => tools.inc({ tool, outcome }),
    toolCallRefused: (reason) => refusals.inc({ reason }),
    internalIssue: (category, severity) => issues.inc({ category, severity, ...common }),
    interrupt: (result) => interrupts.inc({ result }),
    stallSuspected: () => stalls.inc(),
    hindered: (kind) => hindrances.inc({ kind }),
    modelFailed: (status) => failures.inc({ status: String(status) }),
    safetyPush: (result) => pushes.inc({ result }),
    reconciled: (result) => reconciles.inc({ result }),
    skillsInstalled: (count) => skills.inc({ profile: common.kind }, count),
    skillsCloneFailed: (source) => skillFailures.inc({ source }),
    agentsInstalled: (count) => agents.inc(count),
    statuslineReport: (result) => reports.inc({ result }),
    hookFailed: (hook) => hookFailures.inc({ hook }),
  }
}
