import { checkManifest, type ManifestFault } from '../../../crd/validate.ts'
import type { Resource, ResourceReader } from '../../ports/resources.ts'
import type { KubeObject, ObjectCache } from '../api/api.ts'

/** An object as a resource; `faults`: why its spec must not be read, such as one that an older definition let in. */
interface JudgedResource {
  readonly resource: Resource
  readonly faults: readonly ManifestFault[]
}

const judged = new WeakMap<KubeObject, JudgedResource>()

/** Its spec has every default; a field that nobody knows is left out, as servers do it (RESOURCES-6). */
export function resourceOf(object: KubeObject): JudgedResource {
  const known = judged.get(object)
  if (known !== undefined) return known
  const made = judge(object)
  judged.set(object, made)
  return made
}

function judge({ apiVersion, kind, metadata, spec = {} }: KubeObject): JudgedResource {
  const { name, namespace = '', uid, generation = 1, creationTimestamp } = metadata
  const checked = checkManifest({ apiVersion, kind, metadata: { name, namespace }, spec }, 'pruned')
  const createdAt = Date.parse(creationTimestamp)
  // Nobody reads the time of the last change, and a server only has it for each writer.
  const resource = { kind, namespace, name, uid, generation, createdAt, updatedAt: createdAt }
  if (checked.sort !== 'resource') return { resource: { ...resource, spec }, faults: checked.faults }
  return { resource: { ...resource, spec: checked.manifest.spec }, faults: checked.faults }
}

/**
 * Reads what caches hold, by kind. One that is being deleted counts until it is gone; one whose spec is refused does not,
 * so nobody acts by a spec that its schema does not have.
 */
export function createResourceReader(
  caches: Readonly<Record<string, Pick<ObjectCache, 'get' | 'list'>>>,
): ResourceReader {
  const accepted = (object: KubeObject | undefined): readonly Resource[] => {
    const { resource, faults } = object === undefined ? nothing : resourceOf(object)
    return resource === undefined || faults.length > 0 ? [] : [resource]
  }
  return {
    get: async (kind, namespace, name) => accepted(caches[kind]?.get(`${namespace}/${name}`))[0],
    list: async (kind, namespace) => (caches[kind]?.list(namespace) ?? []).flatMap(accepted),
  }
}

const nothing = { resource: undefined, faults: [] } as const
