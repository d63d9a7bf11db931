/** What the stack stands on: CloudNativePG where the server has it, else a PostgreSQL of the stack’s own. */
import { RefusedError, stackKinds } from './objects.ts'
import type { PartInput, Postgres } from './parts.ts'
import { clusterLabel, postgresCluster } from './postgres-cluster.ts'
import { dataClaim, postgresSet } from './postgres-set.ts'

/** It looks each time: an operator may be installed later. What has its data in claims of its own stays there. */
export async function postgresOf(input: PartInput): Promise<Postgres> {
  const { objects, settings } = input
  const { names } = objects
  const hasOwn = (await objects.own('PersistentVolumeClaim', dataClaim(names))) !== undefined
  const { usesCloudNativePg = true } = settings
  const hasOperator = usesCloudNativePg && (await objects.hasApi(stackKinds.Cluster.apiVersion))
  if (hasOperator && !hasOwn) return postgresCluster(input)
  const [left] = hasOwn ? [] : await objects.list('PersistentVolumeClaim', { [clusterLabel]: names.cluster })
  if (left !== undefined)
    throw new RefusedError(
      `${objects.title('PersistentVolumeClaim', left.metadata.name)} is of CloudNativePG, which is not used any more`,
    )
  const note = `PostgreSQL stays in StatefulSet ${names.namespace}/${names.postgres}, where its data is; CloudNativePG is installed`
  return { ...(await postgresSet(input)), ...(hasOperator ? { note } : {}) }
}
