/**
 * Memory stacks on a real API server; the test plays kubelet and CloudNativePG. The definitions of Cluster and Database are small
 * ones of ours: the server checks none of their fields.
 */
import { beforeAll, expect, test, vi } from 'vitest'
import type { StackSight, StackWanted } from '../../../machines/memory-stack/events.ts'
import type { MemoryStacks } from '../../ports/memory-stacks.ts'
import { sharedControlPlane } from '../../../testing/control-plane.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { errorOf, answered } from '../api/answers.ts'
import { mergePatch, pathOf, type KubeClient, type KubeObject } from '../api/api.ts'
import { chartRules } from '../doctor/rbac.ts'
import { withAccount } from '../testing/acting.ts'
import { withRealServer } from '../testing/real-server.ts'
import { light, stackSettings } from '../testing/stack-scene.ts'
import { stackKinds, type StackKind } from './objects.ts'
import { createClusterStacks } from './reconcile.ts'

const group = 'postgresql.cnpg.io'
const { signal } = new AbortController()
/** Ten times the goal. */
const soon = { timeout: 20_000, interval: 50 }
/** Stacks that are cut beside each other. */
const atOnce = 4
const made: readonly StackKind[] = [
  ...(['Deployment', 'StatefulSet', 'Service', 'Secret', 'PersistentVolumeClaim', 'Cluster', 'Database'] as const),
]

function definition(kind: string, plural: string): object {
  const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: free, status: free } } }
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` }
  return { metadata: { name: `${plural}.${group}` }, spec: { group, names, scope: 'Namespaced', versions: [version] } }
}

interface Stage {
  readonly client: KubeClient
  readonly namespace: string
  stacks(client?: Pick<KubeClient, 'ask'>): MemoryStacks
  look(wanted?: Partial<StackWanted>, name?: string): Promise<StackSight>
  /** Of one stack, or of all: kinds and names. */
  objects(name?: string): Promise<readonly KubeObject[]>
  status(kind: StackKind, name: string, status: object): Promise<void>
  /** What a kubelet does, of all pods that there are. */
  run(): Promise<void>
  /** What CloudNativePG does with the Cluster of a stack. */
  operate(name?: string): Promise<void>
}

let passwords = 0
const newPassword = (): string => `password-${++passwords}`

/** As a server without CloudNativePG answers. */
function without(client: KubeClient): KubeClient {
  return {
    ...client,
    ask(method, path, question) {
      if (path === `/apis/${group}/v1`) throw errorOf(404, {})
      return client.ask(method, path, question)
    },
  }
}

async function withStage(hasOperator: boolean, use: (stage: Stage) => Promise<void>): Promise<void> {
  await withRealServer(async ({ client: server, plane }) => {
    const namespace = await plane.ownNamespace()
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    await server.ask('PATCH', `/api/v1/namespaces/${namespace}`, { body: { metadata: { labels } }, type: mergePatch })
    const client = hasOperator ? server : without(server)
    const at = (kind: StackKind, name?: string): string =>
      pathOf(stackKinds[kind], { namespace, ...(name === undefined ? {} : { name }) })
    const list = async (kind: StackKind): Promise<readonly KubeObject[]> => {
      const { items } = await server.ask<{ items: readonly KubeObject[] }>('GET', at(kind))
      return items.map((item) => ({ ...item, kind }))
    }
    const status: Stage['status'] = async (kind, name, to) =>
      void (await server.ask('PATCH', `${at(kind, name)}/status`, { body: { status: to }, type: mergePatch }))
    const stacks: Stage['stacks'] = (by = client) =>
      createClusterStacks({ client: by, settings: stackSettings, newPassword })
    const stage: Stage = {
      ...{ client, namespace, stacks, status },
      look: (wanted = {}, name = 'demo') => stacks().reconcile(`${namespace}/${name}`, { ...light, ...wanted }, signal),
      async objects(name) {
        const all = (await Promise.all(made.map(list))).flat()
        return all.filter(({ metadata }) => {
          const stack = metadata.labels?.['statewright.dev/memory-stack']
          return stack !== undefined && (name === undefined || stack === name)
        })
      },
      async run() {
        for (const { metadata } of await list('Pod'))
          await status('Pod', metadata.name, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] })
      },
      async operate(name = 'demo') {
        const isOf = ({ metadata }: KubeObject): boolean => metadata.labels?.['statewright.dev/memory-stack'] === name
        for (const { metadata } of (await list('Database')).filter(isOf))
          await status('Database', metadata.name, { applied: true, observedGeneration: metadata.generation })
        for (const { metadata, spec } of (await list('Cluster')).filter(isOf)) {
          const conditions = [{ type: 'Ready', status: 'True' }]
          const whole = { phase: 'Cluster in healthy state', currentPrimary: 'a', readyInstances: spec?.['instances'] }
          await status('Cluster', metadata.name, { ...whole, conditions })
          const stringData = { uri: `postgresql://memory:of-operator@${metadata.name}-rw.${namespace}:5432/memory` }
          const body = { metadata: { name: `${metadata.name}-app` }, stringData }
          await server.ask('POST', at('Secret'), { body }).catch((error: unknown) => {
            if (!answered(error, 409)) throw error
          })
        }
      },
    }
    try {
      await use(stage)
    } finally {
      for (const { metadata } of await list('Service')) await server.ask('DELETE', at('Service', metadata.name))
    }
  })
}

