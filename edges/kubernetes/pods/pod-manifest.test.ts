import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ProjectSpec } from '../../../crd/project.ts'
import { PodPlaces, PodSecrets, PodVariables } from '../../../machines/turn/pod-environment.ts'
import { TerminalError } from '../../../runtime/errors.ts'
import { podManifest, type PodManifestInput } from './pod-manifest.ts'
import { boundedName, podName } from './pod-names.ts'
import {
  aPodSpec,
  environmentOf,
  fullProject,
  manifestInput,
  plainProject,
  podInputs,
  type BuiltPod,
} from '../testing/pod-fixture.ts'

function built(change: Partial<PodManifestInput> = {}): BuiltPod {
  return podManifest(manifestInput(change)).pod as BuiltPod
}

const variables = [PodVariables, PodPlaces, PodSecrets].flatMap(({ properties }) => Object.keys(properties))

describe('a pod', () => {
  test('belongs to its Task, carries the labels of policies and has the grace of a last push (POD-NETWORK-1, POD-NETWORK-2)', () => {
    const { metadata, spec } = built()
    expect(metadata).toEqual({
      namespace: 'default',
      name: 'implement-a-1-2',
      labels: {
        'platform.dev/managed-by': 'platform-operator',
        'platform.dev/task': 'implement-a-1',
        'platform.dev/ordinal': '2',
        'platform.dev/project': 'demo',
      },
      annotations: { 'platform.dev/pod': 'default/implement-a-1/2' },
      ownerReferences: [
        {
          apiVersion: 'platform.dev/v1alpha1',
          kind: 'Task',
          name: 'implement-a-1',
          uid: 'uid-of-task',
        },
      ],
    })
    expect(spec).toMatchObject({
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 120,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      tolerations: [
        { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', tolerationSeconds: 60 },
        { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute', tolerationSeconds: 60 },
      ],
    })
  })

  test('does not block the deletion of its owner, which takes a right that many clusters ask for', () => {
    const { pod, secret } = podManifest(manifestInput())
    expect(JSON.stringify([pod, secret('uid-of-pod')])).not.toContain('blockOwnerDeletion')
  })

  test('gets its secrets in memory, from a Secret that it owns and that only the init container sees', () => {
    const { pod, secret } = podManifest(manifestInput())
    const { spec } = pod as BuiltPod
    expect(secret('uid-of-pod')).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        namespace: 'default',
        name: 'implement-a-1-2',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'implement-a-1-2', uid: 'uid-of-pod' }],
      },
      immutable: true,
      data: {
        'pod-token': Buffer.from('the-token').toString('base64'),
        'model-key': Buffer.from('the-key').toString('base64'),
        'file-0': Buffer.from('{"mcpServers":{}}').toString('base64'),
      },
    })
    const volumes = Object.fromEntries(spec.volumes.map((volume) => [volume.name, volume]))
    expect(volumes).toMatchObject({
      'platform-run': { emptyDir: { medium: 'Memory' } },
      'platform-secret': { secret: { items: [{ key: 'pod-token' }, { key: 'model-key' }] } },
      'platform-config': { secret: { items: [{ key: 'file-0', path: 'mcp.d/wiki.json' }] } },
    })
    const [wrapper] = spec.containers
    const seen = wrapper!.volumeMounts!.map(({ name, mountPath }) => [name, mountPath])
    expect(seen).toContainEqual(['platform-config', '/etc/wrapper'])
    expect(seen.map(([name]) => name)).not.toContain('platform-secret')
    expect(JSON.stringify(pod)).not.toMatch(/the-token|the-key/)
    expect(environmentOf(wrapper!, {}, '10.0.0.9')).toMatchObject({
      HTTP_ADDR: '10.0.0.9:8080',
      PLATFORM_POD_TOKEN_FILE: '/platform/run/pod-token',
      MODEL_PROVIDER_API_KEY_FILE: '/platform/run/model-key',
    })
  })

  test('mounts nothing over the configuration of the image where there are no files', () => {
    const { spec } = built({ inputs: { ...podInputs, files: {} } })
    expect(spec.containers[0]!.volumeMounts!.map(({ mountPath }) => mountPath)).not.toContain('/etc/wrapper')
  })

  test('mounts the claims where the contract has them, and none over a folder of the image (PROJECT-WORKSPACE-4, PROJECT-WORKSPACE-7, PROJECT-WORKSPACE-8)', () => {
    const { spec } = built({ claims: { workspace: 'ws-implement-a-1', cache: 'cache-demo' } })
    const mounts = spec.containers[0]!.volumeMounts!.map(({ name, mountPath }) => `${name} ${mountPath}`)
    expect(mounts).toEqual([
      'platform-run /platform/run',
      'platform-state /platform/state',
      'platform-home /platform/home',
      'platform-workspace /workspace',
      'platform-workspace /platform/home/.cache/pre-commit',
      'platform-cache /platform/home/.cache/go-build',
      'platform-cache /platform/home/go/pkg/mod',
      'platform-cache /platform/home/.cache/pip',
      'platform-cache /platform/home/.npm',
      'platform-cache /platform/home/.local/share/mise/downloads',
      'platform-config /etc/wrapper',
    ])
    expect(spec.volumes).toEqual(
      expect.arrayContaining([
        { name: 'platform-workspace', persistentVolumeClaim: { claimName: 'ws-implement-a-1' } },
        { name: 'platform-cache', persistentVolumeClaim: { claimName: 'cache-demo' } },
      ]),
    )
    const without = built()
    expect(without.spec.volumes).toContainEqual({ name: 'platform-workspace', emptyDir: {} })
    expect(JSON.stringify(without.spec)).not.toContain('platform-cache')
  })

  test('keeps its namespaces apart from those of the node, unless the operator seclude no agent', () => {
    const { spec } = built()
    expect([spec['hostUsers'], spec.containers[0]]).toMatchObject([
      false,
      { securityContext: { procMount: 'Unmasked' } },
    ])
    const open = built({ inputs: { ...podInputs, env: { AGENT_SECLUSION: 'none' } } })
    expect(JSON.stringify(open.spec)).not.toMatch(/hostUsers|procMount/)
  })

  test('may reach the internet as a brainstorm with that source, and in no other way (POD-NETWORK-7)', () => {
    const egress = (agentKind: string, project: PodManifestInput['project']): string | undefined =>
      built({ spec: aPodSpec({ agentKind }), project }).metadata.labels['platform.io/egress']
    expect(egress('brainstorm', fullProject)).toBe('internet')
    expect([egress('implement', fullProject), egress('brainstorm', plainProject)]).toEqual([undefined, undefined])
  })

  test('has what the Project adds after what is ours (PROJECT-AGENT-2, PROJECT-AGENT-17, PROJECT-AGENT-18, PROJECT-AGENT-19, PROJECT-AGENT-20, PROJECT-AGENT-21, PROJECT-AGENT-22)', () => {
    const { pod, dropped } = podManifest(manifestInput({ project: fullProject, resources: { limits: { cpu: '2' } } }))
    const { spec } = pod as BuiltPod
    const { agent } = fullProject
    expect(spec.containers.map(({ name, image }) => `${name} ${image}`)).toEqual([
      'wrapper registry.invalid/acme/wrapper:v1.2.3',
      'database postgres:18',
    ])
    expect(spec.initContainers.map(({ name, image }) => `${name} ${image}`)).toEqual([
      'take-secrets registry.invalid/acme/wrapper:v1.2.3',
      'seed busybox',
    ])
    expect(spec.containers[0]).toMatchObject({ envFrom: agent!.extraEnvsFrom, resources: { limits: { cpu: '2' } } })
    expect(spec.containers[0]!.volumeMounts!.at(-1)).toEqual(agent!.extraVolumeMounts![0])
    expect(spec.volumes.at(-1)).toEqual(agent!.extraVolumes![0])
    expect(spec.containers[0]!.env!.slice(-2)).toEqual(agent!.extraEnvs!.slice(0, 2))
    expect(dropped).toEqual(['PLATFORM_TASK', 'MODEL_PROVIDER_API_KEY'])
  })

  test('names the variables that commands see: those of the Project, and all others where it has sources (POD-ENV-19)', () => {
    const named = (agent: ProjectSpec['agent']): string | undefined =>
      built({ project: { ...fullProject, agent } }).spec.containers[0]!.env!.find(
        ({ name }) => name === 'COMMAND_VARIABLES',
      )?.value
    const { extraEnvs, extraEnvsFrom } = fullProject.agent!
    expect(named({ extraEnvs })).toBe('GOFLAGS,CI_TOKEN')
    expect(named({ extraEnvs, extraEnvsFrom })).toBe('*')
    expect(named({})).toBe('')
  })

  test('runs as the operator wants, and says what makes it impossible (POD-NETWORK-3, POD-NETWORK-4)', () => {
    const security = { runAsNonRoot: true, runAsUser: 1000, fsGroup: 2000 }
    expect(built({ security }).spec['securityContext']).toEqual(security)
    for (const user of [{}, { runAsUser: 0 }]) {
      const refused = (): BuiltPod => built({ security: { runAsNonRoot: true, ...user } })
      expect(refused).toThrow(TerminalError)
      expect(refused).toThrow(/agentRunAsNonRoot .* agentRunAsUser/)
    }
  })

  test('is given the addresses of its orchestrator and its own, and serves at one port', () => {
    const outside = {
      PLATFORM_OPERATOR_URL: 'http://operator.platform:8080',
      PLATFORM_MEMORY_URL: 'http://memory.platform:8080',
      CALLBACK_URL: 'http://operator.platform:8082/internal/turn-complete',
      MODEL_BASE_URL: 'https://models.invalid',
    }
    const [wrapper] = built({ inputs: { ...podInputs, env: { OIDC_ISSUER: 'http://issuer.invalid', ...outside } } })
      .spec.containers
    const addresses = Object.entries(environmentOf(wrapper!, {}, '10.0.0.9')).filter(([, value]) =>
      /:\/\/|:\d+$/.test(value),
    )
    expect(Object.fromEntries(addresses)).toEqual({
      ...outside,
      OIDC_ISSUER: 'http://issuer.invalid',
      HTTP_ADDR: '10.0.0.9:8080',
      INTERNAL_ADDR: '127.0.0.1:0',
    })
    const probe = { httpGet: { path: '/readyz', port: 8080 } }
    expect(wrapper).toMatchObject({ ports: [{ containerPort: 8080 }], readinessProbe: probe })
  })

  test('is refused with files that no Secret holds', () => {
    const files = { a: 'x'.repeat(1024 * 1024) }
    expect(() => built({ inputs: { ...podInputs, files } })).toThrow(/bytes, a Secret at most 1048576/)
  })
})

