import { idOfName } from '../crd/resource-id.ts'

/** An address as it stands, or that of the Task of this name. */
export function actorAddress(given: string): string {
  return given.includes(':') ? given : `task:${idOfName(given)}`
}
