/** What each reason of `pod-reasons.ts` teaches. The README has the same table, and people read the steps in a Task's detail. */

interface RemediationHint {
  /** Constants that teach the same. */
  readonly reasons: readonly string[]
  readonly happened: string
  /** What a person does; short, since a comment shows 300 letters of a detail. */
  readonly next: string
}

const anyExit = 'exit-<code>'
const room = 'give the cluster more room, or lower AGENT_RESOURCES'

export const remediationHints: readonly RemediationHint[] = [
  {
    reasons: ['InvalidImageName'],
    happened: 'The image has no valid name.',
    next: 'correct AGENT_IMAGE, or the image of the Project',
  },
  {
    reasons: ['ErrImageNeverPull'],
    happened: 'The node has no such image, and may not pull one.',
    next: 'load the image on the nodes, or let them pull it',
  },
  {
    reasons: ['ErrImagePull', 'ImagePullBackOff', 'RegistryUnavailable'],
    happened: 'No registry gave the image within two minutes.',
    next: 'see that the image is there, and that the nodes may pull it',
  },
  {
    reasons: ['ImageInspectError', 'ImageVolumeMountFailed'],
    happened: 'The node has the image and cannot use it.',
    next: 'look at the container runtime of the node, and at the image',
  },
  {
    reasons: ['SignatureValidationFailed'],
    happened: 'The node does not trust the signature of the image.',
    next: 'sign the image, or correct the policy of the nodes',
  },
  {
    reasons: ['CreateContainerConfigError'],
    happened: 'A Secret, a ConfigMap or a user that the pod names is not there.',
    next: 'create what it names, or take it out of the Project',
  },
  {
    reasons: ['CreateContainerError', 'RunContainerError', 'StartError', 'ContainerCannotRun'],
    happened: 'The container runtime did not start the container.',
    next: 'correct the command or the mounts that it names; else look at the runtime of the node',
  },
  {
    reasons: ['RROUnsupported'],
    happened: 'The node makes no mount read-only in all its depth.',
    next: 'leave `recursiveReadOnly` out of the Project’s mounts, or use newer nodes',
  },
  {
    reasons: ['PreCreateHookError', 'PreStartHookError', 'PostStartHookError'],
    happened: 'A hook of a container failed.',
    next: 'correct the hook of the container that it names',
  },
  {
    reasons: ['Unschedulable'],
    happened: 'No node took the pod for five minutes.',
    next: `${room}; the words name what each node lacks`,
  },
  {
    reasons: ['OOMKilled'],
    happened: 'The kernel ended the wrapper, because the container was out of memory.',
    next: 'raise the memory limit in AGENT_RESOURCES',
  },
  {
    reasons: ['Error', anyExit],
    happened: 'The wrapper ended by itself, or by a signal.',
    next: 'read the last lines of its log; `statewright logs` has more of it for 15 minutes',
  },
  {
    reasons: ['ContainerStatusUnknown'],
    happened: 'The node lost sight of the container, for example at a restart.',
    next: 'look at the node; another pod takes over',
  },
  {
    reasons: ['Evicted', 'TerminationByKubelet'],
    happened: 'The node was short of memory or disk and ended the pod.',
    next: 'raise the requests in AGENT_RESOURCES, also for `ephemeral-storage`, or use larger nodes',
  },
  {
    reasons: ['Terminated', 'NodeShutdown'],
    happened: 'The machine of the node was shut down.',
    next: 'nothing: another pod takes over; drain nodes before you stop them',
  },
  {
    reasons: ['NodeLost', 'DeletionByTaintManager', 'DeletionByPodGC'],
    happened: 'The node was lost or removed.',
    next: 'look why the node went; another pod takes over',
  },
  {
    reasons: ['Preempting', 'PreemptionByScheduler'],
    happened: 'A pod of higher priority took the place.',
    next: 'give the cluster more room, or the namespace a higher default priority',
  },
  {
    reasons: ['EvictionByEvictionAPI'],
    happened: 'Somebody evicted the pod, for example by a drain.',
    next: 'nothing: another pod takes over',
  },
  {
    reasons: ['OutOfcpu', 'OutOfmemory', 'OutOfpods', 'OutOfephemeral-storage'],
    happened: 'The node refused the pod, because it was full by then.',
    next: room,
  },
  {
    reasons: ['NodeAffinity', 'NodePorts', 'TaintToleration', 'PodOSNotSupported', 'VolumeAttachmentLimitExceeded'],
    happened: 'The node refused the pod, because the two do not fit.',
    next: 'give the pods nodes that fit, and look who bound the pod to this one',
  },
  {
    reasons: ['AppArmor', 'SysctlForbidden', 'PodLevelResourcesNotSupported', 'UnexpectedAdmissionError'],
    happened: 'The node refused something that the pod asks for.',
    next: 'correct what the words name, in the Project or on the node',
  },
  {
    reasons: ['DeadlineExceeded'],
    happened: 'The pod lived longer than a deadline that it was given in the cluster.',
    next: 'find the policy that sets `activeDeadlineSeconds`; the platform sets none',
  },
  {
    reasons: ['PodRefused'],
    happened: 'The API server, or the adapter for it, refused the pod.',
    next: 'correct what the words name: a setting, the Project, a quota or a policy',
  },
  {
    reasons: ['ClaimRefused'],
    happened: 'The API server refused the claim of a volume.',
    next: 'correct `workspace` of the Project, a quota or a policy',
  },
  {
    reasons: ['deleted'],
    happened: 'The pod was deleted, and its kubelet left no other reason.',
    next: 'nothing, unless nobody meant it: then find out who deletes pods',
  },
  {
    reasons: ['Other'],
    happened: 'The cluster gave a reason that this version has no constant for.',
    next: 'read the words',
  },
]

const byReason = new Map(remediationHints.flatMap((lesson) => lesson.reasons.map((reason) => [reason, lesson])))

function nextStep(reason: string): string {
  const lesson = byReason.get(reason.startsWith('exit-') ? anyExit : reason) ?? byReason.get('Other')!
  return lesson.next
}

/** The next step, then the words of the cluster: whoever cuts the end cuts those. */
export function taught(reason: string, words = ''): string {
  return words === '' ? nextStep(reason) : `${nextStep(reason)} (${words})`
}