const titles = (objects: readonly KubeObject[], name: string): readonly string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name.replace(name, 'NAME')}`).toSorted()
const uids = (objects: readonly KubeObject[], kind: StackKind): readonly string[] =>
  objects.filter((object) => object.kind === kind).map(({ metadata }) => `${metadata.name} ${metadata.uid}`)

async function running(stage: Stage, wanted: Partial<StackWanted> = {}): Promise<void> {
  await expect
    .poll(async () => {
      await stage.run()
      await stage.operate()
      return stage.look(wanted)
    }, soon)
    .toMatchObject({ phase: 'running' })
}

describeRequiring('kubernetes', 'memory stacks of a cluster', () => {
  beforeAll(async () => {
    const plane = sharedControlPlane()
    for (const [kind, plural] of [
      ['Cluster', 'clusters'],
      ['Database', 'databases'],
    ] as const)
      await plane.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition(kind, plural))
    await vi.waitFor(async () => {
      for (const plural of ['clusters', 'databases'])
        expect((await plane.ask('GET', `/apis/${group}/v1/${plural}`)).code).toBe(200)
    }, soon)
  })

  test.each([
    ['light', 'a StatefulSet', false],
    ['full', 'a StatefulSet', false],
    ['light', 'CloudNativePG', true],
    ['full', 'CloudNativePG', true],
  ] as const)(
    'a restricted namespace admits a %s stack on %s, which ends, and starts again on what it left',
    async (profile, _what, hasOperator) => {
      await withStage(hasOperator, async (stage) => {
        await running(stage, { profile })
        const before = await stage.objects()
        const versions = before.map(({ metadata }) => metadata.resourceVersion)
        expect(await stage.look({ profile })).toMatchObject({ phase: 'running' })
        expect((await stage.objects()).map(({ metadata }) => metadata.resourceVersion)).toEqual(versions)
        const project = `${stage.namespace}/demo`
        await expect.poll(() => stage.stacks().end(project, signal), soon).toMatchObject({ phase: 'gone' })
        const left = await stage.objects()
        const kept: readonly StackKind[] = hasOperator
          ? ['Cluster', 'Database', 'Secret']
          : ['PersistentVolumeClaim', 'Secret']
        const claims: readonly StackKind[] = profile === 'full' ? ['PersistentVolumeClaim'] : []
        expect(new Set(left.map(({ kind }) => kind))).toEqual(new Set([...kept, ...claims]))
        await running(stage, { profile })
        const after = await stage.objects()
        for (const kind of kept) expect(uids(after, kind)).toEqual(uids(before, kind))
      })
    },
  )

  test.each([
    ['a StatefulSet', false],
    ['CloudNativePG', true],
  ])(
    'a full stack on %s that is cut after any write goes on: the same objects, the same passwords',
    async (_what, hasOperator) => {
      await withStage(hasOperator, async (stage) => {
        const { client, namespace } = stage
        const settle = async (name: string, by?: Pick<KubeClient, 'ask'>): Promise<void> => {
          // CloudNativePG makes credentials between two looks.
          for (let look = hasOperator ? 0 : 1; look < 2; look++) {
            await stage.stacks(by).reconcile(`${namespace}/${name}`, { ...light, profile: 'full' }, signal)
            await stage.operate(name)
          }
        }
        await settle('whole')
        const whole = titles(await stage.objects('whole'), 'whole')
        /** False: the look was over before. */
        const cutAfter = async (last: number): Promise<boolean> => {
          const name = `cut-${last}`
          let writes = 0
          const cut: Pick<KubeClient, 'ask'> = {
            async ask<Answer>(...question: Parameters<KubeClient['ask']>): Promise<Answer> {
              const answer = await client.ask<Answer>(...question)
              if (question[0] !== 'GET' && ++writes === last) throw new Error('the process ended')
              return answer
            },
          }
          const isCut = await settle(name, cut).then(
            () => false,
            () => true,
          )
          const secrets = (await stage.objects(name)).filter(({ kind }) => kind === 'Secret')
          await settle(name)
          const after = await stage.objects(name)
          expect(titles(after, name)).toEqual(whole)
          const passwordOf = (objects: readonly KubeObject[]): unknown =>
            objects.map(({ data, metadata }) => [metadata.uid, data?.['password']])
          const known = after.filter(({ metadata }) => secrets.some((secret) => secret.metadata.uid === metadata.uid))
          expect(passwordOf(known)).toEqual(passwordOf(secrets))
          // The server has addresses for some 250 Services.
          await stage.stacks().end(`${namespace}/${name}`, signal)
          return isCut
        }
        let cuts: readonly boolean[] = []
        for (let first = 1; !cuts.includes(false); first += atOnce)
          cuts = await Promise.all(Array.from({ length: atOnce }, (_, more) => cutAfter(first + more)))
      })
    },
    300_000,
  )

  test('the rights of the rules are enough for a full stack on CloudNativePG, from its start to its end', async () => {
    await withStage(true, async (stage) => {
      const { client, namespace } = stage
      const api = 'rbac.authorization.k8s.io'
      const account = { namespace, name: 'stacks' }
      const post = (path: string, body: object): Promise<KubeObject> => client.ask('POST', path, { body })
      await post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: account })
      await post(`/apis/${api}/v1/namespaces/${namespace}/roles`, { metadata: account, rules: chartRules.stacks })
      await post(`/apis/${api}/v1/namespaces/${namespace}/rolebindings`, {
        ...{ metadata: account, subjects: [{ kind: 'ServiceAccount', ...account }] },
        roleRef: { apiGroup: api, kind: 'Role', name: account.name },
      })
      await withAccount(sharedControlPlane(), account, async (own) => {
        const stacks = stage.stacks(own)
        const project = `${namespace}/demo`
        const look = async (): Promise<StackSight> => {
          await stage.run()
          await stage.operate()
          return stacks.reconcile(project, { ...light, profile: 'full' }, signal)
        }
        await expect.poll(look, soon).toMatchObject({ phase: 'running', words: '' })
        await expect.poll(() => stacks.end(project, signal), soon).toMatchObject({ phase: 'gone' })
      })
    })
  })

  test('an apply leaves what a webhook filled in, and takes back what is ours alone', async () => {
    await withStage(true, async (stage) => {
      const path = pathOf(stackKinds.Cluster, { namespace: stage.namespace, name: 'mem-demo' })
      await stage.look({ pgInstances: 3 })
      const filled = {
        affinity: { podAntiAffinityType: 'preferred' },
        postgresql: { parameters: { max_wal_size: '2GB' } },
      }
      await stage.client.ask('PATCH', path, {
        ...{ query: { fieldManager: 'webhook' }, body: { spec: { ...filled, instances: 7 } }, type: mergePatch },
      })
      await stage.look({ pgInstances: 2, pgStorage: '20Gi' })
      const { spec } = await stage.client.ask('GET', path)
      expect(spec).toMatchObject({
        ...{ instances: 2, storage: { size: '20Gi' }, affinity: { podAntiAffinityType: 'preferred' } },
        postgresql: { parameters: { max_wal_size: '2GB', wal_level: 'replica' } },
      })
      expect(spec).not.toHaveProperty('postgresql.synchronous')
    })
  })
})
