/** What of a cluster memory stacks meet: the operator of PostgreSQL, and whether claims grow. */
import { answered } from '../api/answers.ts'
import { pathOf, type KubeClient, type KubeObject } from '../api/api.ts'

type Client = Pick<KubeClient, 'ask'>

interface Listed<Item> {
  readonly items: readonly Item[]
}

interface Operator {
  readonly metadata: { readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> }
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } }
  }
}

interface StorageClass extends Pick<KubeObject, 'metadata'> {
  readonly allowVolumeExpansion?: boolean
}

const group = '/apis/postgresql.cnpg.io/v1'
const defaultClass = 'storageclass.kubernetes.io/is-default-class'

/** @throws KubeError */
export async function cloudNativePgWords(client: Client): Promise<string> {
  const isThere = await client.ask('GET', group).then(
    () => true,
    (error: unknown) => (answered(error, 404) ? false : Promise.reject(error)),
  )
  if (!isThere) return 'CloudNativePG is not installed: PostgreSQL is one pod'
  const query = { labelSelector: 'app.kubernetes.io/name=cloudnative-pg' }
  const found = await readable<Operator>(client, '/apis/apps/v1/deployments', query)
  const [operator] = found ?? []
  if (operator === undefined) return 'CloudNativePG is installed, its version is unknown'
  const { metadata, spec } = operator
  const version =
    /:([^:/@]+)(@.*)?$/.exec(spec.template.spec.containers[0]?.image ?? '')?.[1] ?? 'of an unknown version'
  return `CloudNativePG ${version} is installed, its operator is in ${metadata.namespace}`
}

/** @throws KubeError */
export async function growthWords(client: Client): Promise<string> {
  const classes = pathOf({ apiVersion: 'storage.k8s.io/v1', plural: 'storageclasses' })
  const found = await readable<StorageClass>(client, classes)
  if (found === undefined) return 'whether claims grow is unknown: you may not list storageclasses'
  const usual = found.find(({ metadata }) => metadata.annotations?.[defaultClass] === 'true')
  if (usual === undefined) return 'there is no default class of storage'
  const { metadata, allowVolumeExpansion = false } = usual
  return `claims of the default class ${metadata.name} ${allowVolumeExpansion ? 'grow' : 'do not grow'}`
}

/** Undefined: whoever asks may not. */
async function readable<Item>(
  client: Client,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<readonly Item[] | undefined> {
  try {
    return (await client.ask<Listed<Item>>('GET', path, { query })).items
  } catch (error) {
    if (answered(error, 403)) return undefined
    throw error
  }
}
