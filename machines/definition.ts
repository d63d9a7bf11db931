import type { AnyStateMachine } from 'xstate'

/** The kinds of actor; one machine each. `ingest-job` lives in the memory service, the others in the orchestrator. */
export type ActorKind =
  | 'project'
  | 'queue'
  | 'ledger'
  | 'model-key'
  | 'memory'
  | 'memory-stack'
  | 'task'
  | 'pod'
  | 'turn'
  | 'issue'
  | 'merge-request'
  | 'ingest-job'

/** `<kind>:<id>`; the ids are those of ACTOR-1, for example `pod:default/implement-lib-1-x7k2p/1`. */
export type ActorAddress = `${ActorKind}:${string}`

/** Who can move a resting actor; `none` stands at finals. */
export const owners = [
  'agent',
  'forge',
  'human',
  'maintainer',
  'operator',
  'platform',
  'pod',
  'project',
  'queue',
  'task',
  'turn',
  'wrapper',
  'none',
] as const
export type Owner = (typeof owners)[number]

/** Plain JSON: what events, effects and contexts are made of, so that snapshots and journals stay exact. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined }
export type JsonObject = { readonly [key: string]: Json | undefined }

/** An event as a machine sees it. `at` is the edge's clock in epoch milliseconds: machines have no clock. */
export interface MachineEvent {
  readonly type: string
  readonly at: number
  readonly [field: string]: unknown
}

/**
 * One machine as data: runtime, prover, charts and documentation read this and nothing else.
 * `createdBy` lists the event types that may bring an actor of the kind into being; any other event for an
 * unknown actor is refused as a dead letter. `upgrades[n]` turns a persisted snapshot of version n into n + 1 (R10).
 * `renamedTimers` says under which id the timer of a renamed state goes on: old id to new, both `xstate.after.<delay>.<path>`.
 * `sourceHash` names the machine's code with every rule that it reaches; generated, absent for machines of tests.
 */
export interface MachineDefinition {
  readonly kind: ActorKind
  readonly version: number
  readonly machine: AnyStateMachine
  readonly createdBy: readonly string[]
  readonly upgrades: Readonly<Record<number, (snapshot: JsonObject) => JsonObject>>
  readonly renamedTimers?: Readonly<Record<string, string>>
  readonly sourceHash?: string
  readonly listed?: Listed
}

/**
 * What lists show of an actor beside its state, and find it by: at most eight short texts by name, of its context and its
 * path. Pure. `version` rises with each change of `of`: the runtime then writes the texts of every actor anew.
 */
export interface Listed {
  readonly version: number
  readonly of: (context: object, path: string) => Readonly<Record<string, string>>
}

/** An upgrade that only adds what the context did not know: the old snapshot says nothing of it (R10). */
export function withContext(snapshot: JsonObject, added: JsonObject): JsonObject {
  return { ...snapshot, context: { ...objectAt(snapshot, 'context'), ...added } }
}

/** Of a stored snapshot, whose writer knew its shape. */
export function objectAt(stored: JsonObject, key: string): JsonObject {
  return stored[key] as JsonObject
}

/** Input of every machine: the actor's own id. Everything else arrives on events. */
export interface MachineInput {
  readonly id: string
}
