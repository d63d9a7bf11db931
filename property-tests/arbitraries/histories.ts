/**
 * Histories of a world: what people, agents, the forge, pods and time do, in words that print themselves. A command
 * looks at the world around the machines (subjects, processes, mail, timers, the outbox), never into a machine; where
 * there is nothing to act on it does nothing. What ends a life is rare, or every history dies young.
 */
import fc from 'fast-check'
import type { World } from '../machines/world/world.ts'
import type { Model, Weighted } from './acts.ts'
import { ofAgents } from './agent-acts.ts'
import { flow, ofThePlatform } from './flow.ts'
import { onIssues } from './issue-acts.ts'
import { onMergeRequests } from './merge-request-acts.ts'
import { ofOperators } from './operator-acts.ts'

export type Histories = fc.Arbitrary<Iterable<fc.Command<Model, World>>>

const acts = [...flow, ...onIssues, ...onMergeRequests, ...ofAgents, ...ofThePlatform]

/** `size: max`: fast-check's own default ends most histories before they begin. */
function historiesOf(all: readonly Weighted[]): Histories {
  return fc.commands([fc.oneof(...all)], { maxCommands: 60, size: 'max' })
}

export const commands = historiesOf(acts)
/** Apart: where operators hold and pause, less of everything else happens. */
export const commandsWithOperators = historiesOf([...acts, ...ofOperators])

/** After so many small steps of a world in which everybody does what is next, or where such an effect first waits to be performed. */
export type Lead = number | 'openMergeRequest' | 'mergeMergeRequest'

/** The rare moments in which races are lost would hardly ever be met by counting. */
export const lead: fc.Arbitrary<Lead> = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 140 }) },
  { weight: 1, arbitrary: fc.constant('openMergeRequest' as const) },
  { weight: 2, arbitrary: fc.constant('mergeMergeRequest' as const) },
)
