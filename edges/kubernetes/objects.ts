/** Where an object of our kinds is at the API server, and how it is deleted there. */
import { kindNamed } from '../../crd/kinds.ts'
import { answered } from './answers.ts'
import { pathOf, type KubeClient, type KubeObject, type Where } from './api.ts'

/** Of an object, or of a view of one that may not be there yet. @throws for a kind that is none of ours. */
export function pathOfObject(
  { kind, metadata }: { readonly kind: string; readonly metadata: Pick<KubeObject['metadata'], 'namespace' | 'name'> },
  subresource?: Where['subresource'],
): string {
  const known = kindNamed(kind)
  if (known === undefined) throw new Error(`${kind} is no kind of ours`)
  const { name, namespace = 'default' } = metadata
  return pathOf(known, { namespace, name, ...(subresource === undefined ? {} : { subresource }) })
}

/** @throws every answer but that it is gone already, or is a later object of the name. */
export async function deleteObject(client: Pick<KubeClient, 'ask'>, object: KubeObject): Promise<void> {
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: object.metadata.uid } }
  try {
    await client.ask('DELETE', pathOfObject(object), { body })
  } catch (error) {
    if (!answered(error, 404) && !answered(error, 409)) throw error
  }
}
