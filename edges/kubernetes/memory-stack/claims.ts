/** Claims of a stack: they only grow, and nothing here deletes one. */
import { quantityValue } from '../../../crd/quantity.ts'
import type { KubeObject } from '../api/api.ts'
import { RefusedError, type Change, type StackObjects } from './objects.ts'

interface WantedClaim {
  readonly name: string
  readonly size: string
  readonly storageClass: string | undefined
}

/** The size of the spec. A claim that is larger was grown by hand, unless the spec was as large once. */
const wantedSize = 'statewright.dev/wanted-size'

/** Makes it, or grows it. Answers what is to say of it. */
export async function ensureClaim(objects: StackObjects, { name, size, storageClass }: WantedClaim): Promise<string> {
  const known = await objects.own('PersistentVolumeClaim', name)
  if (known !== undefined) return growOwn(objects, known, size)
  const spec = {
    accessModes: ['ReadWriteOnce'],
    ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
    resources: { requests: { storage: size } },
  }
  await objects.make('PersistentVolumeClaim', name, { annotations: { [wantedSize]: size }, spec })
  return ''
}

async function growOwn(objects: StackObjects, claim: KubeObject, size: string): Promise<string> {
  const { name, annotations } = claim.metadata
  const noted = annotations?.[wantedSize]
  const before = noted ?? askedOf(claim) ?? size
  if (isSmaller(size, before)) return shrinkWords(objects.title('PersistentVolumeClaim', name), before, size)
  const isNoted = noted !== undefined && !isSmaller(noted, size)
  const note = isNoted ? {} : { metadata: { annotations: { [wantedSize]: size } } }
  return growClaim(objects, claim, size, note)
}

interface ClaimSpec {
  readonly resources?: { readonly requests?: { readonly storage?: string } }
}

interface ClaimStatus {
  readonly phase?: string
  readonly capacity?: { readonly storage?: string }
  readonly allocatedResourceStatuses?: { readonly storage?: string }
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[]
}

function askedOf({ spec = {} }: KubeObject): string | undefined {
  const { resources }: ClaimSpec = spec
  return resources?.requests?.storage
}

/** Of its volume, or what it asks for while it has none. */
export function sizeOf(claim: KubeObject): string | undefined {
  const { capacity }: ClaimStatus = claim.status ?? {}
  return capacity?.storage ?? askedOf(claim)
}

/** One that is larger stays so. Empty: it has the size, or no volume yet. `note`: what else its object is to say. */
export async function growClaim(
  objects: StackObjects,
  claim: KubeObject,
  size: string,
  note: Change = {},
): Promise<string> {
  const title = objects.title('PersistentVolumeClaim', claim.metadata.name)
  const asked = askedOf(claim) ?? size
  const grows = isSmaller(asked, size)
  const change = { ...note, ...(grows ? { spec: { resources: { requests: { storage: size } } } } : {}) }
  try {
    const isAsIs = Object.keys(change).length === 0
    return sizeWords(title, isAsIs ? claim : await objects.change('PersistentVolumeClaim', claim, change), size)
  } catch (error) {
    // A class that does not grow is refused by admission.
    if (error instanceof RefusedError && !error.isOfCluster) return `${title} stays at ${asked}: ${error.message}`
    throw error
  }
}

function sizeWords(title: string, { status = {} }: KubeObject, size: string): string {
  const { phase, capacity, allocatedResourceStatuses, conditions = [] }: ClaimStatus = status
  const has = capacity?.storage
  if (phase !== 'Bound' || has === undefined || !isSmaller(has, size)) return ''
  const waits = conditions.filter((condition) => condition.status === 'True')
  const words = allocatedResourceStatuses?.storage ?? waits.map(({ type, message }) => message ?? type).join('; ')
  return `${title} has ${has} of ${size}${words === '' ? '' : `: ${words}`}`
}

export function isSmaller(one: string, other: string): boolean {
  return quantityValue(one) < quantityValue(other)
}

export function shrinkWords(title: string, from: string, to: string): string {
  return `${title} cannot shrink from ${from} to ${to}`
}
