import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createKubeClient } from '../../../edges/kubernetes/api/client.ts'
import { namespaceOf } from '../../../edges/kubernetes/api/credentials.ts'
import type { ProbeOptions } from '../../../edges/kubernetes/doctor/doctor-objects.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { count, flag, readArgs, text, UsageError, type Parsed } from '../../args.ts'
import { exitCodeOf, listing, type Check } from '../../doctor/check.ts'
import { checkCluster, probeManifests } from '../../doctor/cluster.ts'
import { checkMachine } from '../../doctor/machine.ts'
import { untilInterrupted } from '../../local/processes/interrupt.ts'
import { print, printError } from '../../output/terminal.ts'
import { yamlLines } from '../../output/yaml-lines.ts'

const usage = `usage: statewright doctor [--json]
       statewright doctor --cluster --image IMAGE [options]

Looks whether agents can run: on this machine, or with --cluster in a Kubernetes cluster. It prints a line for each check, and
the next step where one failed.

With --cluster it runs a probe in a namespace: a Job, three pods, a claim, a Secret and two NetworkPolicies, under a random
name. It removes all of them before it ends, also after Ctrl-C. Where it is killed the Job goes by itself some minutes later,
and takes the others along. It asks for a claim as large as a Task's.

  --cluster               check a cluster
  --image IMAGE           the wrapper's, as AGENT_IMAGE has it
  --kubeconfig FILE       how to reach the cluster (default: KUBECONFIG, ~/.kube/config, or the pod that this runs in)
  --namespace NS          where Projects are, and so agents (default: that of the kubeconfig)
  --storage-class CLASS   of workspaces (default: the cluster's)
  --run-as-user NUMBER    as AGENT_RUN_AS_USER has it
  --fs-group NUMBER       as AGENT_FS_GROUP has it
  --service-account NAME  the orchestrator's (default: statewright)
  --lease-namespace NS    where the orchestrator runs (default: default)
  --timeout SECONDS       how long the probe may take (default: 180)
  --print                 print the manifests of the probe, and ask nothing
  --json                  print one line of JSON

Exit code 0: nothing failed. 1: something failed.

Example: statewright doctor --cluster --namespace team --image registry.example/statewright-wrapper:v1`

const options = {
  cluster: { type: 'boolean' },
  image: { type: 'string' },
  kubeconfig: { type: 'string' },
  namespace: { type: 'string' },
  'storage-class': { type: 'string' },
  'run-as-user': { type: 'string' },
  'fs-group': { type: 'string' },
  'service-account': { type: 'string' },
  'lease-namespace': { type: 'string' },
  timeout: { type: 'string' },
  print: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

const usualSeconds = 180
/** Beyond the wait: the probe's pods outlive it by this, and end then by themselves. */
const spareSeconds = 60
const removalMs = 60_000

export async function doctor(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  const isCluster = flag(parsed, 'cluster')
  const image = text(parsed, 'image') ?? ''
  if (parsed.positionals.length > 0 || isCluster !== (image !== '')) throw new UsageError(usage)
  const isJson = flag(parsed, 'json')
  if (!isCluster) return report(checkMachine(process.env['PATH'] ?? ''), isJson)
  const timeoutSeconds = count(parsed, 'timeout', usualSeconds)
  if (flag(parsed, 'print')) {
    printManifests(
      probeManifests(probeOf(parsed, image, text(parsed, 'namespace') ?? 'default', timeoutSeconds)),
      isJson,
    )
    return 0
  }
  return report(await cluster(parsed, image, timeoutSeconds, isJson), isJson)
}

async function cluster(
  parsed: Parsed,
  image: string,
  timeoutSeconds: number,
  isJson: boolean,
): Promise<readonly Check[]> {
  const kubeconfig = kubeconfigOf(parsed)
  const probe = probeOf(parsed, image, text(parsed, 'namespace') ?? namespaceOf(kubeconfig), timeoutSeconds)
  const account = {
    leaseNamespace: text(parsed, 'lease-namespace') ?? 'default',
    serviceAccount: text(parsed, 'service-account') ?? 'statewright',
  }
  const client = createKubeClient({ kubeconfig })
  const as = `system:serviceaccount:${account.leaseNamespace}:${account.serviceAccount}`
  const asAccount = createKubeClient({ kubeconfig, as })
  const began = systemClock.elapsed()
  const onProgress = (what: string): void => {
    if (!isJson) printError(`... ${Math.round((systemClock.elapsed() - began) / 1000)} s: ${what}`)
  }
  const signal = untilInterrupted()
  try {
    return await checkCluster(probe, account, {
      ...{ client, asAccount, clock: systemClock, signal, limitMs: timeoutSeconds * 1000, removalMs, onProgress },
    })
  } finally {
    await Promise.all([client.close(), asAccount.close()])
  }
}

/** Undefined: this is a pod. */
function kubeconfigOf(parsed: Parsed): string | undefined {
  const own = join(homedir(), '.kube', 'config')
  return text(parsed, 'kubeconfig') ?? (process.env['KUBECONFIG'] || (existsSync(own) ? own : undefined))
}

function probeOf(parsed: Parsed, image: string, namespace: string, timeoutSeconds: number): ProbeOptions {
  const [user, group] = [count(parsed, 'run-as-user', -1), count(parsed, 'fs-group', -1)]
  return {
    name: `statewright-doctor-${randomUUID().slice(0, 8)}`,
    namespace,
    image,
    storageClass: text(parsed, 'storage-class'),
    security: {
      runAsNonRoot: user > 0,
      ...(user < 0 ? {} : { runAsUser: user }),
      ...(group < 0 ? {} : { fsGroup: group }),
    },
    lifeSeconds: timeoutSeconds + spareSeconds,
  }
}

function printManifests(manifests: readonly object[], isJson: boolean): void {
  const list = { apiVersion: 'v1', kind: 'List', items: manifests }
  print(isJson ? JSON.stringify(list) : yamlLines(manifests))
}

function report(checks: readonly Check[], isJson: boolean): number {
  print(isJson ? JSON.stringify({ checks }) : listing(checks))
  return exitCodeOf(checks)
}
