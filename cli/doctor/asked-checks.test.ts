import { expect, test } from 'vitest'
import { customResourceDefinitions } from '../../crd/manifest.ts'
import { errorOf, KubeError } from '../../edges/kubernetes/api/answers.ts'
import type { KubeClient, Method, Question } from '../../edges/kubernetes/api/api.ts'
import { agentPod } from '../../edges/kubernetes/doctor/doctor-objects.ts'
import type { Check } from './check.ts'
import { admissionCheck, definitionsCheck, rightsCheck, stacksCheck } from './asked-checks.ts'

const account = { leaseNamespace: 'platform', serviceAccount: 'statewright' }
const options = { name: 'probe', namespace: 'team', image: 'i', security: { runAsNonRoot: false }, lifeSeconds: 60 }

type Answer = (method: Method, path: string, question: Question) => unknown
const clientOf = (answer: Answer): Pick<KubeClient, 'ask'> => ({
  ask: async <Body>(method: Method, path: string, question: Question = {}) => answer(method, path, question) as Body,
})
const refusing = (code: number, message: string): Pick<KubeClient, 'ask'> =>
  clientOf(() => {
    throw errorOf(code, { message })
  })
const noImpersonation = 'users "jane" is forbidden: User "jane" cannot impersonate resource "users"'

interface Definition {
  readonly metadata: { readonly name: string }
  readonly spec: {
    versions: { schema: { openAPIV3Schema: { properties: Record<string, { properties: Record<string, unknown> }> } } }[]
  }
  status: object
}

/** As a cluster has them, after `change`. */
function cluster(change: (definition: Definition) => unknown = () => undefined): Pick<KubeClient, 'ask'> {
  return clientOf((_method, path) => {
    const own = customResourceDefinitions().find(({ metadata }) => path.endsWith(`/${metadata.name}`))
    const definition = structuredClone(own) as unknown as Definition
    definition.status = { conditions: [{ type: 'Established', status: 'True' }] }
    change(definition)
    return definition
  })
}

test('definitions as this program has them are ok, and so are newer ones', async () => {
  expect(await definitionsCheck(cluster())).toMatchObject({ id: 'definitions', status: 'ok' })
  const newer = cluster(
    ({ spec }) => (spec.versions[0]!.schema.openAPIV3Schema.properties['spec']!.properties['more'] = {}),
  )
  expect(await definitionsCheck(newer)).toMatchObject({ status: 'ok' })
})

test('a definition that is missing, not established or older is named with what it lacks', async () => {
  const older = cluster(({ metadata, spec }) => {
    if (metadata.name === 'tasks.platform.dev')
      delete spec.versions[0]!.schema.openAPIV3Schema.properties['spec']!.properties['goal']
  })
  expect(await definitionsCheck(older)).toEqual({
    ...{ id: 'definitions', status: 'failed', seen: 'tasks.platform.dev is older: it lacks .spec.goal' },
    next: 'kubectl apply --server-side -f crd/generated',
  })
  const word = cluster(({ metadata, spec }) => {
    const kind = spec.versions[0]!.schema.openAPIV3Schema.properties['spec']!.properties['kind'] as { enum: string[] }
    if (metadata.name === 'tasks.platform.dev') kind.enum = kind.enum.filter((one) => one !== 'review')
  })
  expect((await definitionsCheck(word)).seen).toBe('tasks.platform.dev is older: it lacks .spec.kind=review')
  const refused = cluster((one) => (one.status = {}))
  expect((await definitionsCheck(refused)).seen).toContain('issues.platform.dev is not established')
  expect((await definitionsCheck(refusing(404, 'not found'))).seen).toContain('projects.platform.dev is missing')
  const unread = refusing(403, 'cannot get resource "customresourcedefinitions"')
  expect(await definitionsCheck(unread)).toMatchObject({ status: 'unproven' })
})

