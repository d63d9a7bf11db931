/** Where an object of our kinds is at the API server, and how it is deleted there. */
import { kindNamed } from '../../../crd/kinds.ts'
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
  await deleteAt(client, pathOfObject(object), { uid: object.metadata.uid })
}

interface Deletion {
  readonly uid: string
  /** Absent: the object's own grace. */
  readonly graceSeconds?: number
}

/**
 * False: it is gone already, or a later object has its name. Grace and uid stand in the body: a server that gets one ignores
 * what the address says. @throws every other answer.
 */
export async function deleteAt(
  client: Pick<KubeClient, 'ask'>,
  path: string,
  { uid, graceSeconds }: Deletion,
): Promise<boolean> {
  const grace = graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...grace, preconditions: { uid } }
  try {
    await client.ask('DELETE', path, { body })
    return true
  } catch (error) {
    if (answered(error, 404) || answered(error, 409)) return false
    throw error
  }
}
