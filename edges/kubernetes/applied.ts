/** A person's object as a resource: judged as `statewright apply` judges a manifest, and whose it is. */
import { checkManifest, type ManifestFault } from '../../crd/validate.ts'
import type { Resource } from '../ports/resources.ts'
import type { KubeObject } from './api.ts'
import { claimAnnotation } from './marks.ts'

export interface Judged {
  /** With every default, and without what no schema has. */
  readonly resource: Resource
  /** What the server accepted though it is wrong. */
  readonly faults: readonly ManifestFault[]
}

export function judge(object: KubeObject): Judged {
  const checked = checkManifest(object, 'pruned')
  const resource = resourceOf(object)
  if (checked.sort === 'secret') return { resource, faults: checked.faults }
  return { resource: { ...resource, spec: checked.manifest.spec }, faults: checked.faults }
}

/** As the server has it. */
export function resourceOf({ kind, metadata, spec = {} }: KubeObject): Resource {
  const { namespace = 'default', name, uid, generation = 0 } = metadata
  const createdAt = Date.parse(metadata.creationTimestamp)
  return { kind, namespace, name, uid, generation, spec, createdAt, updatedAt: createdAt }
}

/** Which orchestrator works for it, as far as it is marked. */
export function claimantOf(object: KubeObject | undefined): string | undefined {
  return object?.metadata.annotations?.[claimAnnotation]
}

/** Of the Project that a Repository or a Task names. */
export function projectIdOf({ metadata, spec }: KubeObject): string {
  return `${metadata.namespace ?? 'default'}/${String(spec?.['projectRef'] ?? '')}`
}