test('each right of `statewright rbac` is asked for, and what is missing is named', async () => {
  const asked: Record<string, unknown>[] = []
  const lacking = (isMissing: (spec: Record<string, unknown>) => boolean) =>
    clientOf((_method, _path, { body }) => {
      const { resourceAttributes } = (
        body as { readonly spec: { readonly resourceAttributes: Record<string, unknown> } }
      ).spec
      asked.push(resourceAttributes)
      return { status: { allowed: !isMissing(resourceAttributes) } }
    })
  expect(
    await rightsCheck(
      lacking(() => false),
      account,
      'team',
    ),
  ).toMatchObject({ id: 'rights', status: 'ok' })
  expect(asked).toContainEqual({
    namespace: 'team',
    group: 'platform.dev',
    resource: 'tasks',
    subresource: 'status',
    verb: 'patch',
  })
  const lease = {
    namespace: 'platform',
    group: 'coordination.k8s.io',
    resource: 'leases',
    name: 'statewright-orchestrator',
    verb: 'update',
  }
  expect(asked).toContainEqual(lease)
  const check = await rightsCheck(
    lacking(({ subresource }) => subresource === 'status'),
    account,
    'team',
  )
  expect(check).toMatchObject({
    status: 'failed',
    seen: expect.stringMatching(/lacks 6 of 5\d rights: patch projects\.platform\.dev\/status in team/),
  })
  expect(check.next).toBe('statewright rbac --namespaces team --lease-namespace platform | kubectl apply -f -')
  expect(await rightsCheck(refusing(403, noImpersonation), account, 'team')).toMatchObject({
    status: 'unproven',
    next: expect.stringContaining('impersonate'),
  })
})

/** `lacks`: rights of the account, as `patch deployments`. `mayList`: whoever runs this. */
function stacks({
  lacks = () => false,
  hasOperator = true,
  mayList = true,
  operators = [],
  classes = [],
}: {
  readonly lacks?: (right: string) => boolean
  readonly hasOperator?: boolean
  readonly mayList?: boolean
  readonly operators?: readonly object[]
  readonly classes?: readonly object[]
}): Promise<Check> {
  const client = clientOf((_method, path, { body }) => {
    if (path.includes('authorization')) {
      const { verb, resource } = (body as { readonly spec: { readonly resourceAttributes: Record<string, string> } })
        .spec.resourceAttributes
      return { status: { allowed: !lacks(`${verb} ${resource}`) } }
    }
    if (path === '/apis/postgresql.cnpg.io/v1' && !hasOperator) throw errorOf(404, { message: 'not found' })
    if (path === '/apis/postgresql.cnpg.io/v1') return {}
    if (!mayList) throw errorOf(403, { message: 'you may not' })
    return { items: path === '/apis/apps/v1/deployments' ? operators : classes }
  })
  return stacksCheck({ client, asAccount: client }, account, 'team')
}

const operatorOf = (image: string): object => ({
  metadata: { namespace: 'pg' },
  spec: { template: { spec: { containers: [{ image }] } } },
})
const classOf = (name: string, isDefault: boolean, more: object = {}): object => ({
  metadata: { name, annotations: { 'storageclass.kubernetes.io/is-default-class': `${isDefault}` } },
  ...more,
})

test('memory stacks are off where the account has none of the rights that they alone need', async () => {
  const asked: string[] = []
  const check = await stacks({ lacks: (right) => asked.push(right) > 0 })
  expect(check).toEqual({
    ...{ id: 'memory-stacks', status: 'ok' },
    seen: 'off: ServiceAccount platform/statewright has none of their rights',
  })
  expect(asked).toContain('patch statefulsets')
  // Every orchestrator has these.
  for (const right of ['get secrets', 'list pods', 'create persistentvolumeclaims']) expect(asked).not.toContain(right)
})

