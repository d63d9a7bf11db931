/**
 * What is wrong with a resource before any actor knows of it, as conditions of its own field manager: the mirror writes the
 * rest of the status. They follow from the object each time, so one that somebody edits comes back.
 */
import { dated, type Condition, type Finding } from '../../../crd/status/condition.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { applyPatch, type KubeClient, type KubeObject } from '../api/api.ts'
import { pathOfObject } from '../api/objects.ts'

/** `refused`: of the orchestrator that works for the Project. `contended`: of another one, which leaves it alone. */
export type Voice = 'refused' | 'contended'

const managers = { refused: 'statewright-admission', contended: 'statewright-contender' } as const satisfies Record<
  Voice,
  string
>

/** `Admitted=True` is the mirror's: a Task that was minted. */
function isOf(voice: Voice, { type, status }: Finding): boolean {
  if (voice === 'contended') return type === 'Contended'
  return type === 'Accepted' || (type === 'Admitted' && status === 'False')
}

/** Those of a voice that an object has. */
export function conditionsIn(object: KubeObject, voice: Voice): readonly Condition[] {
  const { conditions } = (object.status ?? {}) as { readonly conditions?: readonly Condition[] }
  return (conditions ?? []).filter((one) => isOf(voice, one))
}

/** Writes where something differs, and answers the object as it is then. `wanted` undefined: nothing is wrong. */
export async function putCondition(
  { client, clock }: { readonly client: KubeClient; readonly clock: Pick<Clock, 'now'> },
  object: KubeObject,
  voice: Voice,
  wanted?: Finding,
): Promise<KubeObject> {
  const found = conditionsIn(object, voice)
  const before = found.find(({ type }) => type === wanted?.type)
  const since = before?.status === wanted?.status ? Date.parse(before?.lastTransitionTime ?? '') : Number.NaN
  const at = Number.isNaN(since) ? clock.now() : since
  const next = wanted === undefined ? [] : [dated(wanted, at, object.metadata.generation)]
  if (found.length === next.length && next.every((one) => isSame(one, before))) return object
  const { apiVersion, kind, metadata } = object
  // An empty list, not an empty status: where nobody else has a field of it, a server makes that a null and refuses it (422).
  const status = { conditions: next }
  const body = { apiVersion, kind, metadata: { name: metadata.name }, status }
  const query = { fieldManager: managers[voice], force: true }
  return client.ask('PATCH', pathOfObject(object, 'status'), { query, body, type: applyPatch })
}

function isSame(one: Condition, other: Condition | undefined): boolean {
  return (['status', 'reason', 'message', 'observedGeneration'] as const).every((name) => one[name] === other?.[name])
}
