/** The reading half of the resource API: lists page by page, and one resource by its own name (RESOURCES-30). */
import { Type } from 'typebox'
import { kindNamed, type Kind } from '../../crd/kinds.ts'
import type { HttpApp } from '../../http/app.ts'
import { clampLimit, decodeCursor, listQuery, page, sliceBehind } from '../../http/problems/list.ts'
import { Problem } from '../../http/problems/problem.ts'
import type { Resource, ResourceReader } from '../ports/resources.ts'
import {
  viewKey,
  type DerivedViews,
  type PageQuery,
  type ResourceView,
  type StatusOf,
} from '../ports/resource-views.ts'

export interface ResourceReadDeps {
  readonly resources: ResourceReader
  readonly derived: DerivedViews
  readonly statusOf: StatusOf
}

export const ResourceParams = Type.Object({ kind: Type.String(), namespace: Type.String(), name: Type.String() })

const Query = Type.Object({ ...listQuery, namespace: Type.Optional(Type.String()) })
const Key = Type.String({ maxLength: 512 })

export function resourceReads(app: HttpApp, deps: ResourceReadDeps): void {
  app.get(
    '/resources/:kind',
    { schema: { params: Type.Object({ kind: Type.String() }), querystring: Query, summary: 'List resources' } },
    async ({ params, query: { namespace, cursor, limit: wanted } }) => {
      const kind = requireKind(params.kind)
      const limit = clampLimit(wanted)
      const after = cursor === undefined ? '' : decodeCursor(Key, cursor)
      return page(await listViews(deps, kind, { namespace, after, limit }), limit, viewKey)
    },
  )

  app.get(
    '/resources/:kind/:namespace/:name',
    { schema: { params: ResourceParams, summary: 'One resource' } },
    async ({ params: { kind: given, namespace, name } }) => {
      const kind = requireKind(given)
      const found = await getView(deps, kind, namespace, name)
      if (found === undefined) throw missing(kind.kind, namespace, name)
      return found
    },
  )
}

export function requireKind(name: string): Kind {
  const kind = kindNamed(name)
  if (kind === undefined) throw new Problem('not-found', `there is no kind ${name}`)
  return kind
}

export function missing(kind: string, namespace: string, name: string): Problem {
  return new Problem('not-found', `there is no ${kind} ${namespace}/${name}`)
}

/** People write them, so their rows are what was applied. */
function isStored({ kind }: Kind): boolean {
  return kind === 'Project' || kind === 'Repository'
}

async function listViews(deps: ResourceReadDeps, kind: Kind, query: PageQuery): Promise<readonly ResourceView[]> {
  if (!isStored(kind)) return deps.derived.list(kind, query)
  const stored = await deps.resources.list(kind.kind, query.namespace)
  const shown = sliceBehind(stored, ({ namespace, name }) => `${namespace}/${name}`, query)
  return Promise.all(shown.map((resource) => viewOf(deps, kind, resource)))
}

async function getView(
  deps: ResourceReadDeps,
  kind: Kind,
  namespace: string,
  name: string,
): Promise<ResourceView | undefined> {
  if (!isStored(kind)) return deps.derived.get(kind, namespace, name)
  const resource = await deps.resources.get(kind.kind, namespace, name)
  return resource === undefined ? undefined : viewOf(deps, kind, resource)
}

async function viewOf(deps: ResourceReadDeps, { apiVersion, kind }: Kind, resource: Resource): Promise<ResourceView> {
  const { name, namespace, uid, generation, createdAt, spec } = resource
  const creationTimestamp = new Date(createdAt).toISOString()
  const metadata = { name, namespace, uid, generation, creationTimestamp }
  const view = { apiVersion, kind, metadata, spec, status: await deps.statusOf(resource) }
  return view
}