test('memory stacks that are on are told with CloudNativePG, its version, and whether claims grow', async () => {
  const found = async (cluster: Parameters<typeof stacks>[0]): Promise<string> => {
    const { status, seen } = await stacks(cluster)
    expect(status).toBe('ok')
    return seen.replace('on: ServiceAccount platform/statewright has their rights; ', '')
  }
  const image = 'ghcr.io:443/cloudnative-pg/cloudnative-pg:1.30.0@sha256:abc'
  const [fast, slow] = [classOf('fast', true, { allowVolumeExpansion: true }), classOf('slow', false)]
  expect(await found({ operators: [operatorOf(image)], classes: [slow, fast] })).toBe(
    'CloudNativePG 1.30.0 is installed, its operator is in pg; claims of the default class fast grow',
  )
  expect(await found({ hasOperator: false, classes: [classOf('nfs', true)] })).toBe(
    'CloudNativePG is not installed: PostgreSQL is one pod; claims of the default class nfs do not grow',
  )
  expect(await found({ mayList: false })).toBe(
    'CloudNativePG is installed, its version is unknown; whether claims grow is unknown: you may not list storageclasses',
  )
  expect(await found({ operators: [operatorOf('r:80/cnpg')], classes: [slow] })).toBe(
    'CloudNativePG of an unknown version is installed, its operator is in pg; there is no default class of storage',
  )
})

test('memory stacks with some of their rights alone are a failure, with the command that grants the others', async () => {
  const check = await stacks({ lacks: (right) => right === 'delete services' })
  expect(check).toMatchObject({
    status: 'failed',
    seen: expect.stringMatching(/lacks 1 of their \d+ rights: delete services in team; CloudNativePG is installed/),
    next: 'statewright rbac --namespaces team --lease-namespace platform --memory-stacks | kubectl apply -f -',
  })
})

test('admission is tried by a strict dry run of the pod as an orchestrator makes it', async () => {
  const taking = clientOf((method, path, { query, body }) => {
    expect([method, path, query]).toEqual([
      'POST',
      '/api/v1/namespaces/team/pods',
      { dryRun: 'All', fieldValidation: 'Strict' },
    ])
    return body
  })
  expect(await admissionCheck(taking, account, options)).toMatchObject({ id: 'admission', status: 'ok' })
  const dropping = clientOf(() => {
    const pod = agentPod(options) as { readonly spec: object }
    return { ...pod, spec: { ...pod.spec, hostUsers: undefined } }
  })
  expect(await admissionCheck(dropping, account, options)).toMatchObject({
    status: 'failed',
    seen: expect.stringContaining('dropped hostUsers: false'),
  })
})

test.each([
  [403, 'pods is forbidden: User "x" cannot create resource "pods" in API group ""', 'failed', /^statewright rbac/],
  [403, 'pods "probe-1" is forbidden: violates PodSecurity "restricted:latest"', 'failed', /enforce=baseline/],
  [422, 'Pod is invalid: spec.containers[0].securityContext.procMount: Invalid value', 'failed', /1\.33/],
  [403, 'admission webhook "policy" denied the request', 'failed', /AGENT_/],
  [400, 'admission webhook "policy" does not support dry run', 'unproven', /user-namespaces/],
  [403, noImpersonation, 'unproven', /impersonate/],
  [503, 'the server is busy', 'unproven', /API server answers/],
] as const)('admission that answers %i %s is %s', async (code, message, status, next) => {
  const check = await admissionCheck(refusing(code, message), account, options)
  expect(check).toMatchObject({ status, seen: expect.stringContaining(message), next: expect.stringMatching(next) })
})

test('a server that does not answer proves nothing', async () => {
  const away = clientOf(() => {
    throw new KubeError({ code: 0, reason: 'NoAnswer', message: 'refused' })
  })
  for (const check of [
    await definitionsCheck(away),
    await rightsCheck(away, account, 'team'),
    await admissionCheck(away, account, options),
  ])
    expect(check).toMatchObject({ status: 'unproven', seen: 'refused' })
})
