/** The rights of an orchestrator at a real API server, each by what it cannot do without. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { kindNamed, kinds, type Kind } from '../../../crd/kinds.ts'
import { systemClock } from '../../../runtime/clock.ts'
import type { ControlPlane } from '../../../testing/control-plane.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { mergePatch, nameOf, pathOf, type KubeClient, type ObjectCache } from '../api/api.ts'
import { createObjectCache } from '../api/cache.ts'
import { rbacManifests } from './rbac.ts'
import { acting, actions, withAccount, type Stage } from '../testing/acting.ts'
import { show, withMirror, type World } from '../testing/real-mirror.ts'
import { withRealServer } from '../testing/real-server.ts'

const name = 'statewright'
const api = '/apis/rbac.authorization.k8s.io/v1'
/** Of an informer of the server; a second is usual. */
const waits = { timeout: 10_000, interval: 25 }

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames?: readonly string[]
}

interface Role {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules: readonly Rule[]
}

interface Right {
  readonly role: Role
  readonly group: string
  readonly resource: string
  readonly verb: string
  readonly object: string | undefined
}

const keyOf = ({ verb, resource, group }: Right): string => `${verb} ${resource} ${group}`

function rightsOf(role: Role): readonly Right[] {
  return role.rules.flatMap(({ apiGroups, resources, verbs, resourceNames }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.map((verb) => ({ role, group, resource, verb, object: resourceNames?.[0] })),
      ),
    ),
  )
}

function rulesWithout({ role, group, resource, verb }: Right): readonly Rule[] {
  return role.rules
    .flatMap((rule) => {
      const has = rule.apiGroups.includes(group) && rule.resources.includes(resource) && rule.verbs.includes(verb)
      if (!has) return [rule]
      const others = { ...rule, resources: rule.resources.filter((one) => one !== resource) }
      return [others, { ...rule, resources: [resource], verbs: rule.verbs.filter((one) => one !== verb) }]
    })
    .filter(({ resources, verbs }) => resources.length > 0 && verbs.length > 0)
}

async function apply(plane: ControlPlane, items: readonly object[]): Promise<void> {
  await plane.must(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
}

const manifestsIn = (namespace: string, namespaces: readonly string[]): readonly object[] =>
  rbacManifests({ namespaces, leaseNamespace: namespace, serviceAccount: name })

const rolesIn = (manifests: readonly object[]): readonly Role[] =>
  (manifests as readonly Role[]).filter(({ kind }) => kind.endsWith('Role'))

/** `home`: of the ServiceAccount, where the role is of the cluster. */
async function isAllowed(plane: ControlPlane, right: Right, home = right.role.metadata.namespace): Promise<boolean> {
  const { role, group, resource, verb, object } = right
  const [plural, subresource = ''] = resource.split('/')
  const { namespace = '' } = role.metadata
  const attributes = {
    namespace,
    group,
    resource: plural,
    subresource,
    verb,
    ...(object ? { name: object } : {}),
  }
  const spec = { user: `system:serviceaccount:${home}:${name}`, resourceAttributes: attributes }
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec }
  const { body } = await plane.ask('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review)
  return (body['status'] as { readonly allowed: boolean }).allowed
}

async function putRules(plane: ControlPlane, right: Right, rules: readonly Rule[], allows: boolean): Promise<void> {
  const { metadata } = right.role
  const path = `${api}/namespaces/${metadata.namespace}/roles/${metadata.name}`
  expect((await plane.ask('PATCH', path, { rules })).code).toBe(200)
  await expect.poll(() => isAllowed(plane, right), waits).toBe(allows)
}

/** What the first refusal names as its right; undefined: it was done. */
async function attempt(stage: Stage, client: KubeClient, right: Right): Promise<string | undefined> {
  const self = acting(client)
  const failure = await actions[keyOf(right)]!(stage, self).then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  const [refusal] = self.refusals
  if (refusal === undefined && failure !== undefined) throw failure.error
  if (refusal === undefined) return undefined
  // Another refusal than one of a role is told as it is.
  const named = /cannot (\w+) resource "([^"]+)" in API group "([^"]*)"/.exec(refusal.message)
  return named === null ? refusal.message : named.slice(1).join(' ')
}

interface Acts {
  readonly stage: Stage
  readonly client: KubeClient
  readonly roles: readonly Role[]
}

/** The ServiceAccount with its manifests, and an object of each kind. */
async function withStage(use: (acts: Acts) => Promise<void>): Promise<void> {
  await withMirror(async (world) => {
    const { plane, namespace } = world
    const manifests = manifestsIn(namespace, [namespace])
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'scm', namespace } }
    await apply(plane, [...manifests, { ...secret, stringData: { token: 'a-token' } }])
    const stage = await staged(world)
    await withAccount(plane, { namespace, name }, (client) => use({ stage, client, roles: rolesIn(manifests) }))
  })
}

