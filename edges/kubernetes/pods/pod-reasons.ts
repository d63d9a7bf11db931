/** Why a pod ended, as a few constants: a key of counts. What else a cluster says goes into the detail. */

/** Of an end without any other. */
export const deletedReason = 'deleted'
/** Of one that this version has no constant for. */
export const otherReason = 'Other'
/** Why a pod was not made, or not taken: what `create` throws. */
export const podRefused = 'PodRefused'
/** The same of a volume. */
export const claimRefused = 'ClaimRefused'

/** An image that cannot be named, or may not be pulled: no wait mends it. */
export const hopelessWaits: readonly string[] = ['InvalidImageName', 'ErrImageNeverPull']

/** What a registry, a runtime or a Secret that comes later may still mend (pkg/kubelet/images, pkg/kubelet/kuberuntime). */
export const mendableWaits: readonly string[] = [
  'ErrImagePull',
  'ImagePullBackOff',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'ImageVolumeMountFailed',
  'RROUnsupported',
  'PreCreateHookError',
  'PreStartHookError',
  'PostStartHookError',
]

export const unschedulable = 'Unschedulable'

/** Of a container that ended, where it says more than that it did. */
export const containerEnds: readonly string[] = [
  'OOMKilled',
  'StartError',
  'ContainerCannotRun',
  'DeadlineExceeded',
  ...mendableWaits,
]
/** Of one where the pod's own reason says more. */
export const plainEnds: readonly string[] = ['Error', 'ContainerStatusUnknown']

/** Of a pod: `status.reason`, as kubelets and admission on the node write it. */
export const podEnds: readonly string[] = [
  'Evicted',
  'Terminated',
  'NodeShutdown',
  'NodeLost',
  'Preempting',
  'UnexpectedAdmissionError',
  'OutOfcpu',
  'OutOfmemory',
  'OutOfpods',
  'OutOfephemeral-storage',
  'NodeAffinity',
  'NodePorts',
  'TaintToleration',
  'AppArmor',
  'PodOSNotSupported',
  'PodLevelResourcesNotSupported',
  'SysctlForbidden',
  'VolumeAttachmentLimitExceeded',
  'DeadlineExceeded',
]

/** Of the condition `DisruptionTarget` (https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions). */
export const disruptions: readonly string[] = [
  'PreemptionByScheduler',
  'DeletionByTaintManager',
  'EvictionByEvictionAPI',
  'DeletionByPodGC',
  'TerminationByKubelet',
]
