/** What a demo in a cluster shows of itself at the API server, and that nothing of it is left there. */
import { setTimeout as pause } from 'node:timers/promises'
import { kindsByName, kinds } from '../../crd/kinds.ts'
import { pathOf, type KubeObject, type KubeResource } from '../../edges/kubernetes/api/api.ts'
import { findByVariable } from '../../edges/local/processes.ts'
import { managedBy, managedByLabel } from '../../edges/kubernetes/pods/pod-names.ts'
import { claimsResource, podsResource, secretsResource } from '../../edges/kubernetes/pods/pod-requests.ts'
import { isOfAnyStack } from '../../edges/kubernetes/memory-stack/names.ts'
import type { Cluster } from '../local/cluster/cluster.ts'
import type { Disturbance } from './open.ts'

export interface ClusterRecord {
  /** Of agents, in the order of their creation: the phase in which each was seen last. */
  readonly pods: readonly { readonly name: string; readonly phase: string }[]
  readonly claims: readonly string[]
  /** Stage of each Task by its status. */
  readonly tasks: Readonly<Record<string, string>>
  /** Reasons of the Events of Tasks. */
  readonly events: readonly string[]
  /** What was there after Project and Repository were deleted, as `<plural>/<name>`; `processes` for those of a pod. */
  readonly left: readonly string[]
  /** What holds the data of a memory stack: it outlives its Project. */
  readonly stays: readonly string[]
}

const events: KubeResource = { apiVersion: 'v1', plural: 'events' }
/** Of a memory stack, beside its pods; its claims and Secrets stay. */
const stackResources: readonly KubeResource[] = [
  { apiVersion: 'apps/v1', plural: 'statefulsets' },
  { apiVersion: 'apps/v1', plural: 'deployments' },
  { apiVersion: 'v1', plural: 'services' },
]
/** Repositories own their Issues and MergeRequests, Projects the rest. */
const applied = [kindsByName.Project, kindsByName.Repository]
/** The kubelet's, the collector's and our finalizer's work after the deletion. */
const goneLimitMs = 120_000
/** A hundred times what a status takes. */
const shownLimitMs = 30_000

interface Recorder extends Pick<Disturbance<{ readonly kubernetes: ClusterRecord }>, 'end'> {
  /** In place of its end: it stops to watch, and deletes nothing. */
  close(): void
}

/** Its end deletes what people applied, waits until no object of it is left, and stops to watch. */
export function recordCluster(cluster: Cluster): Recorder {
  const phases = new Map<string, string>()
  const bound = new Set<string>()
  const watching = new AbortController()
  const follow = async (resource: KubeResource, see: (object: KubeObject) => void): Promise<void> => {
    const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true }
    const { signal } = watching
    while (!signal.aborted) {
      try {
        for await (const { type, object } of cluster.client.watch(pathOf(resource, cluster), { query, signal }))
          if (type === 'ADDED' || type === 'MODIFIED') see(object)
      } catch {
        // The API server is being started again: what is there is listed anew.
        await pause(200)
      }
    }
  }
  const watches = [
    follow(podsResource, ({ metadata, status }) => {
      if (metadata.labels?.[managedByLabel] === managedBy) phases.set(metadata.name, String(status?.['phase']))
    }),
    follow(claimsResource, ({ metadata, status }) => {
      if (status?.['phase'] === 'Bound') bound.add(metadata.name)
    }),
  ]
  return {
    close: () => watching.abort(),
    async end() {
      const tasks = await untilShown(cluster)
      const happened = await listOf(cluster, events)
      for (const resource of applied)
        for (const { metadata } of await listOf(cluster, resource))
          await cluster.client.ask('DELETE', pathOf(resource, { ...cluster, name: metadata.name }))
      const left = await untilGone(cluster, [...phases.keys()])
      const stays = await namesOf(cluster, [claimsResource, secretsResource], isOfAnyStack)
      watching.abort()
      await Promise.all(watches)
      const record: ClusterRecord = {
        pods: [...phases].map(([name, phase]) => ({ name, phase })),
        claims: [...bound],
        tasks: Object.fromEntries(tasks.map(({ metadata, status }) => [metadata.name, String(status?.['stage'])])),
        events: [...new Set(happened.filter(isOfTask).map((event) => event.reason))],
        left,
        stays,
      }
      return { report: { kubernetes: record }, faults: faultsIn(record) }
    },
  }
}

