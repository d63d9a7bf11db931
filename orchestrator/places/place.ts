import type { Projects } from '../../edges/forge/project-directory.ts'
import type { PodInputs, PodPort, PodSpec } from '../../edges/ports/pods.ts'
import type { MemoryStacks } from '../../edges/ports/memory-stacks.ts'
import type { DerivedViews, StatusOf } from '../../edges/ports/resource-views.ts'
import type { ResourceHooks, ResourceReader, SecretReader } from '../../edges/ports/resources.ts'
import type { HttpApp } from '../../http/app.ts'
import type { Runtime } from '../../runtime/runtime.ts'

interface PodWiring {
  readonly directory: Projects
  /** What a pod is given; the place adds where it is. */
  readonly inputs: (spec: PodSpec) => Promise<PodInputs>
}

/** What a place shows of the orchestrator, and what it sets in motion there. */
export interface Wired {
  readonly hooks: ResourceHooks
  readonly derived: DerivedViews
  readonly statusOf: StatusOf
  readonly runtime: Runtime
}

/** Where an orchestrator lives: it has the resources, the secrets and the pods. One machine, or a cluster. */
export interface Place {
  readonly resources: ResourceReader
  readonly secrets: SecretReader
  pods(wiring: PodWiring): PodPort
  /** Absent: this place runs no memory stacks. */
  readonly memoryStacks?: MemoryStacks
  /** Before anybody reads a resource. */
  load(): Promise<void>
  /** Before the server listens: routes of its own, where it has any. */
  attach(app: HttpApp, wired: Wired): Promise<void>
  /** Once the runtime runs and the servers listen. */
  begin(): Promise<void>
  stop(): Promise<void>
  /** What somebody should look at though all is served; empty: nothing. */
  degraded(): readonly string[]
}
