/** Grows volumes, as a driver and the kubelet do: a folder of this machine has any size. */
import { answered } from '../../../edges/kubernetes/api/answers.ts'
import {
  mergePatch,
  pathOf,
  type KubeClient,
  type KubeObject,
  type ObjectCache,
} from '../../../edges/kubernetes/api/api.ts'
import { createObjectCache } from '../../../edges/kubernetes/api/cache.ts'
import type { Logger } from '../../../http/operational/logging.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Random } from '../../../runtime/random.ts'

interface ExpansionOptions {
  readonly client: KubeClient
  readonly namespaces: readonly string[]
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

const claims = { apiVersion: 'v1', plural: 'persistentvolumeclaims' }

/** The API server lets a bound claim of an expandable class ask for more, and for nothing else. */
export function createExpansion(options: ExpansionOptions): Pick<ObjectCache, 'start' | 'stop'> {
  const { client, logger } = options
  const cache = createObjectCache({ ...options, resource: claims })
  cache.subscribe((name) => {
    const claim = cache.get(name)
    if (claim === undefined) return
    void grow(client, claim).catch((error: unknown) => {
      if (!answered(error, 404)) logger.error({ err: error, claim: name }, 'a claim did not grow')
    })
  })
  return cache
}

async function grow(client: KubeClient, { metadata, spec, status }: KubeObject): Promise<void> {
  const { resources, volumeName } = spec as {
    readonly resources: { readonly requests: { readonly storage: string } }
    readonly volumeName?: string
  }
  const { storage } = resources.requests
  const capacity = status?.['capacity'] as { readonly storage: string } | undefined
  if (
    status?.['phase'] !== 'Bound' ||
    volumeName === undefined ||
    amountOf(capacity?.storage ?? '0') >= amountOf(storage)
  )
    return
  const { namespace = '', name } = metadata
  const volume = pathOf({ apiVersion: 'v1', plural: 'persistentvolumes' }, { name: volumeName })
  await client.ask('PATCH', volume, { body: { spec: { capacity: { storage } } }, type: mergePatch })
  const body = { status: { capacity: { storage }, conditions: [] } }
  const path = pathOf(claims, { namespace, name, subresource: 'status' })
  await client.ask('PATCH', path, { body, type: mergePatch })
}

/** In the least unit, a thousandth. */
export function amountOf(quantity: string): number {
  const [, digits = '0', unit = ''] = /^([\d.]+(?:[eE][+-]?\d+)?)(\D*)$/.exec(quantity) ?? []
  const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].indexOf(unit)
  const decimal = ['m', '', 'k', 'M', 'G', 'T', 'P', 'E'].indexOf(unit)
  return Number(digits) * (binary === -1 ? 1_000 ** decimal : 1_000 * 1_024 ** (binary + 1))
}
