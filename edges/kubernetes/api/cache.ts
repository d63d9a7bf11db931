import type { Logger } from '../../../http/operational/logging.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Random } from '../../../runtime/random.ts'
import { nameOf, pathOf, type KubeClient, type KubeObject, type KubeResource, type ObjectCache } from './api.ts'
import { createReflector, type Reflector } from './reflector.ts'

interface ObjectCacheOptions {
  readonly client: KubeClient
  readonly resource: KubeResource
  /** Empty: all. */
  readonly namespaces: readonly string[]
  readonly labelSelector?: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

type Listener = Parameters<ObjectCache['subscribe']>[0]

/**
 * 1. An older version of an object never takes the place of a newer one, whoever brought it.
 * 2. A listener hears of each change of what `get` gives once, own writes included. What it throws is logged.
 * 3. A list has the last word on what is there: what it lacks is gone, but for own writes that are newer than it.
 */
export function createObjectCache(options: ObjectCacheOptions): ObjectCache {
  const objects = new Map<string, KubeObject>()
  const listeners = new Set<Listener>()
  const notify: Listener = (name, change) => {
    for (const listener of listeners) callGuarded(listener, name, change, options)
  }
  const namespaces = options.namespaces.length === 0 ? [undefined] : [...new Set(options.namespaces)]
  const parts = namespaces.map((namespace) => createPart(options, namespace, { objects, notify }))
  return {
    start: async () => void (await Promise.all(parts.map(({ reflector }) => reflector.start()))),
    stop: async () => void (await Promise.all(parts.map(({ reflector }) => reflector.stop()))),
    get: (name) => objects.get(name),
    list: (namespace) => listOf(objects, namespace),
    put: (object) => parts.find((part) => part.covers(object))?.put(object),
    subscribe: (listener) => {
      const own: Listener = (name, change) => listener(name, change)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
  }
}

function listOf(objects: ReadonlyMap<string, KubeObject>, namespace: string | undefined): readonly KubeObject[] {
  return [...objects]
    .filter(([, { metadata }]) => namespace === undefined || metadata.namespace === namespace)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, object]) => object)
}

/** A listener may be async though nobody awaits it. */
function callGuarded(
  listener: Listener,
  name: string,
  change: 'changed' | 'gone',
  { logger, resource }: Pick<ObjectCacheOptions, 'logger' | 'resource'>,
): void {
  const log = (error: unknown): void =>
    logger.error({ err: error, resource: resource.plural, name, change }, 'a listener of a cache failed')
  try {
    const answer: unknown = listener(name, change)
    if (answer instanceof Promise) answer.catch(log)
  } catch (error) {
    log(error)
  }
}

interface Shared {
  readonly objects: Map<string, KubeObject>
  readonly notify: Listener
}

interface Part {
  readonly reflector: Reflector
  covers(object: KubeObject): boolean
  put(object: KubeObject): void
}

/** The objects of one namespace, or of all, which one reflector follows. */
function createPart(
  { client, resource, labelSelector, clock, random, logger }: ObjectCacheOptions,
  namespace: string | undefined,
  { objects, notify }: Shared,
): Part {
  /** What the reflector has brought everything up to. */
  let reached = 0n
  const covers = ({ metadata }: KubeObject): boolean => namespace === undefined || metadata.namespace === namespace
  const set = (object: KubeObject): void => {
    const name = nameOf(object)
    const known = objects.get(name)
    if (known !== undefined && versionOf(known) >= versionOf(object)) return
    objects.set(name, object)
    notify(name, 'changed')
  }
  const remove = (name: string): void => {
    if (objects.delete(name)) notify(name, 'gone')
  }
  const replaced = (list: readonly KubeObject[], version: string): void => {
    const listed = new Set(list.map(nameOf))
    const at = BigInt(version)
    // Versions only go back when the server's store was restored: then nothing that was known counts.
    const isRestored = at < reached
    for (const [name, object] of [...objects].filter(([, one]) => covers(one))) {
      if (!listed.has(name) && (isRestored || versionOf(object) <= at)) remove(name)
      else if (isRestored) objects.delete(name)
    }
    reached = at
    list.forEach(set)
  }
  const reflector = createReflector({
    client,
    path: pathOf(resource, namespace === undefined ? {} : { namespace }),
    labelSelector,
    clock,
    random,
    logger,
    replaced,
    changed: set,
    gone: (object) => {
      const name = nameOf(object)
      const known = objects.get(name)
      if (known !== undefined && versionOf(known) <= versionOf(object)) remove(name)
    },
    reached: (version) => void (reached = BigInt(version)),
  })
  return {
    reflector,
    covers,
    // What the reflector has passed it has brought already, or it was deleted since.
    put: (object) => {
      if (versionOf(object) > reached) set(object)
    },
  }
}

/** Versions of one kind are numbers that grow (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions). */
function versionOf({ metadata }: KubeObject): bigint {
  return BigInt(metadata.resourceVersion)
}
