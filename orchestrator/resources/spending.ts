/** A Project's spending limits, as its ledger is told of them. */
import type { ProjectSpec } from '../../crd/project.ts'
import type { SpendingLimits } from '../../machines/ledger/events.ts'
import { defaultTokensPerTurn } from '../../machines/rules/spending.ts'
import type { Delivery } from '../../runtime/runtime.ts'

const none: SpendingLimits = {
  tokensPerTurn: defaultTokensPerTurn,
  tokensPerTask: 0,
  tokensPerDay: 0,
  tokensPerProject: 0,
  maxRaisePerDay: 0,
}

export function limitsOf({ spending }: Pick<ProjectSpec, 'spending'>): SpendingLimits {
  return { ...none, ...spending }
}

interface Applied {
  readonly project: string
  readonly generation: number
  readonly spec: Pick<ProjectSpec, 'spending'>
  /** Tasks that were minted metered still ask it when the block is gone: then nothing is limited. */
  readonly hasLedger: boolean
  readonly at: number
}

export function ledgerDeliveries({ project, generation, spec, hasLedger, at }: Applied): readonly Delivery[] {
  if (spec.spending === undefined && !hasLedger) return []
  const event = { type: 'ledger.configured', at, limits: limitsOf(spec) }
  return [{ to: `ledger:${project}`, key: `limits/${generation}`, event }]
}
