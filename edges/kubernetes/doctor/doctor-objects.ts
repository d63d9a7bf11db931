/**
 * The objects of a probe, as data. A Job owns all others, and the server deletes it by itself: so nothing is left in the end,
 * also where whoever made them is gone.
 */
import type { PodInputs, PodSpec } from '../../ports/pods.ts'
import type { KubeResource } from '../api/api.ts'
import { podManifest, wrapperContainer } from '../pods/pod-manifest.ts'
import type { PodClaims } from '../pods/pod-mounts.ts'
import { managedBy, managedByLabel } from '../pods/pod-names.ts'
import { podSecurityContext, type PodSecurity } from '../pods/pod-security.ts'
import { wantedClaims, workspaceClaim } from '../pods/volume-claims.ts'

export interface ProbeOptions {
  /** Of the Job; the other names begin with it. A DNS label of at most 50 characters. */
  readonly name: string
  readonly namespace: string
  /** The wrapper's. */
  readonly image: string
  /** Absent: the cluster's default. */
  readonly storageClass?: string | undefined
  readonly security: PodSecurity
  /** Pods end after so many; the Job goes by itself so many after its end. */
  readonly lifeSeconds: number
}

/** `walls`: the Job's pod. `workspace`: the same with a claim. `server` and `client`: of the network. */
export type ProbePart = 'walls' | 'workspace' | 'server' | 'client'

export interface ProbeObject {
  readonly resource: KubeResource
  readonly name: string
  readonly body: object
}

const probeLabel = 'platform.dev/doctor'
export const partLabel = 'platform.dev/doctor-part'
/** Of the server: everybody may reach the first, nobody the second. */
const [openPort, deniedPort] = [8081, 8082]
const restSeconds = 1

const jobsResource: KubeResource = { apiVersion: 'batch/v1', plural: 'jobs' }
const policiesResource: KubeResource = { apiVersion: 'networking.k8s.io/v1', plural: 'networkpolicies' }
const core = (plural: string): KubeResource => ({ apiVersion: 'v1', plural })

export const probeSelector = (name: string): string => `${probeLabel}=${name}`
export const probeNames = (name: string) => ({
  claim: workspaceClaim(`ns/${name}`).name,
  workspace: `${name}-workspace`,
  server: `${name}-server`,
  client: `${name}-client`,
  secret: `${name}-1`,
  ingress: `${name}-server`,
  egress: `${name}-client`,
})

/** The pod that an orchestrator would make, to the letter. */
export function agentPod({ namespace, name, image, security }: ProbeOptions, claims: PodClaims = {}): object {
  return manifestOf({ namespace, name, image, security }, claims).pod
}

export function probeJob(options: ProbeOptions): ProbeObject {
  const { name, lifeSeconds } = options
  return {
    resource: jobsResource,
    name,
    body: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, namespace: options.namespace, labels: labelsOf(name) },
      spec: {
        backoffLimit: 0,
        activeDeadlineSeconds: lifeSeconds,
        ttlSecondsAfterFinished: lifeSeconds,
        template: {
          metadata: { labels: { ...labelsOf(name, 'walls'), [managedByLabel]: managedBy } },
          spec: wallsSpec(options, {}),
        },
      },
    },
  }
}

/** What the Job owns, but for the client, which needs an address. `jobUid`: of the Job. */
export function ownedObjects(options: ProbeOptions, jobUid: string): readonly ProbeObject[] {
  const { name } = options
  const names = probeNames(name)
  return [
    owned(options, jobUid, { resource: core('secrets'), own: names.secret, body: secretOf(options) }),
    owned(options, jobUid, {
      resource: core('persistentvolumeclaims'),
      own: names.claim,
      body: claimOf(options),
    }),
    {
      ...owned(options, jobUid, {
        resource: core('pods'),
        own: names.workspace,
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { labels: { ...labelsOf(name, 'workspace'), [managedByLabel]: managedBy } },
          spec: wallsSpec(options, { workspace: names.claim }),
        },
      }),
    },
    ...policiesOf(name).map(([policy, spec]) =>
      owned(options, jobUid, {
        resource: policiesResource,
        own: policy,
        body: {
          apiVersion: policiesResource.apiVersion,
          kind: 'NetworkPolicy',
          spec,
        },
      }),
    ),
    networkPod(options, jobUid, 'server'),
  ]
}

/** `address`: of the server's pod. */
export function clientPod(options: ProbeOptions, jobUid: string, address: string): ProbeObject {
  return networkPod(options, jobUid, 'client', address)
}

/** `metadata` has labels alone: name, namespace and owner are added. */
type Body = Readonly<Record<string, unknown>> & { readonly metadata?: object }

