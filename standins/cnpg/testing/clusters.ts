/** Clusters that tests make, and what tests read of them. */
import { readFileSync } from 'node:fs'
import pg from 'pg'
import type { KubeObject } from '../../../edges/kubernetes/api/api.ts'
import { group, pods, secrets, type Condition } from '../cluster.ts'
import { catalog, type Stack } from './real-stack.ts'

export const name = 'mem'
export const instance = `${name}-1`
/** Of `expect.poll`. */
export const patience = { timeout: 40_000, interval: 100 }

export function clusterOf(storageClass: string, own: object = {}): object {
  return {
    apiVersion: group,
    kind: 'Cluster',
    metadata: { name },
    spec: {
      instances: 1,
      enablePDB: false,
      imageCatalogRef: { apiGroup: 'postgresql.cnpg.io', kind: 'ClusterImageCatalog', name: catalog, major: 18 },
      bootstrap: { initdb: { database: 'memory', owner: 'memory', dataChecksums: true } },
      storage: { size: '1Gi', storageClass },
      walStorage: { size: '1Gi', storageClass },
      postgresql: { extensions: [{ name: 'pgvector' }], parameters: { wal_level: 'replica' } },
      inheritedMetadata: { labels: { 'platform.dev/project': 'one' } },
      ...own,
    },
  }
}

export const statusOf = (object: KubeObject | undefined): Readonly<Record<string, unknown>> => object?.status ?? {}
export const condition = (object: KubeObject | undefined, type: string): Condition | undefined =>
  (statusOf(object)['conditions'] as readonly Condition[] | undefined)?.find((one) => one.type === type)
export const isReady = (object: KubeObject | undefined): boolean => condition(object, 'Ready')?.status === 'True'
export const isPhase =
  (phase: string) =>
  (object: KubeObject | undefined): boolean =>
    statusOf(object)['phase'] === phase
export async function secretOf({ find }: Stack, secret: string): Promise<Readonly<Record<string, string>>> {
  const { data = {} } = (await find(secrets, secret))!
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]))
}

/** As the owner, over TLS, by the name that the certificate must have. */
export async function asOwner<Answer>(
  stack: Stack,
  use: (client: pg.Client) => Promise<Answer>,
  { servername = `${name}-rw`, at = instance }: { readonly servername?: string; readonly at?: string } = {},
): Promise<Answer> {
  const { user, password, dbname } = await secretOf(stack, `${name}-app`)
  const { 'ca.crt': ca } = await secretOf(stack, `${name}-ca`)
  const { podIP: host } = statusOf(await stack.find(pods, at)) as { podIP: string }
  const client = new pg.Client({ host, port: 5432, user, password, database: dbname, ssl: { ca, servername } })
  // One that is crashed meanwhile is heard of by the query too.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** To each process of an instance. */
export async function signal({ kubelet, read }: Stack, pod: string, what: NodeJS.Signals): Promise<void> {
  const first = kubelet.firstOf((await read(pod))?.metadata.uid ?? '', 'postgres')
  if (first === undefined) throw new Error(`${pod} does not run`)
  for (const each of familyOf(first)) process.kill(each, what)
}

function familyOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))]
}

/** Its node is gone with it: nothing of it says another word. */
export async function crash(stack: Stack, pod: string): Promise<void> {
  const first = stack.kubelet.firstOf((await stack.read(pod))?.metadata.uid ?? '', 'postgres')
  if (first === undefined) throw new Error(`${pod} does not run`)
  // The first process of a namespace takes all others with it.
  process.kill(first, 'SIGKILL')
  await stack.remove(pod, { gracePeriodSeconds: 0 })
}
