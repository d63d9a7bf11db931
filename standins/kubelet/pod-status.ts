/** A pod's status from what its containers are, by the rules of pkg/kubelet/kubelet_pods.go and status/generate.go (v1.36.3). */
import type { Condition, Container, ContainerState, Phase, Pod, Terminated } from './pod.ts'

export interface Tracked {
  readonly state: ContainerState
  readonly ready: boolean
  /** Of one that runs, or ran. */
  readonly id?: string | undefined
  /** False: its startup probe has not succeeded yet. */
  readonly started?: boolean
  /** How the run before ended. */
  readonly last?: Terminated | undefined
  readonly restarts?: number
}

export interface PodView {
  /** As the server has it: conditions of others are kept, and times of those that stay as they were. */
  readonly pod: Pod
  /** By container name, init containers too; absent: nothing happened to it yet. */
  readonly containers: Readonly<Record<string, Tracked | undefined>>
  readonly startedAt: string
  readonly hostIP: string
  /** Absent: it has no network yet. */
  readonly podIP?: string | undefined
  /** It has its network, and nothing that starts waits for it. */
  readonly hasSandbox: boolean
  /** No process of it will run any more. */
  readonly isEnded: boolean
  /** What the kubelet itself did to the pod, as an eviction. */
  readonly failed?: { readonly reason: string; readonly message: string } | undefined
  readonly disruption?: { readonly reason: string; readonly message: string } | undefined
  readonly now: string
}

/** In the order in which a kubelet sends them. */
const ownConditions = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled']

export function statusOf(given: PodView): Readonly<Record<string, unknown>> {
  const view = given.isEnded ? { ...given, containers: settled(given) } : given
  const { pod, startedAt, hostIP, podIP, hasSandbox } = view
  const init = pod.spec.initContainers ?? []
  const outcome = phaseOf(view)
  const isOutcome = outcome === 'Failed' || outcome === 'Succeeded'
  // Its conditions show the end at once, its phase only after the sandbox is away (`mergePodStatus`).
  const failed = isOutcome && !hasSandbox ? view.failed : undefined
  const phase = failed !== undefined ? 'Failed' : isOutcome && hasSandbox ? (pod.status.phase ?? 'Pending') : outcome
  const ips = podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }
  return {
    observedGeneration: pod.metadata.generation,
    phase,
    ...failed,
    conditions: conditionsOf(view, failed === undefined ? outcome : phase),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...ips,
    startTime: startedAt,
    ...(init.length === 0 ? {} : { initContainerStatuses: init.map((one) => containerStatusOf(one, view, true)) }),
    containerStatuses: pod.spec.containers.map((one) => containerStatusOf(one, view, false)),
    ...(pod.status.qosClass === undefined ? {} : { qosClass: pod.status.qosClass }),
    resources: {},
  }
}

const unknown: Tracked = {
  ready: false,
  state: {
    terminated: {
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'The container could not be located when the pod was terminated',
      startedAt: null,
      finishedAt: null,
    },
  },
}

/** `TerminatePod` of status/status_manager.go: what should have run by now and did not counts as failed. */
function settled({ pod, containers }: PodView): PodView['containers'] {
  const hasEnded = (name: string): boolean => exitCodeOf(containers[name]?.state) !== undefined
  const init = (pod.spec.initContainers ?? []).map(({ name }) => name)
  const begun = init.slice(0, init.findLastIndex((name) => containers[name]?.id !== undefined) + 1)
  const isInitialized = init.every((name) => exitCodeOf(containers[name]?.state) === 0)
  const due = [...begun, ...(isInitialized ? pod.spec.containers.map(({ name }) => name) : [])]
  const lost = due.filter((name) => !hasEnded(name)).map((name) => [name, unknown] as const)
  return { ...containers, ...Object.fromEntries(lost) }
}

/** `getPhase`: a container that waits for its next run does not make a pod Pending again. */
export function phaseOf({ pod, containers, isEnded }: PodView): Phase {
  const policy = pod.spec.restartPolicy ?? 'Always'
  const init = (pod.spec.initContainers ?? []).map(({ name }) => exitCodeOf(containers[name]?.state))
  const main = pod.spec.containers.map(({ name }) => containers[name])
  if (init.some((code) => code !== 0)) {
    const hasFailed = policy === 'Never' && init.some((code) => code !== undefined && code !== 0)
    return hasFailed || isEnded ? 'Failed' : 'Pending'
  }
  if (main.some((one) => one === undefined || ('waiting' in one.state && one.last === undefined)))
    return isEnded ? 'Failed' : 'Pending'
  const codes = main.map((one) => exitCodeOf(one?.state))
  if (codes.some((code) => code === undefined)) return 'Running'
  const isWell = codes.every((code) => code === 0)
  if (!isEnded && (policy === 'Always' || (policy === 'OnFailure' && !isWell))) return 'Running'
  return isWell ? 'Succeeded' : 'Failed'
}

