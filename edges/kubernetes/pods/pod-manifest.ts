/**
 * The pod of one spec, as data. Whatever a Project adds comes after ours and replaces nothing of it (PROJECT-AGENT-17 to PROJECT-AGENT-22).
 * Extras stand as the Project has them: the server judges them, and its refusal names the field.
 */
import type { ProjectSpec } from '../../../crd/project.ts'
import { TerminalError } from '../../../runtime/errors.ts'
import type { PodInputs, PodSpec } from '../../ports/pods.ts'
import type { OwnerReference } from '../api/api.ts'
import { podMounts, secretData, type PodClaims, type PodMounts } from './pod-mounts.ts'
import { objectNameOf, podAnnotation, podLabels, podName } from './pod-names.ts'
import { podRefused } from './pod-reasons.ts'
import { podSecurityContext, seclusionOf, type PodSecurity } from './pod-security.ts'
import { containerVariables, servingPort } from './pod-variables.ts'

/** What all pods of an orchestrator have in common: settings of the operator. */
export interface PodShape {
  /** Of Projects that name none. */
  readonly image: string
  readonly security: PodSecurity
  /** `requests` and `limits` of the wrapper, as Kubernetes writes them; absent: none. */
  readonly resources?: object
  /** One without rights; absent: `default` of the namespace. No token of it is mounted. */
  readonly serviceAccount?: string
}

export interface PodManifestInput extends PodShape {
  readonly spec: PodSpec
  readonly inputs: PodInputs
  readonly project: Pick<ProjectSpec, 'agent' | 'scm'>
  readonly claims: PodClaims
  /** The object of the Task. */
  readonly owner: { readonly name: string; readonly uid: string }
}

export interface PodManifest {
  readonly pod: object
  /** Of the pod with this uid, which owns it. */
  secret(uid: string): object
  /** Names of `extraEnvs` that are left out, because the contract has them. */
  readonly dropped: readonly string[]
}

/** Commits and pushes of a graceful stop take longer than the 30 seconds that Kubernetes gives by default (POD-20). */
const graceSeconds = 120
/** How long a pod stays on a node that no longer answers. */
const lostNodeSeconds = 60
/** The server refuses a Secret with more (https://kubernetes.io/docs/concepts/configuration/secret/#restriction-data-size). */
const mostSecretBytes = 1024 * 1024
export const wrapperContainer = 'wrapper'

/** @throws TerminalError, reason `PodRefused`, for what no cluster can run. */
export function podManifest(input: PodManifestInput): PodManifest {
  const { spec, inputs, claims } = input
  const { namespace, name } = podName(spec.pod)
  const data = secretData(inputs)
  refuseLargeData(data)
  const mounts = podMounts(name, inputs, claims)
  const { env, dropped } = containerVariables(inputs, input.project.agent ?? {})
  return {
    pod: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace,
        name,
        labels: { ...podLabels(objectNameOf(spec.task), spec.ordinal, objectNameOf(spec.project)), ...egressOf(input) },
        annotations: { [podAnnotation]: spec.pod },
        ownerReferences: [taskOwner(input.owner)],
      },
      spec: podSpec(input, mounts, env),
    },
    secret: (uid) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name, ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid }] },
      immutable: true,
      data,
    }),
    dropped,
  }
}

function podSpec(input: PodManifestInput, mounts: PodMounts, env: readonly object[]): object {
  const { agent = {} } = input.project
  const image = agent.image || input.image
  const seclusion = seclusionOf(input.inputs.env['AGENT_SECLUSION'])
  return {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: graceSeconds,
    automountServiceAccountToken: false,
    ...(input.serviceAccount === undefined ? {} : { serviceAccountName: input.serviceAccount }),
    enableServiceLinks: false,
    ...seclusion.pod,
    securityContext: podSecurityContext(input.security),
    tolerations: ['unreachable', 'not-ready'].map((state) => ({
      key: `node.kubernetes.io/${state}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: lostNodeSeconds,
    })),
    initContainers: [
      {
        name: 'take-secrets',
        image,
        command: ['/bin/sh', '-c', mounts.script],
        volumeMounts: mounts.init,
        ...lastWords,
      },
      ...(agent.extraInitContainers ?? []),
    ],
    containers: [
      {
        name: wrapperContainer,
        image,
        env,
        ...(agent.extraEnvsFrom === undefined ? {} : { envFrom: agent.extraEnvsFrom }),
        ports: [{ name: 'http', containerPort: servingPort }],
        readinessProbe: { httpGet: { path: '/readyz', port: servingPort }, periodSeconds: 2, timeoutSeconds: 5 },
        ...(input.resources === undefined ? {} : { resources: input.resources }),
        ...seclusion.wrapper,
        volumeMounts: [...mounts.wrapper, ...(agent.extraVolumeMounts ?? [])],
        ...lastWords,
      },
      ...(agent.extraSidecarContainers ?? []),
    ],
    volumes: [...mounts.volumes, ...(agent.extraVolumes ?? [])],
  }
}

/** The end of the log comes with the status, so nobody needs the right to read logs. */
const lastWords = { terminationMessagePolicy: 'FallbackToLogsOnError' } as const

/**
 * Without `blockOwnerDeletion`: the Task's finalizer waits for all that is of it, and where the API server runs
 * OwnerReferencesPermissionEnforcement, it would take the right to update finalizers of Tasks.
 */
export function taskOwner({ name, uid }: PodManifestInput['owner']): OwnerReference {
  return { apiVersion: 'platform.dev/v1alpha1', kind: 'Task', name, uid }
}

/** POD-NETWORK-7: the domain is another one than that of all other labels. */
function egressOf({ spec, project }: PodManifestInput): Readonly<Record<string, string>> {
  const isAllowed = spec.agentKind === 'brainstorm' && project.scm.cron?.brainstorm?.sources?.includes('internet')
  return isAllowed ? { 'platform.io/egress': 'internet' } : {}
}

function refuseLargeData(data: Readonly<Record<string, string>>): void {
  const bytes = Object.values(data).reduce((sum, content) => sum + Buffer.from(content, 'base64').length, 0)
  if (bytes <= mostSecretBytes) return
  const message = `the pod's secrets and files have ${bytes} bytes, a Secret at most ${mostSecretBytes}: make its files smaller`
  throw new TerminalError(podRefused, message)
}
