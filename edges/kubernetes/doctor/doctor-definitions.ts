/** Whether a cluster has the definitions of the six kinds as this program has them: a field that one lacks is lost there. */
import { customResourceDefinitions } from '../../../crd/manifest.ts'
import { answered } from '../api/answers.ts'
import { pathOf, type KubeClient } from '../api/api.ts'

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly unknown[]
}

interface Version {
  readonly name: string
  readonly served: boolean
  readonly schema?: { readonly openAPIV3Schema?: Schema }
}

interface Definition {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly versions: readonly Version[] }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

interface DefinitionFault {
  /** `tasks.platform.dev` */
  readonly name: string
  /** `missing`: the cluster has none. `older`: it lacks `fields`. `refused`: the server did not take it. */
  readonly is: 'missing' | 'older' | 'refused'
  /** As `.spec.goal`, or `.spec.kind=review` for a choice. */
  readonly fields: readonly string[]
}

const definitions = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' }

/** Empty: all are there. One that has more is newer, and well. @throws KubeError */
export async function definitionFaults(client: Pick<KubeClient, 'ask'>): Promise<readonly DefinitionFault[]> {
  const own = customResourceDefinitions() as unknown as readonly Definition[]
  return (await Promise.all(own.map((wanted) => faultOf(client, wanted)))).flat()
}

async function faultOf(client: Pick<KubeClient, 'ask'>, wanted: Definition): Promise<readonly DefinitionFault[]> {
  const { name } = wanted.metadata
  const found = await client
    .ask<Definition>('GET', pathOf(definitions, { name }))
    .catch((error: unknown) => (answered(error, 404) ? undefined : Promise.reject(error)))
  if (found === undefined) return [{ name, is: 'missing', fields: [] }]
  const isEstablished = found.status?.conditions?.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  )
  if (isEstablished !== true) return [{ name, is: 'refused', fields: [] }]
  const fields = wanted.spec.versions.flatMap((version) => lackOf(version, found.spec.versions))
  return fields.length === 0 ? [] : [{ name, is: 'older', fields }]
}

function lackOf(wanted: Version, found: readonly Version[]): readonly string[] {
  const same = found.find(({ name, served }) => name === wanted.name && served)
  if (same === undefined) return [wanted.name]
  return lackIn(wanted.schema?.openAPIV3Schema ?? {}, same.schema?.openAPIV3Schema ?? {}, '')
}

function lackIn(wanted: Schema, found: Schema, path: string): readonly string[] {
  const words = (wanted.enum ?? []).filter((word) => found.enum !== undefined && !found.enum.includes(word))
  const fields = Object.entries(wanted.properties ?? {}).flatMap(([name, inner]) => {
    const there = found.properties?.[name]
    return there === undefined ? [`${path}.${name}`] : lackIn(inner, there, `${path}.${name}`)
  })
  const items = wanted.items === undefined ? [] : lackIn(wanted.items, found.items ?? {}, `${path}[]`)
  return [...words.map((word) => `${path}=${String(word)}`), ...fields, ...items]
}