function exitCodeOf(state: ContainerState | undefined): number | undefined {
  return state !== undefined && 'terminated' in state ? state.terminated.exitCode : undefined
}

interface Verdict {
  readonly status: 'True' | 'False'
  readonly reason?: string
  readonly message?: string
}

function conditionsOf(view: PodView, phase: Phase): readonly Condition[] {
  const { pod, hasSandbox, disruption, now } = view
  const ready = readyOf(view, phase)
  const verdicts: Readonly<Record<string, Verdict>> = {
    ...(disruption === undefined ? {} : { DisruptionTarget: { status: 'True', ...disruption } }),
    PodReadyToStartContainers: { status: hasSandbox ? 'True' : 'False' },
    Initialized: initializedOf(view, phase),
    Ready: ready,
    ContainersReady: ready,
    PodScheduled: { status: 'True' },
  }
  const before = pod.status.conditions ?? []
  const others = before.filter(({ type }) => verdicts[type] === undefined)
  return [
    ...others,
    ...Object.entries(verdicts).map(([type, verdict]) => conditionOf(type, verdict, view, before)),
  ].map((one) =>
    ownConditions.includes(one.type) ? one : { ...one, lastTransitionTime: one.lastTransitionTime ?? now },
  )
}

function conditionOf(type: string, verdict: Verdict, { pod, now }: PodView, before: readonly Condition[]): Condition {
  const known = before.find((one) => one.type === type)
  const lastTransitionTime = known?.status === verdict.status ? (known.lastTransitionTime ?? now) : now
  const { generation } = pod.metadata
  const observed = generation === undefined ? {} : { observedGeneration: generation }
  return { type, ...observed, lastProbeTime: null, lastTransitionTime, ...verdict }
}

function readyOf({ pod, containers }: PodView, phase: Phase): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' }
  const unready = pod.spec.containers.filter(({ name }) => containers[name]?.ready !== true)
  return unready.length === 0 ? { status: 'True' } : lacking('ContainersNotReady', 'unready', unready)
}

function initializedOf({ pod, containers }: PodView, phase: Phase): Verdict {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' }
  const hasStarted = pod.spec.containers.some(({ name }) => containers[name]?.id !== undefined)
  const incomplete = (pod.spec.initContainers ?? []).filter(({ name }) => exitCodeOf(containers[name]?.state) !== 0)
  if (hasStarted || incomplete.length === 0) return { status: 'True' }
  return lacking('ContainersNotInitialized', 'incomplete', incomplete)
}

/** Names as Go prints a list. */
function lacking(reason: string, word: string, containers: readonly Container[]): Verdict {
  const names = containers.map(({ name }) => name).join(' ')
  return { status: 'False', reason, message: `containers with ${word} status: [${names}]` }
}

function containerStatusOf(
  { name, image, resources, volumeMounts = [] }: Container,
  { pod, containers }: PodView,
  isInit: boolean,
): Readonly<Record<string, unknown>> {
  const hasInit = (pod.spec.initContainers ?? []).length > 0
  const {
    state,
    ready,
    id,
    last,
    started = true,
    restarts = 0,
  }: Tracked = containers[name] ?? {
    state: { waiting: { reason: hasInit ? 'PodInitializing' : 'ContainerCreating' } },
    ready: false,
    id: undefined,
  }
  const isRunning = 'running' in state
  const requests = resources?.requests
  return {
    name,
    state: 'terminated' in state && id !== undefined ? { terminated: { ...state.terminated, containerID: id } } : state,
    lastState: last === undefined ? {} : { terminated: last },
    ready: isInit ? exitCodeOf(state) === 0 : ready,
    restartCount: restarts,
    image,
    imageID: id === undefined ? '' : image,
    ...(id === undefined ? {} : { containerID: id }),
    started: isRunning && started,
    ...(id === undefined ? {} : { ...(requests && { allocatedResources: requests }), resources: resources ?? {} }),
    ...(volumeMounts.length === 0 ? {} : { volumeMounts: volumeMounts.map(mountStatusOf) }),
  }
}

function mountStatusOf({ name, mountPath, readOnly }: NonNullable<Container['volumeMounts']>[number]): object {
  const own = { name, mountPath }
  return readOnly === true ? { ...own, readOnly, recursiveReadOnly: 'Disabled' } : own
}
