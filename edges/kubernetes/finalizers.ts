/**
 * The finalizer of people's Projects and Tasks: on before anything is set in motion for an object, off once nothing of it
 * lives. Each write carries the uid, so that it never meets a later object of the name.
 */
import { kindNamed } from '../../crd/kinds.ts'
import { KubeError } from './answers.ts'
import { applyPatch, mergePatch, pathOf, type KubeClient, type KubeObject, type Where } from './api.ts'
import { annotationsOf, closeFinalizer, finalizerManager, hasFinalizer } from './marks.ts'

export interface Marks {
  readonly annotations?: Readonly<Record<string, string>>
  /** Refused with a conflict, where the object is another than the one that was read. */
  readonly asRead?: boolean
}

/** The error is an answer of the server with this code. */
export function answered(error: unknown, code: number): boolean {
  return error instanceof KubeError && error.code === code
}

export function pathOfObject({ kind, metadata }: KubeObject, subresource?: Where['subresource']): string {
  const known = kindNamed(kind)
  if (known === undefined) throw new Error(`${kind} is no kind of ours`)
  const { name, namespace = 'default' } = metadata
  return pathOf(known, { namespace, name, ...(subresource === undefined ? {} : { subresource }) })
}

/** Server-side apply of these fields alone: the spec and others' finalizers stay. Answers the object as it is then. */
export async function putFinalizer(
  client: KubeClient,
  object: KubeObject,
  { annotations = {}, asRead = false }: Marks = {},
): Promise<KubeObject> {
  const wanted = { ...annotationsOf(object), ...annotations }
  const isSame = Object.entries(wanted).every(([name, value]) => object.metadata.annotations?.[name] === value)
  if (hasFinalizer(object) && isSame) return object
  return apply(client, object, { annotations: wanted, finalizers: [closeFinalizer] }, asRead)
}

/** Others' finalizers stay. Undefined: the object is gone, now or already. */
export async function removeFinalizer(client: KubeClient, object: KubeObject): Promise<KubeObject | undefined> {
  if (!hasFinalizer(object)) return object
  try {
    const left = await apply(client, object, { annotations: annotationsOf(object) }, false)
    return hasFinalizer(left) ? await removeFromAll(client, left) : left
  } catch (error) {
    if (answered(error, 404)) return undefined
    throw error
  }
}

function apply(client: KubeClient, object: KubeObject, marks: object, asRead: boolean): Promise<KubeObject> {
  const { apiVersion, kind, metadata } = object
  const { name, uid, resourceVersion } = metadata
  const body = { apiVersion, kind, metadata: { name, uid, ...(asRead ? { resourceVersion } : {}), ...marks } }
  const query = { fieldManager: finalizerManager, force: true }
  return client.ask('PATCH', pathOfObject(object), { query, body, type: applyPatch })
}

/** Somebody applied a manifest that has our finalizer: while it is theirs too, leaving it out removes nothing. */
function removeFromAll(client: KubeClient, object: KubeObject): Promise<KubeObject> {
  const { uid, resourceVersion, finalizers = [] } = object.metadata
  const left = finalizers.filter((name) => name !== closeFinalizer)
  const body = { metadata: { uid, resourceVersion, finalizers: left } }
  return client.ask('PATCH', pathOfObject(object), { body, type: mergePatch })
}
