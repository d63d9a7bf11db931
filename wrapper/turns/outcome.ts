import type { LastTool, TurnError, WrapperStopReason } from '../../machines/turn/schema.ts'
import type { HookInput } from '../hooks/hook-input.ts'
import type { MessageUsage } from '../usage/usage.ts'
import { sumUsage } from '../usage/usage.ts'
import type { Withheld } from '../model-proxy/withheld.ts'
import { asText } from './transcript.ts'
import type { TurnOutcome } from './ledger.ts'

/** How a turn came to its end. A turn ends in exactly one of these ways (CLI-FACT-3). */
export type Ending =
  | { readonly kind: 'stop'; readonly input: HookInput }
  | { readonly kind: 'stop-failure'; readonly input: HookInput; readonly withheld: Withheld | undefined }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'exited'; readonly message: string }
  | { readonly kind: 'not-submitted' }
  | { readonly kind: 'shutdown' }

/** What the transcript and the model proxy saw of the turn. */
export interface TurnEvidence {
  readonly lastText: string
  readonly lastStopReason: string
  readonly transcriptRead: boolean
  readonly lastTool?: LastTool
  readonly messages: readonly MessageUsage[]
  /** The turn's token ceiling was enforced: what the CLI calls a failure of the model is ours. */
  readonly ceilingReached?: number
}

export type AgentOutcome = Omit<TurnOutcome, 'pushed' | 'failed' | 'accountUsage' | 'refusedCalls'>

export function outcomeOf(ending: Ending, evidence: TurnEvidence): AgentOutcome {
  const usage = sumUsage(evidence.messages)
  const finalText = finalTextOf(ending, evidence)
  const verdict = verdictOf(ending, evidence)
  const state =
    verdict.error || verdict.stopReason === 'interrupted' || verdict.stopReason === 'shutdown' ? 'failed' : 'completed'
  const { lastTool } = evidence
  return { state, finalText, usage, ...verdict, ...(lastTool === undefined ? {} : { lastTool }) }
}

interface Verdict {
  readonly stopReason: WrapperStopReason
  readonly error?: TurnError
}

function verdictOf(ending: Ending, evidence: TurnEvidence): Verdict {
  switch (ending.kind) {
    case 'stop':
      return stopVerdict(ending.input, evidence)
    case 'stop-failure':
      return failureVerdict(ending.input, ending.withheld, evidence)
    case 'interrupted':
      return { stopReason: 'interrupted' }
    case 'shutdown':
      return { stopReason: 'shutdown' }
    case 'exited':
      return { stopReason: 'agent_exited', error: { code: 'exit', message: ending.message } }
    case 'not-submitted':
      return {
        stopReason: 'agent_exited',
        error: { code: 'not-submitted', message: 'the agent never accepted the message' },
      }
  }
}

/** The CLI continues by itself after max_tokens and after a refusal; the stop reason of its last message tells what it ended with. */
function stopVerdict(input: HookInput, evidence: TurnEvidence): Verdict {
  if (!evidence.transcriptRead && asText(input.last_assistant_message) === '') {
    return {
      stopReason: 'transcript_unreadable',
      error: { code: 'transcript-unreadable', message: 'neither a hook nor the transcript had the result' },
    }
  }
  if (evidence.lastStopReason === 'max_tokens') return { stopReason: 'max_tokens' }
  if (evidence.lastStopReason === 'refusal') return { stopReason: 'refusal' }
  return { stopReason: 'end_turn' }
}

function failureVerdict(input: HookInput, withheld: Withheld | undefined, evidence: TurnEvidence): Verdict {
  const message =
    asText(input.last_assistant_message) || asText(input.error_details) || 'the model could not be reached'
  // A second refusal in a row ends the turn as a failure of the API (observed on 2.1.329); nothing failed.
  if (evidence.lastStopReason === 'refusal') return { stopReason: 'refusal' }
  if (evidence.ceilingReached !== undefined) return ceilingVerdict(evidence.ceilingReached)
  if (withheld !== undefined) return withheldVerdict(withheld, message)
  const code = asText(input.error) || 'unknown'
  return { stopReason: 'api_error', error: { code, message } }
}

function withheldVerdict({ cause, message, resetsAt }: Withheld, text: string): Verdict {
  return {
    stopReason: cause,
    error: { code: cause, message: message || text, ...(resetsAt === undefined ? {} : { resetsAt }) },
  }
}

function ceilingVerdict(limit: number): Verdict {
  return {
    stopReason: 'api_error',
    error: { code: 'token_ceiling', message: `the turn reached its ceiling of ${limit} tokens and was ended` },
  }
}

function finalTextOf(ending: Ending, evidence: TurnEvidence): string {
  const text = ending.kind === 'stop' ? asText(ending.input.last_assistant_message) : ''
  return text || evidence.lastText
}
