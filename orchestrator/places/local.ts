import { registerResourceApi, type ResourceApiDeps } from '../../edges/local/resource-api.ts'
import { localResources } from '../../edges/local/resources.ts'
import type { MemoryStacks } from '../../edges/ports/memory-stacks.ts'
import type { SecretStore } from '../../edges/ports/resources.ts'
import type { Clock, Ids } from '../../http/ports.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { deliverSight } from '../memory/memory-actor.ts'
import type { Place } from './place.ts'

export interface LocalPlaceOptions extends Pick<ResourceApiDeps, 'authenticate' | 'unset'> {
  readonly sql: Sql
  readonly clock: Clock
  readonly ids: Ids
  readonly secrets: SecretStore
  readonly pods: Place['pods']
  /** Absent: nobody could ask them. */
  readonly memoryStacks?: MemoryStacks | undefined
}

/** One machine: resources in the store, written over HTTP; secrets in files; pods as child processes. */
export function localPlace({ sql, clock, ids, secrets, pods, memoryStacks, ...api }: LocalPlaceOptions): Place {
  const resources = localResources(sql, clock, ids)
  return {
    resources,
    secrets,
    pods,
    ...(memoryStacks === undefined ? {} : { memoryStacks }),
    load: async () => undefined,
    async attach(app, { hooks, derived, statusOf, runtime }) {
      memoryStacks?.watch?.((project, sight) => {
        // Where it cannot be told, the next look sees it.
        deliverSight(runtime, project, { key: `ended/${ids.next()}`, at: clock.now(), sight }).catch(() => undefined)
      })
      await registerResourceApi(app, { ...api, resources, secrets, hooks, derived, statusOf })
    },
    begin: async () => undefined,
    stop: async () => undefined,
    degraded: () => [],
  }
}
