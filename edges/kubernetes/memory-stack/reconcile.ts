/**
 * Memory stacks on a Kubernetes cluster (the port `MemoryStacks`). Each call looks at every part in order and brings it nearer. It
 * waits for none: what is not as wanted is told, and looked at again by the next call.
 */
import type { StackPart, StackSight, StackWanted } from '../../../machines/memory-stack/events.ts'
import type { MemoryStacks } from '../../ports/memory-stacks.ts'
import type { KubeClient, KubeObject } from '../api/api.ts'
import { endStack } from './end.ts'
import { stackNames } from './names.ts'
import { RefusedError, StackObjects } from './objects.ts'
import { postgresOf } from './postgres.ts'
import type { NewPassword } from './secrets.ts'
import { applyMemoryService, endpointOf, servicePort } from './service.ts'
import type { StackSettings } from './settings.ts'
import { applyService, serves, workloadWords } from './workload.ts'

interface MemoryStacksOptions {
  readonly client: Pick<KubeClient, 'ask'>
  readonly settings: StackSettings
  readonly newPassword: NewPassword
}

export function createClusterStacks(options: MemoryStacksOptions): MemoryStacks {
  const { client } = options
  const objectsOf = (project: string, signal: AbortSignal): StackObjects =>
    new StackObjects(client, stackNames(project), signal)
  return {
    reconcile: (project, wanted, signal) => new Look(options, objectsOf(project, signal), wanted).go(),
    end: (project, signal) => endStack(objectsOf(project, signal)),
  }
}

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

  async go(): Promise<StackSight> {
    const objects = this.#objects
    const { service } = objects.names
    const isReachable = await this.#part('service', async () => {
      await applyService(objects, service, 'service', servicePort)
      return true
    })
    const deployment = await this.#memoryService()
    const isServing = deployment !== undefined && serves(deployment)
    return this.#sight(isServing, isReachable === true ? endpointOf(objects) : '')
  }

  async #memoryService(): Promise<KubeObject | undefined> {
    const { settings, newPassword } = this.#options
    const [objects, wanted] = [this.#objects, this.#wanted]
    const postgres = await this.#part('postgres', () => postgresOf({ objects, settings, wanted, newPassword }))
    for (const words of postgres?.troubles ?? []) this.#troubles.push({ part: 'postgres', words })
    if (postgres?.note !== undefined) this.#notes.push(postgres.note)
    return this.#part('service', async () => {
      const database = postgres?.memory
      const deployment =
        database === undefined
          ? await objects.own('Deployment', objects.names.service)
          : await applyMemoryService({ objects, settings, database })
      if (deployment === undefined) this.#troubles.push({ part: 'service', words: 'it waits for the other parts' })
      else this.#add('service', await workloadWords(objects, deployment, 'service'))
      return deployment
    })
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
