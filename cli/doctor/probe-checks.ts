/** What the probe's pods show. */
import type { KubeObject } from '../../edges/kubernetes/api/api.ts'
import { probeNames, type ProbePart } from '../../edges/kubernetes/doctor/doctor-objects.ts'
import type { ProbeSeen } from '../../edges/kubernetes/doctor/doctor-run.ts'
import { wrapperContainer } from '../../edges/kubernetes/pods/pod-manifest.ts'
import { podState } from '../../edges/kubernetes/pods/pod-state.ts'
import type { NetworkReport } from '../../wrapper/probe/network.ts'
import type { WallsReport } from '../../wrapper/probe/walls.ts'
import { check, type Check } from './check.ts'
import { admissionGrant, insideGrant, isolationLack, nodeGrant, versionGrant } from './grants.ts'

interface Probed {
  readonly name: string
  readonly namespace: string
  readonly storageClass?: string | undefined
  readonly image: string
}

type Report = WallsReport | NetworkReport

/** Why a pod has not reported. */
interface Trouble {
  readonly status: 'failed' | 'unproven'
  readonly why: string
  readonly next: string
}

/** What a node says that cannot start a pod with users of its own. */
const userNamespaceTrouble = /user ?namespace|idmap|hostUsers|userns|id-?map/i

export function probeChecks(probed: Probed, seen: ProbeSeen): readonly Check[] {
  return [usersCheck, namespacesCheck, workspaceCheck, networkCheck].map((judge) => judge(probed, seen))
}

function usersCheck(probed: Probed, seen: ProbeSeen): Check {
  const id = 'user-namespaces'
  const pod = seen.pods.walls
  const lack = pod === undefined ? undefined : isolationLack(pod)
  if (lack !== undefined) return check(id, 'failed', lack, versionGrant)
  const report = wallsOf(pod)
  if (report === undefined) {
    const { status, why, next } = troubleOf(probed, seen, 'walls')
    return check(id, status, why, next)
  }
  if (report.ownUsers)
    return check(id, 'ok', 'a pod with hostUsers: false and procMount: Unmasked started, with users of its own')
  return check(
    id,
    'failed',
    'the pod started with the users of its node: hostUsers: false has no effect there',
    nodeGrant,
  )
}

function namespacesCheck(_probed: Probed, { pods }: ProbeSeen): Check {
  const id = 'pod-namespaces'
  const report = wallsOf(pods.walls)
  if (report === undefined) return check(id, 'unproven', 'no pod started', 'see user-namespaces')
  if (report.unwritable.length > 0)
    return check(id, 'failed', `the wrapper may not write ${report.unwritable.join(', ')}`, userStep)
  if (report.kind === undefined || report.kind === 'none')
    return check(id, 'failed', `the pod refuses namespaces: ${report.refusals.join('; ')}`, insideGrant)
  if (report.faults.length > 0)
    return check(id, 'failed', `the walls around an agent do not hold: ${report.faults.join('; ')}`, insideGrant)
  return check(id, 'ok', `the wrapper made the agent's namespaces, and they hold (${report.kind})`)
}

const userStep = 'set AGENT_RUN_AS_USER and AGENT_FS_GROUP, and give them here too: --run-as-user, --fs-group'

function workspaceCheck(probed: Probed, seen: ProbeSeen): Check {
  const id = 'workspace'
  const names = probeNames(probed.name)
  const { claim, refused, warnings, pods } = seen
  const refusal = refused[`persistentvolumeclaims/${names.claim}`]
  const which = probed.storageClass === undefined ? 'the default class' : `class ${probed.storageClass}`
  if (refusal !== undefined)
    return check(id, 'failed', refusal, 'let admission and quotas take a claim of ReadWriteMany')
  if (claim === undefined) return notTried(id, seen)
  const { phase = 'Pending', capacity } = (claim.status ?? {}) as {
    readonly phase?: string
    readonly capacity?: Capacity
  }
  const workspacePod = pods.workspace
  if (phase !== 'Bound') {
    // Of a class that waits for its first consumer the pod's words say more.
    const why = [warnings[claim.metadata.uid], workspacePod && warnings[workspacePod.metadata.uid]]
      .filter(Boolean)
      .join('; ')
    const text = `a ReadWriteMany claim of ${which} is ${phase} after ${secondsOf(seen)}${why === '' ? '' : `: ${why}`}`
    if (seen.isInterrupted) return check(id, 'unproven', text, again)
    return check(
      id,
      'failed',
      text,
      'name a class whose plugin makes ReadWriteMany volumes: --storage-class, spec.workspace.storageClass',
    )
  }
  const report = wallsOf(workspacePod)
  if (report === undefined) return unmounted(probed, seen, which)
  if (report.unwritable.length > 0)
    return check(
      id,
      'failed',
      `the claim is bound, and the wrapper may not write ${report.unwritable.join(', ')}`,
      userStep,
    )
  return check(
    id,
    'ok',
    `a ReadWriteMany claim of ${which} is bound (${capacity?.storage ?? 'size unknown'}); a pod with users of its own writes it`,
  )
}

interface Capacity {
  readonly storage?: string
}

/** Bound, and no pod with it ran. Where one without it did, the volume is to blame. */
function unmounted(probed: Probed, seen: ProbeSeen, which: string): Check {
  const id = 'workspace'
  const { why, next } = troubleOf(probed, seen, 'workspace')
  if (seen.isInterrupted || wallsOf(seen.pods.walls) === undefined)
    return check(id, 'unproven', `the claim of ${which} is bound; its pod did not run: ${why}`, 'see user-namespaces')
  return check(
    id,
    'failed',
    `the claim of ${which} is bound, and a pod with users of its own does not start with it: ${why}`,
    userNamespaceTrouble.test(why)
      ? 'choose a class whose file system takes idmapped mounts, as ext4, xfs and, from Linux 6.7, CephFS do; NFS takes none'
      : next,
  )
}