describe('the name of a pod', () => {
  test('is a label of DNS for any id, another one for another pod, and the same again', () => {
    const id = fc.tuple(fc.string({ minLength: 1, maxLength: 80 }), fc.nat())
    const nameOf = ([task, ordinal]: [string, number]): string => podName(`default/${task}/${ordinal}`).name
    fc.assert(
      fc.property(id, id, (one, other) => {
        const name = nameOf(one)
        expect(name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
        expect(nameOf([...one])).toBe(name)
        if (one.join('/') !== other.join('/')) expect(nameOf(other)).not.toBe(name)
      }),
    )
    expect(boundedName('a'.repeat(64))).toHaveLength(63)
  })
})

const contractName = fc.constantFrom(...variables, 'MODEL_PROVIDER_API_KEY', 'POD_IP')
const anyName = fc.oneof(contractName, fc.constantFrom('GOFLAGS', 'A', '', '__proto__'))
const anyValue = fc.oneof(fc.string(), fc.constantFrom('$(HOME)', '$$', '$(PLATFORM_TASK)', '$é', '$'))
const anyExtra = fc.oneof(
  fc.record({ name: anyName, value: anyValue }),
  fc.record({ name: anyName, valueFrom: fc.constant({ fieldRef: { fieldPath: 'metadata.name' } }) }),
  fc.constant({ nonsense: 1 }),
)
const anyProject = fc.record({
  extraEnvs: fc.array(anyExtra, { maxLength: 12 }),
  extraEnvsFrom: fc.array(fc.record({ configMapRef: fc.record({ name: fc.string() }) })),
})

test('no Project has another value of a variable of the contract, whatever it adds and however it writes it (PROJECT-AGENT-17)', () => {
  const given = fc.dictionary(fc.constantFrom('MODEL', 'LIFECYCLE_HOOKS', 'REPOS', 'BOT_LOGIN'), anyValue)
  fc.assert(
    fc.property(anyProject, fc.dictionary(anyName, anyValue), given, (agent, loaded, env) => {
      const project = { ...plainProject, agent: agent as NonNullable<ProjectSpec['agent']> }
      const inputs = { ...podInputs, env: { ...podInputs.env, ...env } }
      const { pod, dropped } = podManifest(manifestInput({ inputs, project }))
      const seen = environmentOf((pod as BuiltPod).spec.containers[0]!, loaded, '10.0.0.9')
      const plain = environmentOf(built({ inputs }).spec.containers[0]!, {}, '10.0.0.9')
      // It names what the Project adds, and no source replaces it.
      expect(seen['COMMAND_VARIABLES']).toBe(
        environmentOf((pod as BuiltPod).spec.containers[0]!, {}, '')['COMMAND_VARIABLES'],
      )
      for (const name of [...variables, 'MODEL_PROVIDER_API_KEY', 'POD_IP'].filter(
        (one) => one !== 'COMMAND_VARIABLES',
      ))
        expect([name, seen[name]]).toEqual([name, plain[name]])
      expect(seen).toMatchObject(inputs.env)
      expect(dropped.every((name) => name in plain)).toBe(true)
    }),
  )
})
