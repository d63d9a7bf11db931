/** What the orchestrator is composed of, and what each part of the composition stands on. */
import type { Registry } from 'prom-client'
import type { PodTokens } from '../../edges/agents/pod-tokens.ts'
import type { GitCache } from '../../edges/git/store/cache.ts'
import type { MemoryIntake } from '../../edges/ports/memory-intake.ts'
import type { CommitGraph } from '../../edges/ports/commit-graph.ts'
import type { MergeJudge } from '../../edges/ports/merge-judge.ts'
import type { PlatformMetrics } from '../../edges/telemetry/platform-metrics.ts'
import type { Tracing } from '../../edges/telemetry/tracing.ts'
import type { VerifyToken } from '../../http/auth/authenticate.ts'
import type { CodeFlow } from '../../http/auth/code-flow.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { Fetch, Ids } from '../../http/ports.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { RuntimeOptions } from '../../runtime/options.ts'
import type { Random } from '../../runtime/random.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import type { Place } from '../places/place.ts'
import type { RouteRules } from './route-roles.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'

export interface OrchestratorPorts {
  readonly clock: Clock
  readonly random: Random
  readonly ids: Ids
  readonly fetch: Fetch
  readonly logger: Logger
  readonly version: string
  readonly programDir: string
  /** Names this process among those that share the store. */
  readonly owner: string
  /** What memory services of this machine are given of the environment; absent: nothing. */
  readonly memoryEnv?: Readonly<Record<string, string>>
}

/** What is opened before anything can be wired: files, sockets, processes and keys, each of them replaceable. */
export interface OrchestratorParts {
  readonly sql: Sql
  readonly place: Place
  readonly podTokens: PodTokens
  /** Master of the pods' callback secrets. */
  readonly callbackMaster: string
  /** Print of the key of the model that pods get (MODEL-KEY-7). */
  readonly modelKey: string
  /** Signs the sessions of the inspector. */
  readonly sessionKey: string
  readonly verifyOidc: VerifyToken
  /** By which people sign in to the inspector; absent: by links alone. */
  readonly codeFlow?: CodeFlow
  /** Bearer for the wrappers' API. */
  readonly wrapperToken: () => Promise<string>
  /** What else somebody should look at though all is served. */
  readonly degraded?: () => readonly string[]
  /** Tells the other processes on the store that there is something for them. */
  readonly hint?: (owner: string | undefined) => void
  readonly tracing?: Tracing
  /** Another table of who may use which route: only where a test takes a wall down. */
  readonly routeRules?: RouteRules
  /** Judges what merges make of their base; without one the gateway's own copies do. */
  readonly mergeJudge?: MergeJudge
  /** Says which commits a head has; without one the gateway's own copies do. */
  readonly commitGraph?: CommitGraph
  /** Copies of the Repositories; without one they are git's own, below the state's folder. */
  readonly gitCache?: GitCache
  /** What fills the memories of Projects; without one `statewright ingest` does. */
  readonly memoryIntake?: MemoryIntake
  /** What the runtime takes when it is not told otherwise. */
  readonly pace?: Pick<RuntimeOptions, 'shards' | 'leaseMs' | 'pollMs'>
}

/** What each part of the composition stands on. */
export interface Setup {
  readonly settings: OrchestratorSettings
  readonly ports: OrchestratorPorts
  readonly parts: OrchestratorParts
  readonly runtime: Runtime
  readonly metrics: Registry
  readonly platform: PlatformMetrics
  /** Traced, where anything is. */
  readonly fetch: Fetch
  /** Of both servers; empty until they listen. */
  readonly addresses: Readonly<Record<'operator' | 'internal', string>>
  readonly publicUrl: () => string
  /** Where the forge of a Project sends its webhooks. */
  readonly webhookUrl: (project: string) => string
}
