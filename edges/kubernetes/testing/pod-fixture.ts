/** A pod's spec, its inputs and a Project with every field of AgentSpec, for tests. */
import type { ProjectSpec } from '../../../crd/project.ts'
import type { PodInputs, PodSpec } from '../../ports/pods.ts'
import type { PodManifestInput } from '../pods/pod-manifest.ts'

export function aPodSpec(change: Partial<PodSpec> = {}): PodSpec {
  const { task = 'default/implement-a-1', ordinal = 2 } = change
  return {
    pod: `${task}/${ordinal}`,
    task,
    ordinal,
    project: 'default/demo',
    agentKind: 'implement',
    model: 'claude-opus-5-5',
    effort: 'high',
    permissionMode: 'dontAsk',
    turnTimeoutSeconds: 60,
    agentPodTTLSeconds: 600,
    repositories: [],
    ...change,
  }
}

export const podInputs: PodInputs = {
  env: { PLATFORM_TASK: 'default/implement-a-1', OIDC_ISSUER: 'http://issuer.invalid', AGENT_SECLUSION: 'required' },
  secrets: { PLATFORM_POD_TOKEN_FILE: 'the-token', MODEL_PROVIDER_API_KEY_FILE: 'the-key' },
  files: { 'mcp.d/wiki.json': '{"mcpServers":{}}' },
}

const scm = { provider: 'forge_a', owner: 'acme', botLogin: 'bot' } as const

export const plainProject: Pick<ProjectSpec, 'agent' | 'scm'> = { scm }

/** As people write it, each field in use; the real server takes it. */
export const fullProject: Pick<ProjectSpec, 'agent' | 'scm'> = {
  scm: { ...scm, cron: { brainstorm: { sources: ['docs', 'internet'] } } },
  agent: {
    image: 'registry.invalid/acme/wrapper:v1.2.3',
    extraEnvs: [
      { name: 'GOFLAGS', value: '-mod=mod' },
      { name: 'CI_TOKEN', valueFrom: { secretKeyRef: { name: 'ci', key: 'token', optional: true } } },
      { name: 'PLATFORM_TASK', value: 'another/task' },
      { name: 'MODEL_PROVIDER_API_KEY', value: 'another-key' },
    ],
    extraEnvsFrom: [{ configMapRef: { name: 'build', optional: true } }, { prefix: 'X_', secretRef: { name: 'more' } }],
    extraVolumes: [{ name: 'certificates', configMap: { name: 'certificates', optional: true } }],
    extraVolumeMounts: [{ name: 'certificates', mountPath: '/etc/ssl/acme', readOnly: true }],
    extraSidecarContainers: [{ name: 'database', image: 'postgres:18', ports: [{ containerPort: 5432 }] }],
    extraInitContainers: [{ name: 'seed', image: 'busybox', command: ['true'] }],
  },
}

export function manifestInput(change: Partial<PodManifestInput> = {}): PodManifestInput {
  return {
    spec: aPodSpec(),
    inputs: podInputs,
    project: plainProject,
    claims: {},
    owner: { name: 'implement-a-1', uid: 'uid-of-task' },
    image: 'statewright/wrapper:v0',
    security: { runAsNonRoot: false },
    ...change,
  }
}

export interface BuiltPod {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
    readonly ownerReferences: readonly object[]
  }
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly containers: readonly BuiltContainer[]
    readonly initContainers: readonly BuiltContainer[]
    readonly volumes: readonly { readonly name: string }[]
  }
}

export interface BuiltContainer {
  readonly name: string
  readonly image: string
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[]
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[]
}

/** What a container gets, as kubelets work it out (pkg/kubelet/kubelet_pods.go, third_party/forked/golang/expansion). */
export function environmentOf(
  container: BuiltContainer,
  sources: Readonly<Record<string, string>>,
  podIp: string,
): Readonly<Record<string, string>> {
  const result: Record<string, string> = { ...sources }
  for (const { name, value = '', valueFrom } of container.env ?? [])
    result[name] = valueFrom === undefined ? expanded(value, result) : podIp
  return result
}

function expanded(value: string, known: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$(\$|\((.*?)\)|)/g, (whole: string, after: string, name?: string) => {
    if (after === '$') return '$'
    return name === undefined ? whole : (known[name] ?? whole)
  })
}
