/**
 * The life of a Project's memory stack as its people see it, on a real API server with pods of the stand-in kubelet: it
 * serves, grows, ends with its Project and comes back with what it held. Test code only.
 */
import { expect, vi } from 'vitest'
import { pathOf, type KubeClient, type KubeObject } from '../../edges/kubernetes/api/api.ts'
import type { StackSettings } from '../../edges/kubernetes/memory-stack/settings.ts'
import { clientCredentials } from '../../http/token-source.ts'
import { systemClock } from '../../runtime/clock.ts'
import { sharedControlPlane } from '../../testing/control-plane.ts'
import { memoryImage, postgresImage } from '../../standins/cnpg/testing/real-stack.ts'
import { apiVersion, startCluster, type Cluster, type Condition } from './cluster.ts'
import { ownManifests } from './fixture.ts'
import { noMemory } from './memories.ts'

const audience = 'urn:statewright:memory'
const pods = { clientId: 'pods', secret: 'memory-client' }
const resources = { requests: { cpu: '10m', memory: '64Mi' } }
/** Ten times what a full stack takes on a busy machine is more than a test may have. */
const bound = { timeout: 300_000, interval: 200 }

interface Place {
  /** Whose pods a kubelet of the test runs. */
  readonly namespace: string
  readonly storageClass: string
  readonly client: KubeClient
  /** False: on one StatefulSet, whatever definitions other tests made. */
  readonly usesCloudNativePg: boolean
  /** Of the full profile. */
  readonly knowledge?: Pick<StackSettings, 'neo4jImage' | 'lightragImage' | 'lightrag'>
}

export interface StackLife {
  readonly cluster: Cluster
  /** Until the condition MemoryStack and the phase are so, of the newest spec. */
  until(reason: string, words?: string): Promise<{ readonly phase?: string; readonly message: string }>
  /** Asks the service as a client of the Project does. */
  ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  /** Of the service. */
  metrics(): Promise<string>
  apply(memory: object): Promise<void>
  /** Deletes the Project, and answers its last condition MemoryStack. */
  remove(): Promise<string>
}

