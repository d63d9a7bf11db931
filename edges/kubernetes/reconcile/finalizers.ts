/**
 * The finalizer of people's Projects and Tasks: on before anything is set in motion for an object, off once nothing of it
 * lives. Each write carries the uid, so that it never meets a later object of the name.
 */
import { answered } from '../api/answers.ts'
import { applyPatch, mergePatch, type KubeClient, type KubeObject } from '../api/api.ts'
import { annotationsOf, claimAnnotation, closeFinalizer, finalizerManager, hasFinalizer } from '../api/marks.ts'
import { pathOfObject } from '../api/objects.ts'

interface Marks {
  readonly annotations?: Readonly<Record<string, string>>
  /** Refused with a conflict, where the object is another than the one that was read. */
  readonly asRead?: boolean
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
  return hasFinalizer(object) ? removeAllBut(client, object, annotationsOf(object)) : object
}

/** The claim too: another orchestrator may take it up. */
export function removeMarks(client: KubeClient, object: KubeObject): Promise<KubeObject | undefined> {
  const { [claimAnnotation]: _claim, ...kept } = annotationsOf(object)
  return removeAllBut(client, object, kept)
}

async function removeAllBut(
  client: KubeClient,
  object: KubeObject,
  annotations: Readonly<Record<string, string>>,
): Promise<KubeObject | undefined> {
  try {
    const left = await apply(client, object, { annotations }, false)
    const isDone = !hasFinalizer(left) && Object.keys(annotationsOf(left)).every((name) => name in annotations)
    return isDone ? left : await removeFromAll(client, left, annotations)
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

/** Somebody applied a manifest that has our marks: while they are theirs too, leaving them out removes nothing. */
function removeFromAll(
  client: KubeClient,
  object: KubeObject,
  kept: Readonly<Record<string, string>>,
): Promise<KubeObject> {
  const { uid, resourceVersion, finalizers = [] } = object.metadata
  const left = finalizers.filter((name) => name !== closeFinalizer)
  const dropped = Object.keys(annotationsOf(object)).filter((name) => !(name in kept))
  const annotations = Object.fromEntries(dropped.map((name) => [name, null]))
  const body = { metadata: { uid, resourceVersion, finalizers: left, annotations } }
  return client.ask('PATCH', pathOfObject(object), { body, type: mergePatch })
}
