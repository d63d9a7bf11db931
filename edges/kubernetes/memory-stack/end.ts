/** Ends what runs of a stack. What holds data stays: claims, the Cluster that owns its claims, Secrets with their passwords. */
import type { StackSight } from '../../../machines/memory-stack/events.ts'
import { isDeleting } from '../api/marks.ts'
import { isOfStack } from './names.ts'
import type { StackKind, StackObjects } from './objects.ts'
import { graphClaim } from './neo4j.ts'
import { clusterLabel, hibernation } from './postgres-cluster.ts'
import { dataClaim, walClaim } from './postgres-set.ts'

export async function endStack(objects: StackObjects): Promise<StackSight> {
  const { names } = objects
  const { service, lightrag, neo4j, postgres } = names
  // Who asks goes before who answers.
  for (const name of [service, lightrag]) await objects.remove('Deployment', name)
  for (const name of [neo4j, postgres]) await objects.remove('StatefulSet', name)
  for (const name of [service, lightrag, neo4j, postgres]) await objects.remove('Service', name)
  const cluster = await hibernate(objects)
  const pods = [
    ...(await objects.list('Pod', names.labels)),
    ...(cluster?.sleeps === true ? await objects.list('Pod', { [clusterLabel]: names.cluster }) : []),
  ]
  const pod = pods.find(({ status = {} }) => !ended.includes(String(status['phase'])))
  const words =
    pod === undefined
      ? await staying(objects, cluster?.words ?? '')
      : `${objects.title('Pod', pod.metadata.name)} still runs`
  return { phase: pod === undefined ? 'gone' : 'pending', part: 'cluster', words, endpoint: '', externalEndpoint: '' }
}

const healthy = 'Cluster in healthy state'
const ended: readonly string[] = ['Succeeded', 'Failed']

/** `sleeps`: its pods go. The operator puts only a healthy one to sleep: nobody waits for another, which may never be. */
interface Kept {
  readonly words: string
  readonly sleeps: boolean
}

/** The operator ends the pods and leaves the claims. Undefined: there is no Cluster. */
async function hibernate(objects: StackObjects): Promise<Kept | undefined> {
  const { cluster } = objects.names
  const known = await objects.find('Cluster', cluster)
  if (known === undefined || isDeleting(known) || !isOfStack(objects.names, known.metadata.labels)) return undefined
  if (known.metadata.annotations?.[hibernation] !== 'on')
    await objects.change('Cluster', known, { metadata: { annotations: { [hibernation]: 'on' } } })
  const { phase = 'not taken up yet' }: ClusterStatus = known.status ?? {}
  const sleeps = phase === healthy
  const title = `${objects.title('Cluster', cluster)} with its claims`
  return { sleeps, words: sleeps ? title : `${title}, which sleeps once it is healthy (${phase})` }
}

interface ClusterStatus {
  readonly phase?: string
}

async function staying(objects: StackObjects, cluster: string): Promise<string> {
  const { names } = objects
  const { neo4j, postgres, lightrag, service } = names
  const candidates: readonly (readonly [StackKind, string])[] = [
    ...[dataClaim(names), walClaim(names), graphClaim(names)].map((name) => ['PersistentVolumeClaim', name] as const),
    ...[postgres, neo4j, lightrag, service].map((name) => ['Secret', name] as const),
  ]
  const stays = cluster === '' ? [] : [cluster]
  for (const [kind, name] of candidates) {
    const known = await objects.find(kind, name)
    if (known !== undefined && isOfStack(objects.names, known.metadata.labels)) stays.push(objects.title(kind, name))
  }
  return stays.join(', ')
}
