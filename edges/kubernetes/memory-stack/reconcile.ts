/**
 * Memory stacks on a Kubernetes cluster (the port `MemoryStacks`). Each call looks at every part in order and brings it nearer. It
 * waits for none: what is not as wanted is told, and looked at again by the next call.
 */
import type { StackPart, StackSight, StackWanted } from '../../../machines/memory-stack/events.ts'
import type { MemoryStacks } from '../../ports/memory-stacks.ts'
import type { KubeClient, KubeObject } from '../api/api.ts'
import { endStack } from './end.ts'
import { lightragOf, lightragSecret } from './lightrag.ts'
import { isOfStack, stackNames } from './names.ts'
import { graphClaim, neo4jOf } from './neo4j.ts'
import { RefusedError, StackObjects } from './objects.ts'
import type { PartInput, Postgres } from './parts.ts'
import { postgresOf } from './postgres.ts'
import type { NewPassword } from './secrets.ts'
import { applyMemoryService, endpointOf, servicePort, type ServiceInput } from './service.ts'
import type { StackSettings } from './settings.ts'
import { sizesOf, volumeWords, type Stored } from './volumes.ts'
import { applyService, serves, workloadWords } from './workload.ts'

interface MemoryStacksOptions {
  readonly client: Pick<KubeClient, 'ask'>
  readonly settings: StackSettings
  readonly newPassword: NewPassword
  /** What the memory service at this address counts of its PostgreSQL. Absent: no volume is told before it is full. */
  readonly storedAt?: (endpoint: string, signal: AbortSignal) => Promise<Stored>
}

export function createClusterStacks(options: MemoryStacksOptions): MemoryStacks {
  const { client } = options
  const objectsOf = (project: string, signal: AbortSignal): StackObjects =>
    new StackObjects(client, stackNames(project), signal)
  return {
    reconcile: (project, wanted, signal) => new Look(options, objectsOf(project, signal), wanted).go(signal),
    end: (project, signal) => endStack(objectsOf(project, signal)),
  }
}

/** What the service is given of LightRAG and Neo4j; nothing of it: it has its own engine. */
type Knowledge = Pick<ServiceInput, 'engine' | 'graphUrl'>

/** Whoever waits for one waits for those before it, too. */
const order: readonly StackPart[] = ['cluster', 'postgres', 'neo4j', 'lightrag', 'service']

class Look {
  readonly #options: MemoryStacksOptions
  readonly #objects: StackObjects
  readonly #wanted: StackWanted
  readonly #troubles: { readonly part: StackPart; readonly words: string }[] = []
  readonly #notes: string[] = []

  constructor(options: MemoryStacksOptions, objects: StackObjects, wanted: StackWanted) {
    this.#options = options
    this.#objects = objects
    this.#wanted = wanted
  }

  async go(signal: AbortSignal): Promise<StackSight> {
    const objects = this.#objects
    const { service } = objects.names
    const isReachable = await this.#part('service', async () => {
      await applyService(objects, service, 'service', servicePort)
      return true
    })
    const deployment = await this.#memoryService()
    const isServing = deployment !== undefined && serves(deployment)
    const endpoint = isReachable === true ? endpointOf(objects) : ''
    if (isServing && endpoint !== '') await this.#volumes(endpoint, signal)
    return this.#sight(isServing, endpoint)
  }

  /** Claims are looked at only where the sizes of the spec would not do. */
  async #volumes(endpoint: string, signal: AbortSignal): Promise<void> {
    const stored = (await this.#options.storedAt?.(endpoint, signal)) ?? {}
    if (volumeWords(stored, this.#wanted).length === 0) return
    const sizes = await this.#part('postgres', () => sizesOf(this.#objects, this.#wanted))
    for (const words of volumeWords(stored, sizes ?? this.#wanted)) this.#add('postgres', words)
  }

  async #memoryService(): Promise<KubeObject | undefined> {
    const { settings, newPassword } = this.#options
    const [objects, wanted] = [this.#objects, this.#wanted]
    const input = { objects, settings, wanted, newPassword }
    // The role that CloudNativePG makes needs it.
    const secret =
      wanted.profile === 'full' ? await this.#part('lightrag', () => lightragSecret(objects, newPassword)) : undefined
    const postgres = await this.#troubled('postgres', () => postgresOf(input))
    if (postgres?.note !== undefined) this.#notes.push(postgres.note)
    const knowledge =
      wanted.profile === 'full' ? await this.#knowledge(input, secret, postgres) : await this.#withoutKnowledge()
    return this.#part('service', async () => {
      const database = postgres?.memory
      const deployment =
        database === undefined || knowledge === undefined
          ? await objects.own('Deployment', objects.names.service)
          : await applyMemoryService({ objects, settings, database, ...knowledge })
      if (deployment === undefined) this.#add('service', 'it waits for the other parts')
      else this.#add('service', await workloadWords(objects, deployment, 'service'))
      return deployment
    })
  }

  /** Undefined: what the service must know of them is not there. */
  async #knowledge(
    input: PartInput,
    secret: KubeObject | undefined,
    postgres: Postgres | undefined,
  ): Promise<Knowledge | undefined> {
    const graph = await this.#troubled('neo4j', () => neo4jOf(input))
    if (secret === undefined) return undefined
    const database = postgres?.lightrag
    const engine = await this.#troubled('lightrag', () => lightragOf(input, secret, { database, graph }))
    if (graph === undefined || engine === undefined) return undefined
    return { engine, graphUrl: graph.url.replace('//', `//neo4j:${encodeURIComponent(graph.password)}@`) }
  }

  /** Of a stack that was full once. What lies in the claim stays. */
  async #withoutKnowledge(): Promise<Knowledge> {
    const objects = this.#objects
    const { neo4j, lightrag } = objects.names
    await this.#part('lightrag', async () => {
      await objects.remove('Deployment', lightrag)
      await objects.remove('Service', lightrag)
    })
    await this.#part('neo4j', async () => {
      await objects.remove('StatefulSet', neo4j)
      await objects.remove('Service', neo4j)
      const claim = await objects.find('PersistentVolumeClaim', graphClaim(objects.names))
      if (claim !== undefined && isOfStack(objects.names, claim.metadata.labels))
        this.#notes.push(`${objects.title('PersistentVolumeClaim', claim.metadata.name)} stays, though nothing uses it`)
    })
    return {}
  }

  async #troubled<Seen extends { readonly troubles: readonly string[] }>(
    part: StackPart,
    see: () => Promise<Seen>,
  ): Promise<Seen | undefined> {
    const seen = await this.#part(part, see)
    for (const words of seen?.troubles ?? []) this.#add(part, words)
    return seen
  }

  #add(part: StackPart, words: string): void {
    if (words !== '') this.#troubles.push({ part, words })
  }

  /** What the server refuses is the part’s words; the other parts go on. */
  async #part<Seen>(part: StackPart, see: () => Promise<Seen>): Promise<Seen | undefined> {
    try {
      return await see()
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      this.#add(error.isOfCluster ? 'cluster' : part, error.message)
      return undefined
    }
  }

  #sight(isServing: boolean, endpoint: string): StackSight {
    const part = order.find((each) => this.#troubles.some((trouble) => trouble.part === each))
    const troubles = this.#troubles.filter((trouble) => trouble.part === part).map(({ words }) => words)
    const words = [...new Set(part === undefined ? this.#notes : troubles)].join('; ')
    const phase = isServing ? (part === undefined ? 'running' : 'degraded') : 'pending'
    return { phase, part: part ?? 'service', words, endpoint, externalEndpoint: '' }
  }
}