/** Until `close`. */
async function openStage(): Promise<Acts & { close(): Promise<void> }> {
  const [opened, closed] = [Promise.withResolvers<Acts>(), Promise.withResolvers<void>()]
  const open = withStage((acts) => {
    opened.resolve(acts)
    return closed.promise
  })
  open.catch(opened.reject)
  return {
    ...(await opened.promise),
    close() {
      closed.resolve()
      return open
    },
  }
}

async function staged(world: World): Promise<Stage> {
  const { actors, namespace, client } = world
  const views = Object.fromEntries(show(actors, namespace).map((view) => [view.kind, view]))
  for (const { apiVersion, kind, metadata, spec } of Object.values(views)) {
    const plain = JSON.parse(JSON.stringify(spec, (_, value: unknown) => value ?? undefined)) as object
    const body = { apiVersion, kind, metadata: { name: metadata.name }, spec: plain }
    await client.ask('POST', pathOf(kindNamed(kind)!, { namespace }), { body })
  }
  const stored = { Project: 'demo', Repository: 'lib' } as Readonly<Record<string, string>>
  const statusOf = (kind: string): object =>
    views[kind]?.status ?? actors.stored.get(`${kind}/${namespace}/${stored[kind]}`)!
  return { ...world, views, statusOf }
}