function labelsOf(name: string, part?: ProbePart): Readonly<Record<string, string>> {
  return { [probeLabel]: name, ...(part === undefined ? {} : { [partLabel]: part }) }
}

function owned(
  { name, namespace }: ProbeOptions,
  uid: string,
  { resource, own, body }: { readonly resource: KubeResource; readonly own: string; readonly body: Body },
): ProbeObject {
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid }
  const metadata = { labels: labelsOf(name), ...body.metadata, name: own, namespace, ownerReferences: [owner] }
  return { resource, name: own, body: { ...body, metadata } }
}

function manifestOf(
  { namespace, name, image, security }: Pick<ProbeOptions, 'namespace' | 'name' | 'image' | 'security'>,
  claims: PodClaims,
): ReturnType<typeof podManifest> {
  const id = `${namespace}/${name}`
  const spec: PodSpec = {
    ...{ pod: `${id}/1`, task: id, ordinal: 1, project: id, agentKind: 'implement', model: '', effort: '' },
    ...{ permissionMode: 'dontAsk', turnTimeoutSeconds: 60, agentPodTTLSeconds: 60, repositories: [] },
  }
  const inputs: PodInputs = {
    env: { PLATFORM_TASK: id, AGENT_SECLUSION: 'required' },
    secrets: { PLATFORM_POD_TOKEN_FILE: 'no secret' },
    files: {},
  }
  const project = { scm: { provider: 'forge_a', owner: name, botLogin: name } } as const
  return podManifest({ spec, inputs, project, claims, image, security, owner: { name, uid: name } })
}

function secretOf(options: ProbeOptions): Body {
  return withoutMetadata(manifestOf(options, {}).secret(''))
}

function withoutMetadata(body: object): Body {
  const { metadata: _, ...rest } = body as Body
  return rest
}

interface PodBody {
  readonly spec: { readonly containers: readonly (object & { readonly name: string })[] }
}

/** As an agent's, but that the wrapper only probes, and serves nothing. */
function wallsSpec(options: ProbeOptions, claims: PodClaims): object {
  const { spec } = manifestOf(options, claims).pod as PodBody
  return {
    ...spec,
    terminationGracePeriodSeconds: restSeconds,
    activeDeadlineSeconds: options.lifeSeconds,
    containers: spec.containers.map(({ ...container }) => {
      if ('readinessProbe' in container) delete container.readinessProbe
      return { ...container, args: ['wrapper', 'probe', 'walls'] }
    }),
  }
}

function claimOf({ namespace, name, storageClass }: ProbeOptions): Body {
  const id = `${namespace}/${name}`
  const workspace = storageClass === undefined ? {} : { storageClass }
  const spec = { workspace } as Parameters<typeof wantedClaims>[2]['spec']
  const [claim] = wantedClaims(
    { task: id, project: id },
    { name, uid: '' },
    { name, uid: '', spec },
    { workspace: name },
  )
  return withoutMetadata(claim!.body)
}

/**
 * Policies add up: where others deny everything these two open the one way that shows whether the network works at all, and
 * deny the next port.
 */
function policiesOf(name: string): readonly (readonly [string, object])[] {
  const { ingress, egress } = probeNames(name)
  const podsOf = (part: ProbePart): object => ({ matchLabels: labelsOf(name, part) })
  return [
    [ingress, { podSelector: podsOf('server'), policyTypes: ['Ingress'], ingress: [{ ports: [{ port: openPort }] }] }],
    [
      egress,
      { podSelector: podsOf('client'), policyTypes: ['Egress'], egress: [{ to: [{ podSelector: podsOf('server') }] }] },
    ],
  ]
}

function networkPod(options: ProbeOptions, uid: string, part: 'server' | 'client', address?: string): ProbeObject {
  const { name, image, security, lifeSeconds } = options
  const host = address === undefined ? { valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } } : { value: address }
  const isServer = part === 'server'
  return owned(options, uid, {
    resource: core('pods'),
    own: probeNames(name)[part],
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { labels: labelsOf(name, part) },
      spec: {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: restSeconds,
        activeDeadlineSeconds: lifeSeconds,
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: podSecurityContext(security),
        containers: [
          {
            name: wrapperContainer,
            image,
            args: ['wrapper', 'probe', isServer ? 'serve' : 'reach'],
            env: [
              { name: 'PROBE_HOST', ...host },
              { name: 'PROBE_OPEN_PORT', value: String(openPort) },
              { name: 'PROBE_DENIED_PORT', value: String(deniedPort) },
            ],
            ...(isServer ? { readinessProbe: { httpGet: { path: '/', port: openPort }, periodSeconds: 1 } } : {}),
            terminationMessagePolicy: 'FallbackToLogsOnError',
          },
        ],
      },
    },
  })
}
