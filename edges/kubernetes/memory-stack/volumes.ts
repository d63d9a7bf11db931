/** Volumes of PostgreSQL that near their end, by what the memory service counts of it. */
import type { StackWanted } from '../../../machines/memory-stack/events.ts'
import { quantityValue } from '../../../crd/quantity.ts'
import { withDeadline } from '../../../http/deadline.ts'
import type { Fetch } from '../../../http/ports.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { KubeObject } from '../api/api.ts'
import { isSmaller, sizeOf } from './claims.ts'
import type { StackObjects } from './objects.ts'
import { clusterLabel, roleLabel } from './postgres-cluster.ts'
import { dataClaim, walClaim } from './postgres-set.ts'

/** Bytes. What is absent nobody knows: the service did not answer, or may not see it. */
export type Stored = Readonly<Partial<Record<'database' | 'wal', number>>>

/** A look waits no longer for it. */
const answerMs = 2000
const longestAnswer = 4 << 20
/** Time is left to grow it. */
const nearsItsEnd = 0.85

const series = /^memory_store_bytes\{(?=[^}\n]*\bwhat="(database|wal)")[^}\n]*\} ([\d.e+]+)$/gm

interface Asking {
  readonly fetch: Fetch
  readonly clock: Clock
}

/** `endpoint`: of the memory service. */
export async function storedAt(endpoint: string, { fetch, clock }: Asking, stopped: AbortSignal): Promise<Stored> {
  try {
    const text = await withDeadline(clock, answerMs, (late) =>
      metricsOf(endpoint, { fetch, signal: AbortSignal.any([stopped, late]) }),
    )
    return Object.fromEntries([...text.matchAll(series)].map(([, what = '', bytes]) => [what, Number(bytes)]))
  } catch {
    stopped.throwIfAborted()
    return {}
  }
}

async function metricsOf(endpoint: string, { fetch, signal }: { fetch: Fetch; signal: AbortSignal }): Promise<string> {
  const { ok, body } = await fetch(`${endpoint}/metrics`, { signal, redirect: 'error' })
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body ?? []) {
    length += part.length
    if (!ok || length > longestAnswer) return ''
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

type Sizes = Pick<StackWanted, 'pgStorage' | 'pgWalStorage'>

/** As wanted, or as large as somebody made them by hand. */
export async function sizesOf(objects: StackObjects, { pgStorage, pgWalStorage }: Sizes): Promise<Sizes> {
  const { names } = objects
  const ofCluster = await objects.list('PersistentVolumeClaim', { [clusterLabel]: names.cluster })
  const ofRole = (role: string): readonly KubeObject[] =>
    ofCluster.filter(({ metadata }) => metadata.labels?.[roleLabel] === role)
  const data = [await objects.own('PersistentVolumeClaim', dataClaim(names)), ...ofRole('PG_DATA')]
  const wal = [await objects.own('PersistentVolumeClaim', walClaim(names)), ...ofRole('PG_WAL')]
  return { pgStorage: largerOf(pgStorage, data), pgWalStorage: largerOf(pgWalStorage, wal) }
}

/** The size, or that of the smallest claim. */
function largerOf(size: string, claims: readonly (KubeObject | undefined)[]): string {
  const sizes = claims.flatMap((claim) => (claim && sizeOf(claim)) ?? [])
  const [smallest = size] = sizes.toSorted((one, other) => quantityValue(one) - quantityValue(other))
  return isSmaller(size, smallest) ? smallest : size
}

/** For people, of each that nears its end. */
export function volumeWords({ database, wal }: Stored, { pgStorage, pgWalStorage }: Sizes): readonly string[] {
  return [
    ...wordsOf('the databases have', database, ['pgStorage', pgStorage]),
    ...wordsOf('the log of PostgreSQL has', wal, ['pgWalStorage', pgWalStorage]),
  ]
}

function wordsOf(
  what: string,
  bytes: number | undefined,
  [field, size]: readonly [field: string, size: string],
): readonly string[] {
  if (bytes === undefined || bytes < nearsItsEnd * quantityValue(size)) return []
  return [`${what} ${(bytes / 2 ** 20).toFixed(0)}Mi of the ${size} of ${field}: raise spec.memory.${field}`]
}
