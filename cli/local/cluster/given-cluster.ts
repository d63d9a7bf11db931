/** A cluster that is there already: the demo has a namespace of its own in it, and touches nothing else. */
import { join } from 'node:path'
import { createKubeClient } from '../../../edges/kubernetes/api/client.ts'
import { definitionFaults } from '../../../edges/kubernetes/doctor/doctor-definitions.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { programDir } from '../../program.ts'
import type { ClusterParts } from './cluster-parts.ts'
import { createNamespace, removeNamespace } from './demo-namespace.ts'
import type { Closes } from './servers.ts'

export interface GivenCluster {
  readonly kubeconfig: string
  /** Of agents' pods. */
  readonly image: string
  /** Of this demo alone; nobody has it yet. */
  readonly namespace: string
  /** How pods reach the orchestrator's first listener. */
  readonly operatorUrl: string
  /** And its second one; absent: at the host of the first, on its own port. */
  readonly internalUrl: string | undefined
  /** Absent: the cluster's own choice. */
  readonly storageClass: string | undefined
}

/** Before anything is started or written. @throws what the cluster lacks, and the command that mends it. */
export async function checkGivenCluster({ kubeconfig }: Pick<GivenCluster, 'kubeconfig'>): Promise<void> {
  const client = createKubeClient({ kubeconfig })
  try {
    const faults = await definitionFaults(client)
    if (faults.length === 0) return
    const names = faults.map(({ name, is, fields }) => [`${name} is ${is}`, ...fields].join(' '))
    const folder = join(programDir, 'crd', 'generated')
    throw new Error(
      `the cluster lacks definitions of this program: ${names.join(', ')}\n` +
        `apply them: kubectl --kubeconfig ${kubeconfig} apply --server-side -f ${folder}`,
    )
  } finally {
    await client.close()
  }
}

/** `left`: takes what stays in the cluster when the namespace cannot be removed. */
export async function openGivenCluster(
  { kubeconfig, namespace: name, image }: GivenCluster,
  { closes, left }: { readonly closes: Closes; readonly left: string[] },
): Promise<ClusterParts> {
  const client = createKubeClient({ kubeconfig })
  closes(() => client.close())
  const namespace = await createNamespace(client, name)
  closes(async () => void left.push(...(await removeNamespace({ client, clock: systemClock }, namespace))))
  return { client, kubeconfig, namespace: name, image }
}