describeRequiring('kubernetes', 'the rights of an orchestrator', () => {
  let acts: Awaited<ReturnType<typeof openStage>>
  beforeAll(async () => {
    acts = await openStage()
  })
  afterAll(() => acts?.close())

  test('each verb of the roles has something that is refused without it, and that works with it (DEPLOYMENT-11)', async () => {
    const { stage, client, roles } = acts
    const { plane } = stage
    const rights = roles.flatMap(rightsOf)
    expect(rights.map(keyOf).toSorted()).toEqual(Object.keys(actions).toSorted())
    for (const right of rights) {
      const key = keyOf(right)
      expect([key, await attempt(stage, client, right)]).toEqual([key, undefined])
      await putRules(plane, right, rulesWithout(right), false)
      expect([key, await attempt(stage, client, right)]).toEqual([key, key])
      await putRules(plane, right, right.role.rules, true)
      expect([key, await attempt(stage, client, right)]).toEqual([key, undefined])
    }
  })

  test('nothing else is allowed: no list of Secrets, nothing inside of a pod, no other namespace, no role (DEPLOYMENT-12)', async () => {
    const { client, stage } = acts
    const { plane, namespace } = stage
    const other = await plane.ownNamespace()
    const platform = (plural: string, where: object) => pathOf({ apiVersion: 'platform.dev/v1alpha1', plural }, where)
    const core = `/api/v1/namespaces/${namespace}`
    const rbac = `${api}/namespaces/${namespace}`
    const everything = { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] }
    const patch = { body: {}, type: mergePatch }
    const binding = {
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'cluster-admin',
      },
    }
    const forbidden: readonly Parameters<KubeClient['ask']>[] = [
      ['GET', `${core}/secrets`],
      ['GET', `/api/v1/namespaces/${other}/secrets/scm`],
      ['POST', `${core}/pods/x/exec`, { query: { command: 'sh' } }],
      ['GET', `${core}/pods/x/exec`, { query: { command: 'sh' } }],
      ['PATCH', `${core}/pods/x`, patch],
      ['PATCH', `${core}/pods/x/status`, patch],
      ['POST', `${core}/pods/x/binding`, { body: {} }],
      ['POST', `${core}/configmaps`, { body: {} }],
      ['PATCH', `${core}/persistentvolumeclaims/x`, patch],
      ['GET', '/api/v1/nodes'],
      ['PATCH', platform('tasks', { namespace: other, name: 'x' }), patch],
      ['PATCH', platform('tasks', { namespace: other, name: 'x', subresource: 'status' }), patch],
      ['GET', platform('tasks', {})],
      ['DELETE', platform('projects', { namespace, name: 'demo' })],
      ['PATCH', platform('repositories', { namespace, name: 'lib' }), patch],
      ['PATCH', `${rbac}/roles/${namespace}.${name}`, { body: everything, type: mergePatch }],
      ['POST', `${rbac}/roles`, { body: { metadata: { name: 'more' }, ...everything } }],
      ['POST', `${rbac}/rolebindings`, { body: { metadata: { name: 'more' }, ...binding } }],
      ['GET', `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/another`],
      ['POST', `${core}/serviceaccounts/default/token`, { body: {} }],
    ]
    for (const question of forbidden) {
      const [method, path] = question
      const answer = await client.ask(...question).catch((error: unknown) => error)
      expect({ method, path, answer }).toMatchObject({ answer: { name: 'KubeError', code: 403 } })
    }
  })

  test('all namespaces are watched with the ClusterRole; without it a refusal names what to apply (DEPLOYMENT-12)', async () => {
    await withRealServer(async ({ plane, client, log }) => {
      const namespaces = [await plane.ownNamespace(), await plane.ownNamespace()] as const
      const [namespace] = namespaces
      const repository = {
        apiVersion: 'platform.dev/v1alpha1',
        kind: 'Repository',
        metadata: { name: 'x' },
      }
      for (const one of namespaces) {
        const body = { ...repository, spec: { projectRef: 'demo' } }
        await client.ask('POST', pathOf(kindNamed('Repository')!, { namespace: one }), { body })
      }
      const cacheBy = (by: KubeClient, resource: Kind): ObjectCache =>
        createObjectCache({
          ...{ client: by, resource, namespaces: [] },
          ...{ clock: systemClock, random: Math.random, logger: log.logger },
        })
      await apply(plane, manifestsIn(namespace, namespaces))
      await withAccount(plane, { namespace, name }, async (account) => {
        const self = acting(account)
        const refused = cacheBy(self.client, kinds[0]!)
        await Promise.race([refused.start(), self.refused])
        await refused.stop()
        expect(self.refusals[0]).toMatchObject({ name: 'KubeError', code: 403, isRetryable: true })
        expect(self.refusals[0]!.message).toMatch(/at the cluster scope; statewright rbac prints the roles to apply$/)
        const all = manifestsIn(namespace, [])
        const role = rolesIn(all).find(({ kind }) => kind === 'ClusterRole')!
        try {
          await apply(plane, all)
          const right = { ...rightsOf(role).find(({ verb }) => verb === 'watch')! }
          await expect.poll(() => isAllowed(plane, right, namespace), waits).toBe(true)
          for (const kind of kinds) {
            const cache = cacheBy(account, kind)
            await cache.start()
            if (kind.kind === 'Repository')
              expect(cache.list().map(nameOf)).toEqual(expect.arrayContaining(namespaces.map((one) => `${one}/x`)))
            await cache.stop()
          }
        } finally {
          await plane.must(['delete', 'clusterrole,clusterrolebinding', role.metadata.name])
        }
      })
    })
  })
})
