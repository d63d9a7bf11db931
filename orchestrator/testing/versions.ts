/** Each version of each object of ours that an API server has, and what a later one may not show. Test code only. */
import { kinds } from '../../crd/kinds.ts'
import { pathOf, type KubeClient, type KubeObject } from '../../edges/kubernetes/api/api.ts'
import { createKubeClient } from '../../edges/kubernetes/api/client.ts'
import type { Cluster, Condition } from './cluster.ts'

export interface Versions {
  /** In the order of the server, from the list on with which the watch began. */
  of(kind: string, name: string): readonly KubeObject[]
  all(): readonly KubeObject[]
  stop(): Promise<void>
}

interface ShownStatus {
  readonly stageEnteredAt?: string
  readonly stages?: readonly { readonly stage: string; readonly at: string }[]
  readonly conditions?: readonly Condition[]
}

/** Follows all kinds of its namespace, as an administrator. A watch that ends early is a fault of the test. */
export async function watchVersions({ kube, namespace }: Cluster): Promise<Versions> {
  const client = createKubeClient({ kubeconfig: kube.kubeconfig })
  const stopping = new AbortController()
  const seen: KubeObject[] = []
  const follows = await Promise.all(
    kinds.map((kind) => follow(client, pathOf(kind, { namespace }), stopping.signal, (object) => seen.push(object))),
  )
  return {
    of: (kind, name) => seen.filter((one) => one.kind === kind && one.metadata.name === name),
    all: () => seen,
    async stop() {
      stopping.abort()
      await Promise.all(follows.map(({ ended }) => ended))
      await client.close()
    },
  }
}

async function follow(
  client: KubeClient,
  path: string,
  signal: AbortSignal,
  see: (object: KubeObject) => void,
): Promise<{ readonly ended: Promise<void> }> {
  const { metadata } = await client.ask<{ readonly metadata: { readonly resourceVersion: string } }>('GET', path)
  const read = async (): Promise<void> => {
    const query = { watch: true, resourceVersion: metadata.resourceVersion, timeoutSeconds: 600 }
    for await (const { type, object } of client.watch(path, { query, signal }))
      if (type === 'ADDED' || type === 'MODIFIED') see(object)
      else if (type === 'ERROR') throw new Error(`the watch of ${path} failed: ${object.message}`)
  }
  const ended = read().catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  return { ended }
}

/** Each version that shows something older than the one before it, in words; empty: no status ever went back. */
export function stepsBack(versions: readonly KubeObject[]): readonly string[] {
  return versions.slice(1).flatMap((later, index) => {
    const before = versions[index]!
    const { kind, metadata } = later
    if (before.metadata.uid !== metadata.uid) return []
    return stepBack(statusOf(before), statusOf(later)).map(
      (what) => `${kind}/${metadata.name} at version ${metadata.resourceVersion}: ${what}`,
    )
  })
}

function stepBack(before: ShownStatus, later: ShownStatus): readonly string[] {
  const stages = (before.stages ?? []).filter(
    ({ stage, at }) => !(later.stages ?? []).some((one) => one.stage === stage && one.at === at),
  )
  return [
    ...stages.map(({ stage, at }) => `the stage ${stage} of ${at} is gone`),
    ...((later.stageEnteredAt ?? '') < (before.stageEnteredAt ?? '')
      ? [`its stage began at ${later.stageEnteredAt} in place of ${before.stageEnteredAt}`]
      : []),
    ...(later.conditions ?? []).flatMap((condition) => olderThan(condition, before.conditions ?? [])),
  ]
}

function olderThan(later: Condition, all: readonly Condition[]): readonly string[] {
  const before = all.find(({ type }) => type === later.type)
  if (before === undefined) return []
  const { type, observedGeneration = 0, lastTransitionTime = '' } = later
  return [
    ...(observedGeneration < (before.observedGeneration ?? 0)
      ? [`${type} is of the generation ${observedGeneration}`]
      : []),
    ...(lastTransitionTime < (before.lastTransitionTime ?? '') ? [`${type} is of ${lastTransitionTime}`] : []),
  ]
}

function statusOf({ status = {} }: KubeObject): ShownStatus {
  return status
}