function networkCheck(probed: Probed, seen: ProbeSeen): Check {
  const id = 'network-policy'
  const names = probeNames(probed.name)
  const refusal = [names.ingress, names.egress].map((name) => seen.refused[`networkpolicies/${name}`]).find(Boolean)
  if (refusal !== undefined)
    return check(id, 'unproven', `not tried: ${refusal}`, 'run this as somebody who may create NetworkPolicies')
  const report = reportOf(seen.pods.client)
  if (report?.probe === 'network') {
    if (!report.open)
      return check(
        id,
        'unproven',
        'not tried: the client reaches not even the port that is open to all',
        'look whether another policy, or the network, keeps pods of the namespace apart',
      )
    if (!report.denied)
      return check(id, 'ok', 'enforced: a pod reached the port that is open, and not the one that is denied')
    return check(
      id,
      'failed',
      'not enforced: a pod reached a port that a NetworkPolicy denies',
      'use a network plugin that enforces NetworkPolicies, such as Calico or Cilium: without one, agents reach whatever the cluster does',
    )
  }
  const part: ProbePart = seen.pods.client === undefined ? 'server' : 'client'
  const { why, next } = troubleOf(probed, seen, part)
  return check(id, 'unproven', `not tried: ${why}`, next)
}

const again = 'run it again, and let it come to its end'

function notTried(id: string, seen: ProbeSeen): Check {
  if (seen.isInterrupted) return check(id, 'unproven', 'interrupted', again)
  const refusal = Object.values(seen.refused)[0]
  return check(
    id,
    'unproven',
    refusal ?? 'nothing was made',
    'run this as somebody who may create Jobs, pods, claims and Secrets there',
  )
}

/** Of a pod that has no report. */
function troubleOf({ name, namespace, image }: Probed, seen: ProbeSeen, part: ProbePart): Trouble {
  const pod = seen.pods[part]
  if (pod === undefined) return absence(namespace, name, seen, part)
  const state = podState(pod)
  const warning = seen.warnings[pod.metadata.uid]
  const words = (first: string): string => [first, ...(warning === undefined ? [] : [warning])].join(': ')
  if (state.is === 'ended' || state.is === 'waiting') {
    const why = words([state.reason, state.detail].filter(Boolean).join(': '))
    return { status: 'failed', why: `the pod did not start: ${why}`, next: stepFor(why, image) }
  }
  if (seen.isInterrupted) return { status: 'unproven', why: 'interrupted', next: again }
  const why = words(`the pod did not run within ${secondsOf(seen)}`)
  return { status: 'failed', why, next: stepFor(why, image) }
}

function absence(namespace: string, name: string, seen: ProbeSeen, part: ProbePart): Trouble {
  if (seen.isInterrupted) return { status: 'unproven', why: 'interrupted', next: again }
  const names = { ...probeNames(name), walls: '' }
  const job = seen.refused[`jobs/${name}`]
  const ofJob = seen.jobUid === undefined ? undefined : seen.warnings[seen.jobUid]
  // A pod like the Job's was refused to us, in the same words.
  const refusal =
    part === 'walls' ? (ofJob ?? seen.refused[`pods/${names.workspace}`]) : seen.refused[`pods/${names[part]}`]
  if (job !== undefined)
    return {
      status: 'unproven',
      why: job,
      next: 'run this as somebody who may create Jobs, pods, claims and Secrets there',
    }
  if (refusal === undefined)
    return {
      status: 'failed',
      why: `there was no pod within ${secondsOf(seen)}`,
      next: 'see that the Job controller runs, and that the image starts',
    }
  return { status: 'failed', why: `the pod was not made: ${refusal}`, next: admissionGrant(refusal, namespace) }
}

function stepFor(why: string, image: string): string {
  if (userNamespaceTrouble.test(why)) return nodeGrant
  if (/Image/.test(why))
    return `see that nodes can pull ${image}: its name, its registry, imagePullSecrets of the ServiceAccount`
  if (/Unschedulable|FailedScheduling/.test(why)) return 'add a node that takes this pod, or room on one'
  if (/FailedMount|FailedAttachVolume/.test(why)) return 'see that nodes can mount the volume'
  if (/usage: statewright|exit code 2\b/.test(why)) return `use an image of this release: ${image} has no probe`
  return 'AGENT_SECLUSION=required starts no agent where this pod does not start: kubectl describe shows the node’s reason while it lasts'
}

function wallsOf(pod: KubeObject | undefined): WallsReport | undefined {
  const report = reportOf(pod)
  return report?.probe === 'walls' ? report : undefined
}

interface Terminated {
  readonly containerStatuses?: readonly {
    readonly name: string
    readonly state?: { readonly terminated?: { readonly message?: string } }
  }[]
}

/** The last message of its container, where that is a report. */
function reportOf(pod: KubeObject | undefined): Report | undefined {
  const { containerStatuses = [] } = (pod?.status ?? {}) as Terminated
  const { message = '' } = containerStatuses.find(({ name }) => name === wrapperContainer)?.state?.terminated ?? {}
  try {
    const report: unknown = JSON.parse(message)
    return typeof report === 'object' && report !== null && 'probe' in report ? (report as Report) : undefined
  } catch {
    return undefined
  }
}

function secondsOf({ waitedMs }: ProbeSeen): string {
  return `${Math.round(waitedMs / 1000)} s`
}
