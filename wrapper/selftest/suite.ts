import { startAgent, type Agent, type AgentInput } from './agent.ts'
import type { ContractCase, SharedSession } from './case.ts'
import { attestationCases } from './cases/attestation.ts'
import { bootCases } from './cases/boot.ts'
import { errorCases } from './cases/errors.ts'
import { interruptCases } from './cases/interrupt.ts'
import { resultCases } from './cases/results.ts'
import { submissionCases } from './cases/submission.ts'
import { subscriptionCases } from './cases/subscription.ts'

/** In this order: what could spoil a session for others comes late. */
export const contractCases: readonly ContractCase[] = [
  ...bootCases,
  ...submissionCases,
  ...resultCases,
  ...attestationCases,
  ...errorCases,
  ...interruptCases,
  ...subscriptionCases,
]

export interface Verdict {
  readonly id: string
  readonly fact: string
  readonly adapter: string
  /** Absent: the fact holds. */
  readonly fault?: string
}

/** Runs cases one after another; a case that failed leaves its session to nobody. */
export class ContractRun {
  readonly #input: AgentInput
  #session: SharedSession | undefined
  #agent: Agent | undefined

  constructor(input: AgentInput) {
    this.#input = input
  }

  async judge(one: ContractCase): Promise<Verdict> {
    const { id, fact, adapter } = one
    try {
      await (one.session === 'none' ? one.holds(this.#input) : one.holds(await this.#agentFor(one.session)))
      return { id, fact, adapter }
    } catch (error) {
      await this.close()
      return { id, fact, adapter, fault: error instanceof Error ? error.message : String(error) }
    }
  }

  async close(): Promise<void> {
    const agent = this.#agent
    this.#agent = undefined
    await agent?.close()
  }

  async #agentFor(session: SharedSession): Promise<Agent> {
    if (this.#agent && this.#session === session && this.#agent.terminal.exited() === undefined) {
      this.#agent.script(() => ({ kind: 'say', text: 'understood' }))
      return this.#agent
    }
    await this.close()
    this.#session = session
    this.#agent = await startAgent(this.#input, { subscription: session === 'subscription' })
    return this.#agent
  }
}
