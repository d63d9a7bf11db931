/**
 * Takes our finalizers and claims off, where no orchestrator will: one that is gone for good leaves objects that no
 * deletion ends. What it holds it takes up again when it starts.
 */
import { kinds } from '../../../crd/kinds.ts'
import { sleep, type Clock } from '../../../runtime/clock.ts'
import { answered } from '../api/answers.ts'
import { removeMarks } from './finalizers.ts'
import { pathOf, type KubeClient, type KubeObject } from '../api/api.ts'
import { putCondition } from './in-conditions.ts'
import { leaseName } from '../api/lease.ts'
import { claimAnnotation, closeFinalizer, hasFinalizer } from '../api/marks.ts'

interface ReleaseDeps {
  readonly client: KubeClient
  readonly clock: Clock
}

export interface Released {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** Somebody had deleted it: it is gone now, unless others hold it. */
  readonly wasDeleted: boolean
  readonly isGone: boolean
}

interface Page {
  readonly metadata: { readonly continue?: string }
  readonly items: readonly KubeObject[]
}

interface Holder {
  readonly holderIdentity?: string | null
  readonly leaseDurationSeconds?: number | null
}

const leases = { apiVersion: 'coordination.k8s.io/v1', plural: 'leases' }
const pageSize = 500
/** A living orchestrator renews its Lease every 5 s. */
const lookEveryMs = 1_000

/**
 * Who holds a Lease and renews it; undefined: nobody. By a change and not by its times: clocks differ. So of a dead one it
 * takes as long as its Lease lasts. `namespace` of the Lease; absent: all. @throws KubeError where it may not be listed.
 */
export async function findLiveOrchestrator(
  { client, clock }: ReleaseDeps,
  namespace?: string,
): Promise<string | undefined> {
  const path = pathOf(leases, namespace === undefined ? {} : { namespace })
  const list = (): Promise<Page> => client.ask('GET', path, { query: { fieldSelector: `metadata.name=${leaseName}` } })
  const held = (await list()).items.filter((lease) => holderOf(lease) !== '')
  const longestMs = Math.max(0, ...held.map(({ spec }) => ((spec as Holder).leaseDurationSeconds ?? 15) * 1_000))
  const began = clock.elapsed()
  while (clock.elapsed() - began < longestMs) {
    await sleep(clock, lookEveryMs)
    const renewed = (await list()).items.find(
      (lease) => holderOf(lease) !== '' && !held.some((one) => isSame(one, lease)),
    )
    if (renewed !== undefined) return `${renewed.metadata.namespace}/${holderOf(renewed)}`
  }
  return undefined
}

function holderOf({ spec }: KubeObject): string {
  return (spec as Holder | undefined)?.holderIdentity ?? ''
}

function isSame({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return a.uid === b.uid && a.resourceVersion === b.resourceVersion
}

/** `namespaces` absent: all. Repeatable: what an earlier call began, a later one ends. */
export async function release(deps: ReleaseDeps, namespaces?: readonly string[]): Promise<readonly Released[]> {
  const released: Released[] = []
  for (const kind of kinds)
    for (const namespace of namespaces ?? [undefined])
      for (const object of await listAll(deps.client, kind, namespace)) {
        const isClaimed = object.metadata.annotations?.[claimAnnotation] !== undefined
        if (hasFinalizer(object) || isClaimed) released.push(await releaseOne(deps, object))
      }
  return released
}

async function releaseOne(deps: ReleaseDeps, object: KubeObject): Promise<Released> {
  const { namespace = '', name, deletionTimestamp, finalizers = [] } = object.metadata
  const wasDeleted = deletionTimestamp !== undefined
  const isGone = wasDeleted && finalizers.every((one) => one === closeFinalizer)
  const left = await removeMarks(deps.client, isGone ? object : await putCondition(deps, object, 'contended'))
  return { kind: object.kind, namespace, name, wasDeleted, isGone: isGone || left === undefined }
}

/** Of a kind that the cluster does not have: nothing. A list has no kind in its items. */
async function listAll(
  client: KubeClient,
  { kind, apiVersion, plural }: (typeof kinds)[number],
  namespace: string | undefined,
): Promise<readonly KubeObject[]> {
  const path = pathOf({ apiVersion, plural }, namespace === undefined ? {} : { namespace })
  const all: KubeObject[] = []
  let next = ''
  do {
    const query = { limit: pageSize, ...(next === '' ? {} : { continue: next }) }
    const page = await client.ask<Page>('GET', path, { query }).catch((error: unknown) => {
      if (answered(error, 404)) return { metadata: {}, items: [] } as Page
      throw error
    })
    all.push(...page.items.map((item) => ({ ...item, kind, apiVersion })))
    next = page.metadata.continue ?? ''
  } while (next !== '')
  return all
}
