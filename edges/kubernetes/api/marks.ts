/** What Statewright writes into the metadata of people's resources, beside their specs. */
import type { KubeObject } from './api.ts'

/** Its Project or Task is closed before the object goes. */
export const closeFinalizer = 'platform.dev/close'
const madeByLabel = 'platform.dev/made-by'
/** The uid that an object of a person's Task had when it was taken up: a copy of it, restored from a backup, has another. */
export const lifeAnnotation = 'platform.dev/life'
/** Which orchestrator works for a Project, by the identity of its store. */
export const claimAnnotation = 'platform.dev/orchestrator'

/** Field manager of the finalizer and of the two annotations. */
export const finalizerManager = 'statewright-finalizer'

export const orchestratorMade = { [madeByLabel]: 'orchestrator' } as const

export function isLabelled({ metadata }: KubeObject): boolean {
  return metadata.labels?.[madeByLabel] === orchestratorMade[madeByLabel]
}

/** Anybody may take its label off; where a Task came from stands in its spec, which no one may change. */
export function isMadeByOrchestrator(object: KubeObject): boolean {
  const { kind = 'human' } = (object.spec?.['origin'] ?? {}) as { readonly kind?: string }
  return isLabelled(object) || (object.kind === 'Task' && kind !== 'human')
}

export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined
}

export function hasFinalizer({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(closeFinalizer) ?? false
}

/** Those of both annotations that an object has. */
export function annotationsOf({ metadata }: KubeObject): Readonly<Record<string, string>> {
  const all = metadata.annotations ?? {}
  const own = [lifeAnnotation, claimAnnotation].filter((name) => all[name] !== undefined)
  return Object.fromEntries(own.map((name) => [name, all[name]!]))
}