/** An orchestrator that runs stacks, with one Project that wants one: a light one, unless it says more. */
export async function withStackLife(
  { namespace, storageClass, client, usesCloudNativePg, knowledge }: Place,
  use: (life: StackLife) => Promise<void>,
): Promise<void> {
  const wanted = { profile: 'light', pgStorage: '1Gi', pgWalStorage: '1Gi' }
  const cluster = await startCluster(sharedControlPlane(), {
    namespace,
    manifests: () => [],
    // The kubelet knows names of Services inside of pods alone, and the orchestrator of a test is none.
    fetch: async (input, init) => {
      const { hostname, pathname } = new URL(input instanceof Request ? input.url : input)
      return hostname.endsWith('.svc') ? fetch(`${await serviceOf(cluster)}${pathname}`, init) : fetch(input, init)
    },
    clients: [{ ...pods, audiences: [audience] }],
    memoryStacks: {
      ...{
        image: memoryImage,
        postgresImage,
        neo4jImage: '',
        lightragImage: '',
        storageClass,
        audience,
        usesCloudNativePg,
        ...knowledge,
      },
      resources: { service: resources, postgres: resources, neo4j: resources, lightrag: resources },
    },
    settings: {
      memory: { ...noMemory, audience, clientId: pods.clientId, clientSecret: pods.secret, fills: false },
    },
  })
  const credential = { tokenUrl: `${cluster.issuer}/token`, ...pods, audience }
  const tokens = clientCredentials({ ...credential, clock: systemClock, fetch })
  const [secret, , ...repositories] = ownManifests(cluster.fixture.forge)
  const shown = async (): Promise<{ readonly phase?: string; readonly condition: Condition | undefined }> => {
    const { status } = (await cluster.get('projects', 'demo')) ?? {}
    const { phase } = (status?.['memory'] ?? {}) as { readonly phase?: string }
    return { ...(phase === undefined ? {} : { phase }), condition: conditionOf(status?.conditions) }
  }
  const life: StackLife = {
    cluster,
    async until(reason, words = '') {
      return vi.waitFor(async () => {
        const { phase, condition } = await shown()
        const message = condition?.message ?? ''
        if (condition?.reason !== reason || !message.includes(words))
          throw new Error(`the stack is not ${reason} ${words}, but ${condition?.reason} ${message}`)
        return { ...(phase === undefined ? {} : { phase }), message }
      }, bound)
    },
    async ask(method, path, body) {
      const answer = await fetch(`${await serviceOf(cluster)}${path}`, {
        method,
        headers: { authorization: `Bearer ${await tokens.token()}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    },
    metrics: async () => (await fetch(`${await serviceOf(cluster)}/metrics`)).text(),
    apply: (memory) => cluster.apply(secret!, cluster.project({ memory: { ...wanted, ...memory } }), ...repositories),
    async remove() {
      const ended = new AbortController()
      const watched = lastOf(client, namespace, ended.signal)
      await cluster.kubectl('delete', 'project', 'demo', '--timeout=80s')
      ended.abort()
      return watched
    },
  }
  try {
    await use(life)
  } finally {
    await cluster.stop()
  }
}

/** The condition of the Project that was there last. */
async function lastOf(client: KubeClient, namespace: string, signal: AbortSignal): Promise<string> {
  const projects = pathOf({ apiVersion, plural: 'projects' }, { namespace })
  let last = ''
  for await (const { object } of client.watch(projects, { signal })) {
    const { conditions = [] }: { readonly conditions?: readonly Condition[] } = object.status ?? {}
    last = conditionOf(conditions)?.message ?? last
  }
  return last
}

function conditionOf(conditions: readonly Condition[] = []): Condition | undefined {
  return conditions.find(({ type }) => type === 'MemoryStack')
}

async function serviceOf(cluster: Cluster): Promise<string> {
  const all = await listed(cluster, 'pods')
  const pod = all.find(({ metadata }) => metadata.labels?.['statewright.dev/memory-part'] === 'service')
  return `http://${String(pod?.status?.['podIP'])}:8080`
}

/** What both backends promise. `stays`: how the condition names what is left. */
export async function livesAndReturns(life: StackLife, { stays }: { readonly stays: string }): Promise<void> {
  await life.apply({ pgStorage: '20Mi' })
  await life.until('Degraded', 'raise spec.memory.pgStorage')
  for (const what of ['database', 'wal'])
    expect(await life.metrics()).toMatch(new RegExp(`^memory_store_bytes\\{what="${what}".*\\} \\d{7}`, 'm'))
  const { id } = await life.ask('POST', '/memories', {
    content: 'The crane lifts eleven tons.',
    metadata: { kind: 'note' },
  })
  const found = (): Promise<true> =>
    life.cluster.fixture.until('the memory is found', async () => {
      const answer = await life.ask('POST', '/queries', { text: 'how much does the crane lift', mode: 'naive' })
      return JSON.stringify(answer).includes('eleven tons') || undefined
    })
  await found()
  await life.apply({ pgStorage: '2Gi' })
  await life.cluster.fixture.until('the claim has grown', async () => (await sizes(life)).includes('2Gi'))
  expect((await life.until('Running')).phase).toBe('Running')
  expect(await life.remove()).toContain(stays)
  expect((await listed(life.cluster, 'pods')).filter(({ metadata }) => metadata.name.startsWith('mem'))).toEqual([])
  await life.apply({ pgStorage: '2Gi' })
  await life.until('Running')
  expect(await life.ask('GET', `/memories/${String(id)}`)).toMatchObject({ content: 'The crane lifts eleven tons.' })
  await found()
}

export async function listed(cluster: Cluster, plural: string): Promise<readonly KubeObject[]> {
  const { body } = await cluster.kube.ask('GET', `/api/v1/namespaces/${cluster.namespace}/${plural}`)
  return body['items'] as readonly KubeObject[]
}

async function sizes({ cluster }: StackLife): Promise<readonly string[]> {
  const claims = await listed(cluster, 'persistentvolumeclaims')
  return claims.map(({ status }) => String((status?.['capacity'] as { storage?: string } | undefined)?.storage))
}