type HappenedEvent = KubeObject & { readonly reason: string; readonly involvedObject: { readonly kind: string } }

function isOfTask(object: KubeObject): object is HappenedEvent {
  return (object as HappenedEvent).involvedObject.kind === 'Task'
}

async function listOf(cluster: Cluster, resource: KubeResource): Promise<readonly KubeObject[]> {
  const { items } = await cluster.client.ask<{ readonly items: readonly KubeObject[] }>(
    'GET',
    pathOf(resource, cluster),
  )
  return items
}

/** What was seen at last, where it is in vain. */
async function until<T>(limitMs: number, look: () => Promise<T>, isMet: (seen: T) => boolean): Promise<T> {
  for (const limit = Date.now() + limitMs; ; await pause(250)) {
    const seen = await look()
    if (isMet(seen) || Date.now() > limit) return seen
  }
}

/** A status follows what is committed: a Task that has just ended may be shown as before. */
function untilShown(cluster: Cluster): Promise<readonly KubeObject[]> {
  const isTerminal = ({ status }: KubeObject): boolean => status?.['stageClass'] === 'terminal'
  return until(
    shownLimitMs,
    () => listOf(cluster, kindsByName.Task),
    (tasks) => tasks.every(isTerminal),
  )
}

/** Of the six kinds, of what pods are made of, and of their processes, where they run on this machine. */
function untilGone(cluster: Cluster, pods: readonly string[]): Promise<readonly string[]> {
  const look = async (): Promise<readonly string[]> => {
    const left = pods.filter((pod) => findByVariable('HOSTNAME', pod) !== undefined).map((pod) => `processes/${pod}`)
    for (const resource of [...kinds, podsResource, claimsResource, secretsResource])
      left.push(...(await namesOf(cluster, [resource], (metadata) => isOurs(resource, metadata))))
    return [...left, ...(await namesOf(cluster, [podsResource, ...stackResources], isOfAnyStack))]
  }
  return until(goneLimitMs, look, (left) => left.length === 0)
}

async function namesOf(
  cluster: Cluster,
  resources: readonly KubeResource[],
  isMeant: (metadata: KubeObject['metadata']) => boolean,
): Promise<readonly string[]> {
  const names = resources.map(async (resource) =>
    (await listOf(cluster, resource))
      .filter(({ metadata }) => isMeant(metadata))
      .map(({ metadata }) => `${resource.plural}/${metadata.name}`),
  )
  return (await Promise.all(names)).flat()
}

/** The release has pods and Secrets too, while it is installed. */
function isOurs(resource: KubeResource, metadata: KubeObject['metadata']): boolean {
  const { labels, ownerReferences } = metadata
  if (isOfAnyStack(metadata)) return false
  if (resource === podsResource) return labels?.[managedByLabel] === managedBy
  return resource !== secretsResource || ownerReferences !== undefined
}

function faultsIn({ pods: seen, claims: bound, tasks, events: reasons, left }: ClusterRecord): readonly string[] {
  return [
    ...(seen.length === 0 ? ['the API server had no pod of an agent'] : []),
    ...seen.filter(({ phase }) => phase === 'Pending').map(({ name }) => `the pod ${name} never ran`),
    ...(bound.length === 0 ? ['no claim was bound'] : []),
    ...Object.entries(tasks)
      .filter(([, stage]) => stage !== 'delivered')
      .map(([name, stage]) => `the status of the Task ${name} says ${stage}`),
    ...(reasons.length === 0 ? ['the Tasks have no Events'] : []),
    ...left.map((name) => `${name} was left after Project and Repository were deleted`),
  ]
}
