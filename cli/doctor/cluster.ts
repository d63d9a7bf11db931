/** All checks of a cluster. Whatever happens, the probe's objects are removed before it ends. */
import type { KubeClient } from '../../edges/kubernetes/api/api.ts'
import {
  clientPod,
  ownedObjects,
  probeJob,
  probeSelector,
  type ProbeOptions,
} from '../../edges/kubernetes/doctor/doctor-objects.ts'
import { removeProbe, runProbe, type ProbeDeps, type ProbeSeen } from '../../edges/kubernetes/doctor/doctor-run.ts'
import { admissionCheck, definitionsCheck, rightsCheck, stacksCheck, type Account } from './asked-checks.ts'
import { check, type Check } from './check.ts'
import { probeChecks } from './probe-checks.ts'

interface ClusterDeps extends ProbeDeps {
  /** As the ServiceAccount. */
  readonly asAccount: Pick<KubeClient, 'ask'>
  /** How long the removal may take. */
  readonly removalMs: number
}

/** @throws KubeError where the API server does not answer at all. */
export async function checkCluster(
  options: ProbeOptions,
  account: Account,
  { asAccount, removalMs, ...deps }: ClusterDeps,
): Promise<readonly Check[]> {
  const { client, clock } = deps
  await client.ask('GET', '/version')
  const asked = await Promise.all([
    definitionsCheck(client),
    rightsCheck(asAccount, account, options.namespace),
    admissionCheck(asAccount, account, options),
    stacksCheck({ client, asAccount }, account, options.namespace),
  ])
  let seen: ProbeSeen | undefined
  let left: readonly string[] = []
  try {
    seen = await runProbe(options, deps)
  } finally {
    if (seen?.mayBeMade !== false) {
      deps.onProgress('removing the probe')
      left = await removeProbe(options, { client, clock, limitMs: removalMs })
    }
  }
  return [...asked, ...probeChecks(options, seen), ...leftCheck(options, left)]
}

function leftCheck({ namespace, name }: ProbeOptions, left: readonly string[]): readonly Check[] {
  if (left.length === 0) return []
  const step = `kubectl delete jobs,pods,pvc,secrets,networkpolicies -n ${namespace} -l ${probeSelector(name)}`
  return [check('removal', 'failed', `still there: ${left.join(', ')}`, step)]
}

/** What `checkCluster` would make, in that order. */
export function probeManifests(options: ProbeOptions): readonly object[] {
  const [jobUid, address] = ['uid-of-the-job', 'address-of-the-server']
  return [probeJob(options), ...ownedObjects(options, jobUid), clientPod(options, jobUid, address)].map(
    ({ body }) => body,
  )
}
