/** Whose a person's object is. */
import type { KubeObject } from '../api/api.ts'
import { claimAnnotation } from '../api/marks.ts'

/** Which orchestrator works for it, as far as it is marked. */
export function claimantOf(object: KubeObject | undefined): string | undefined {
  return object?.metadata.annotations?.[claimAnnotation]
}

/** Of the Project that a Repository or a Task names. */
export function projectIdOf({ metadata, spec }: KubeObject): string {
  return `${metadata.namespace ?? 'default'}/${String(spec?.['projectRef'] ?? '')}`
}
