/** The namespace of one demo in a cluster that others use: nobody else's, and gone at the end. */
import { answered } from '../../../edges/kubernetes/api/answers.ts'
import { pathOf, type KubeClient, type KubeObject } from '../../../edges/kubernetes/api/api.ts'
import { podsResource } from '../../../edges/kubernetes/pods/pod-requests.ts'
import { release } from '../../../edges/kubernetes/reconcile/release.ts'
import { sleep, type Clock } from '../../../runtime/clock.ts'

const namespaces = { apiVersion: 'v1', plural: 'namespaces' }
/** What an agent's pod gets to commit and push, where the demo ended before it. */
const podGraceSeconds = 10
/** The collector's and the kubelet's work. */
const goneLimitMs = 120_000
const lookEveryMs = 500

/** @throws KubeError; a namespace of that name is somebody else's. */
export async function createNamespace(client: Pick<KubeClient, 'ask'>, name: string): Promise<KubeObject> {
  const metadata = { name, labels: { 'app.kubernetes.io/managed-by': 'statewright-demo' } }
  return client.ask('POST', pathOf(namespaces), { body: { apiVersion: 'v1', kind: 'Namespace', metadata } })
}

/**
 * Deletes it, and waits two minutes at most until it is gone. No orchestrator lives any more: finalizers of Projects and
 * Tasks are taken off. A later namespace of the name stays. Resolves with what keeps it there, in words; usually nothing.
 */
export async function removeNamespace(
  { client, clock }: { readonly client: KubeClient; readonly clock: Clock },
  { metadata: { name, uid } }: KubeObject,
): Promise<readonly string[]> {
  const began = clock.elapsed()
  for (;;) {
    const kept = await step({ client, clock }, name, uid).catch((error: unknown) => String(error))
    if (kept === undefined) return []
    if (clock.elapsed() - began > goneLimitMs) return [`the namespace ${name} is still there: ${kept}`]
    await sleep(clock, lookEveryMs)
  }
}

/** Undefined: it is gone. Otherwise what its last status says. */
async function step(
  deps: { readonly client: KubeClient; readonly clock: Clock },
  name: string,
  uid: string,
): Promise<string | undefined> {
  const { client } = deps
  const path = pathOf(namespaces, { name })
  const found = await client.ask('GET', path).catch((error: unknown) => {
    if (answered(error, 404)) return undefined
    throw error
  })
  if (found === undefined || found.metadata.uid !== uid) return undefined
  if (found.metadata.deletionTimestamp === undefined) {
    // The namespace's own deletion gives each pod its whole grace.
    await client.ask('DELETE', pathOf(podsResource, { namespace: name }), {
      body: { gracePeriodSeconds: podGraceSeconds },
    })
    await client.ask('DELETE', path, { body: { preconditions: { uid } } })
  } else await release(deps, [name])
  return keeping(found)
}

interface Condition {
  readonly status: string
  readonly message?: string
}

function keeping({ status }: KubeObject): string {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] }
  const messages = conditions.flatMap((one) => (one.status === 'True' && one.message ? [one.message] : []))
  return messages.join('; ') || `its phase is ${String(status?.['phase'])}`
}
