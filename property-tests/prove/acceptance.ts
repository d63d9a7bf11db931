/**
 * LAW-12 over whole worlds, for no single moment can break it: every action that the schema of a kind offers is
 * accepted in some state that its world comes to, and the kind reaches `delivered`.
 */
import { outcomeSchemas } from '../../edges/agents/outcome/schemas.ts'
import { agentKinds, type AgentKind } from '../../machines/task/events.ts'
import { answerIn, kindOf, taskIn, type Moment } from '../machines/world/trace.ts'
import type { Changed } from '../machines/world/world.ts'
import { Explorer, type Memory } from './explore.ts'
import { toSecondLap } from './leads.ts'
import { agents, peopleOnMergeRequests } from './moves.ts'
import { newMemory } from './prove.ts'
import { modelOf, worlds, type ProvedWorld } from './worlds.ts'

export const acceptanceLaw = {
  law: 12,
  says: 'every action of every outcome schema is accepted in some reachable state; every kind can reach `delivered`',
} as const

/** A refine has one schema and nothing to choose. */
export function actionsOf(kind: AgentKind): readonly string[] {
  if (kind === 'refine') return ['refine']
  const field = outcomeSchemas[kind].properties[kind === 'review' ? 'verdict' : 'action'] as {
    readonly anyOf: readonly { readonly const: string }[]
  }
  return field.anyOf.map((literal) => literal.const)
}

/** Without an issue a discussion needs a merge request: what is heard on the second lap only is looked for from there. A reporter's is merged by a maintainer. */
function searchesOf(kind: AgentKind): readonly ProvedWorld[] {
  const name = kind === 'implement' ? 'forge' : kind
  const moves = kind === 'review' ? [agents, peopleOnMergeRequests] : [agents]
  const world = { ...worlds.find((one) => one.name === name)!, moves }
  return kind === 'documentation' || kind === 'upgrade' ? [world, { ...world, lead: toSecondLap(kind) }] : [world]
}

const delivered = 'delivered'

/** What a moment shows that the law asks for: a repeat changes nothing, and is accepted before. */
function shownBy(moment: Moment): readonly (readonly [AgentKind, string])[] {
  if (moment.kind !== 'stepped' || kindOf(moment.actor) !== 'task') return []
  const { event, before, after } = moment
  const {
    kind,
    stage: { name: stage },
  } = taskIn(after)
  const isAccepted =
    event.type === 'outcome' &&
    answerIn(moment)?.status === 200 &&
    JSON.stringify(before?.context) !== JSON.stringify(after.context)
  const heard = isAccepted ? ([[event['kind'] as AgentKind, String(event['action'])]] as const) : []
  return stage === delivered ? [...heard, [kind, delivered]] : heard
}

const bounds = { deviations: 1, states: 20_000, milliseconds: 600_000 }

/** A search ends when all was seen; only who breaks the law is searched for to the end. */
export function unaccepted(kind: AgentKind, changed: Changed = {}, memory: Memory = newMemory()): readonly string[] {
  const missing = new Set([...actionsOf(kind), delivered])
  const onMove = (moments: readonly Moment[]): void => {
    for (const [shown, what] of moments.flatMap(shownBy)) if (shown === kind) missing.delete(what)
  }
  for (const world of searchesOf(kind)) {
    const whole = modelOf({ ...world, until: () => missing.size === 0 }, { ...changed, pace: memory.steps })
    new Explorer({ ...whole, laws: [], futures: [] }, bounds, memory, { now: () => 0, onMove }).run()
  }
  return [...missing].map((what) =>
    what === delivered ? `no ${kind} is ever delivered` : `${what} of ${kind} is accepted nowhere`,
  )
}

export function acceptanceBreaches(): readonly string[] {
  return agentKinds.flatMap((kind) => unaccepted(kind))
}
