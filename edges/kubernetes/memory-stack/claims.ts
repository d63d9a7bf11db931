/** Claims of a stack: they only grow, and nothing here deletes one. */
import { quantityValue } from '../../../crd/quantity.ts'
import type { KubeObject } from '../api/api.ts'
import { RefusedError, type StackObjects } from './objects.ts'

interface WantedClaim {
  readonly name: string
  readonly size: string
  readonly storageClass: string | undefined
}

/** Makes it, or grows it. Answers what is to say of it. */
export async function ensureClaim(objects: StackObjects, { name, size, storageClass }: WantedClaim): Promise<string> {
  const known = await objects.own('PersistentVolumeClaim', name)
  if (known !== undefined) return growClaim(objects, known, size)
  const spec = {
    accessModes: ['ReadWriteOnce'],
    ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
    resources: { requests: { storage: size } },
  }
  await objects.make('PersistentVolumeClaim', name, { spec })
  return ''
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

/** Empty: it has the size, or no volume yet. */
export async function growClaim(objects: StackObjects, claim: KubeObject, size: string): Promise<string> {
  const title = objects.title('PersistentVolumeClaim', claim.metadata.name)
  const { resources }: ClaimSpec = claim.spec ?? {}
  const asked = resources?.requests?.storage ?? size
  if (isSmaller(size, asked)) return shrinkWords(title, asked, size)
  try {
    const change = { spec: { resources: { requests: { storage: size } } } }
    const grown = isSmaller(asked, size) ? await objects.change('PersistentVolumeClaim', claim, change) : claim
    return sizeWords(title, grown, size)
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
