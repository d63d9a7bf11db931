/** What `statewright rbac` prints; that a server takes it and that it is enough, the tests on a real one show. */
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { chartRules, rbacManifests } from '../../../edges/kubernetes/doctor/rbac.ts'
import { rbac } from './rbac.ts'
import { said } from '../testing/fixture.ts'

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly subjects?: readonly object[]
  readonly rules?: readonly object[]
}

async function printed(...options: readonly string[]): Promise<readonly Manifest[]> {
  const { out } = await said(() => rbac(options))
  return parseAllDocuments(out).map((document) => document.toJS({ maxAliasCount: 0 }) as Manifest)
}

const placesOf = (manifests: readonly Manifest[]): readonly string[] =>
  manifests.map(({ kind, metadata: { namespace = '*', name } }) => `${kind} ${namespace}/${name}`)

test('a list of namespaces gives a Role in each, and one for the Lease', async () => {
  const manifests = await printed('--namespaces', 'team-a, team-b,team-a', '--lease-namespace', 'platform')
  expect(placesOf(manifests)).toEqual([
    'ServiceAccount platform/statewright',
    'Role platform/statewright-lease',
    'RoleBinding platform/statewright-lease',
    'Role team-a/platform.statewright',
    'RoleBinding team-a/platform.statewright',
    'Role team-b/platform.statewright',
    'RoleBinding team-b/platform.statewright',
  ])
  for (const { subjects = [] } of manifests)
    for (const one of subjects)
      expect(one).toEqual({ kind: 'ServiceAccount', name: 'statewright', namespace: 'platform' })
})

test('without one a ClusterRole gives all namespaces, under names of this orchestrator', async () => {
  expect(placesOf(await printed('--service-account', 'second'))).toEqual([
    'ServiceAccount default/second',
    'Role default/second-lease',
    'RoleBinding default/second-lease',
    'ClusterRole */default.second',
    'ClusterRoleBinding */default.second',
  ])
})

test('--memory-stacks adds the rights of memory stacks, with and without those of pods', async () => {
  const rulesOf = async (...more: readonly string[]): Promise<readonly object[]> =>
    (await printed('--namespaces', 'a', ...more)).find(({ metadata }) => metadata.name === 'default.statewright')!
      .rules!
  const { watched, pods, stacks } = chartRules
  expect(await rulesOf()).toEqual([...watched, ...pods])
  expect(await rulesOf('--memory-stacks')).toEqual([...watched, ...pods, ...stacks])
  expect(await rulesOf('--memory-stacks', '--local-pods')).toEqual([...watched, ...stacks])
})

test('--json prints one line, a List', async () => {
  const { out } = await said(() => rbac(['--namespaces', 'a', '--json']))
  const items = rbacManifests({ namespaces: ['a'], leaseNamespace: 'default', serviceAccount: 'statewright' })
  expect(out.split('\n').map((line) => JSON.parse(line) as object)).toEqual([{ apiVersion: 'v1', kind: 'List', items }])
})

test.each([
  [['--namespaces', ''], /--namespaces: "" is no name/],
  [['--namespaces', 'a,,b'], /--namespaces: "" is no name/],
  [['--namespaces', 'A'], /--namespaces: "A" is no name/],
  [['--lease-namespace', 'a.b'], /--lease-namespace: "a.b" is no name/],
  [['--service-account', 'a/b'], /--service-account: "a\/b" is no name/],
  [['team-a'], /^usage: statewright rbac/],
])('%j is refused', async (options, message) => {
  await expect(rbac(options)).rejects.toThrow(message)
})
