/** Models and effort by agent kind: the locked defaults of this release, under what the Project says (PROJECT-AGENT-12 to PROJECT-AGENT-14, RESOURCE-RULE-4). */
import { agentKinds } from '../machines/task/events.ts'
import type { ProjectSpec } from './project.ts'

const topTier = 'claude-opus-5-5'
const midTier = 'claude-sonnet-4-5'

/** Upgrade has none: it falls through to the Project's and then to the wrapper's own. */
const lockedModels: Readonly<Record<string, string>> = {
  brainstorm: topTier,
  incident: topTier,
  implement: topTier,
  review: topTier,
  documentation: midTier,
  refine: midTier,
}

const defaultEffort = 'xhigh'

/** The operator's, for Projects that name none; empty ones are the release's. */
export interface ModelDefaults {
  readonly model: string
  readonly byKind: Readonly<Record<string, string>>
}

export const noModelDefaults: ModelDefaults = { model: '', byKind: {} }

export function modelsByKind(agent: ProjectSpec['agent'], { model, byKind } = noModelDefaults): Record<string, string> {
  return Object.fromEntries(
    agentKinds.map((kind) => [
      kind,
      agent?.modelByKind?.[kind] ?? (agent?.model || byKind[kind] || model || lockedModels[kind] || ''),
    ]),
  )
}

export function effortByKind(agent: ProjectSpec['agent']): Record<string, string> {
  return Object.fromEntries(
    agentKinds.map((kind) => [kind, String(agent?.effortByKind?.[kind] ?? agent?.effort ?? defaultEffort)]),
  )
}
