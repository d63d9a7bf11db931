/** Resources as they are shown: what people wrote with its status, and what actors say as resources. */
import type { Kind } from '../../crd/kinds.ts'
import type { Resource } from './resources.ts'

/** Where a page begins: behind the key `<namespace>/<name>`; its order is that of these keys. */
export interface PageQuery {
  readonly namespace: string | undefined
  readonly after: string
  readonly limit: number
}

/** A resource as it is shown. */
export interface ResourceView {
  readonly metadata: { readonly name: string; readonly namespace: string }
}

/** Kinds whose rows are actors, as resources. */
export interface DerivedViews {
  /** One more than the limit where there are more. */
  list(kind: Kind, query: PageQuery): Promise<readonly ResourceView[]>
  get(kind: Kind, namespace: string, name: string): Promise<ResourceView | undefined>
}

/** The status of a Project or Repository at this moment. */
export type StatusOf = (resource: Resource) => Promise<object>

export function viewKey({ metadata }: ResourceView): string {
  return `${metadata.namespace}/${metadata.name}`
}
