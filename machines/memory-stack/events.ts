import { Type, type Static } from 'typebox'
import { At, EffectFailed } from '../event.ts'

/** What a Project asks for (PROJECT-MEMORY); sizes are quantities of Kubernetes. */
export const StackWanted = Type.Object({
  /** `light`: the service with its own engine, on PostgreSQL. `full`: Neo4j and LightRAG too. */
  profile: Type.Union([Type.Literal('full'), Type.Literal('light')]),
  pgInstances: Type.Integer({ minimum: 1 }),
  pgStorage: Type.String(),
  pgWalStorage: Type.String(),
  neo4jStorage: Type.String(),
  /** Whether the memory fills itself once it serves. */
  fills: Type.Boolean(),
})
export type StackWanted = Static<typeof StackWanted>

/** Whoever runs stacks has no other parts; `cluster`: what all of them stand on. */
export const StackPart = Type.Union([
  Type.Literal('cluster'),
  Type.Literal('postgres'),
  Type.Literal('neo4j'),
  Type.Literal('lightrag'),
  Type.Literal('service'),
])
export type StackPart = Static<typeof StackPart>

/** How a stack was found. */
export const StackSight = Type.Object({
  /**
   * `pending`: it does not serve. `running`: it serves, as it is wanted. `degraded`: it serves, and one part is not as it is
   * wanted. `gone`: nothing of it runs any more.
   */
  phase: Type.Union([Type.Literal('pending'), Type.Literal('running'), Type.Literal('degraded'), Type.Literal('gone')]),
  /** What is waited for, or what is wrong. */
  part: StackPart,
  /** That part's own words, for people; of one that is gone: what stays. Empty: nothing to say. */
  words: Type.String(),
  /** Of the service, where pods are; empty: it has none. */
  endpoint: Type.String(),
  /** From outside; empty: it is not reached from there. */
  externalEndpoint: Type.String(),
})
export type StackSight = Static<typeof StackSight>

export const MemoryStackEvent = Type.Union([
  /** The Project was applied or deleted; `null`: it wants none. */
  Type.Object({ type: Type.Literal('stack.configured'), ...At, wanted: Type.Union([StackWanted, Type.Null()]) }),
  /** A look is over. */
  Type.Object({
    type: Type.Literal('stack.seen'),
    ...At,
    run: Type.String({ description: 'the look that is answered' }),
    ...StackSight.properties,
  }),
  EffectFailed,
])
export type MemoryStackEvent = Static<typeof MemoryStackEvent>
