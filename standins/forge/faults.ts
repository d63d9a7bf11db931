/**
 * What can go wrong between a forge and its users, as data. Each fault strikes a number of times, or with a probability
 * drawn from the seed, and is gone when it has struck that often.
 */
import { seeded } from '../../runtime/random.ts'

export type Fault = DeliveryFault | RequestFault | MergeabilityFault

export interface DeliveryFault {
  /** `duplicate`: sent twice under one delivery id. `drop`: recorded as failed, never sent. `reorder`: sent after the hook's next one. `delay`: sent later, others overtake it. */
  readonly kind: 'duplicate' | 'drop' | 'reorder' | 'delay'
  readonly event?: string
  readonly action?: string
  /** Default 1; with a probability, without limit. */
  readonly times?: number
  readonly probability?: number
  readonly delayMs?: number
}

export interface RequestFault {
  /** `errorAfterWrite`: the write is done, the answer is lost. `errorBeforeWrite`: nothing is done. `rateLimit`: refused with Retry-After. */
  readonly kind: 'errorAfterWrite' | 'errorBeforeWrite' | 'rateLimit'
  /** Default: every one for the rate limit, else every one that writes. */
  readonly method?: string
  /** Matched against the path below the API's root, such as `/repos/o/n/issues/1/comments`; `*` stands for one segment, a trailing `**` for any rest. */
  readonly path?: string
  /** Default 502 for errors; 429 or 403 for the rate limit, default 429. */
  readonly status?: number
  /** Whole seconds, default 1; null: refused without the header. */
  readonly retryAfter?: number | null
  readonly times?: number
  readonly probability?: number
}

export interface MergeabilityFault {
  /** A read of a pull right after its branches moved gives the answer for the old ones. */
  readonly kind: 'staleMergeable'
  readonly times?: number
  readonly probability?: number
}

export interface FaultBoard {
  /** Adds a fault; the returned function takes it back. */
  inject(fault: Fault): () => void
  clear(): void
  pending(): readonly Fault[]
  /** What has struck so far, in order. */
  struck(): readonly Fault[]
  strikeDelivery(event: string, action: string | undefined): DeliveryFault | undefined
  strikeRequest(kind: RequestFault['kind'], method: string, path: string): RequestFault | undefined
  strikeMergeability(): boolean
}

interface Charge {
  readonly fault: Fault
  left: number
}

export function createFaultBoard(seed: number, initial: readonly Fault[]): FaultBoard {
  const random = seeded(seed)
  const struck: Fault[] = []
  let charges: Charge[] = []

  function inject(fault: Fault): () => void {
    const charge: Charge = { fault, left: fault.times ?? (fault.probability === undefined ? 1 : Infinity) }
    charges.push(charge)
    return () => {
      charges = charges.filter((one) => one !== charge)
    }
  }

  function strike<F extends Fault>(matches: (fault: Fault) => fault is F): F | undefined {
    for (const charge of charges) {
      const { fault } = charge
      if (!matches(fault) || (fault.probability !== undefined && random() >= fault.probability)) continue
      charge.left -= 1
      if (charge.left <= 0) charges = charges.filter((one) => one !== charge)
      struck.push(fault)
      return fault
    }
    return undefined
  }

  for (const fault of initial) inject(fault)
  return {
    inject,
    clear: () => void (charges = []),
    pending: () => charges.map((charge) => charge.fault),
    struck: () => [...struck],
    strikeDelivery: (event, action) =>
      strike(
        (fault): fault is DeliveryFault => isDelivery(fault) && same(fault.event, event) && same(fault.action, action),
      ),
    strikeRequest: (kind, method, path) =>
      strike(
        (fault): fault is RequestFault =>
          isRequest(fault) &&
          fault.kind === kind &&
          (fault.method === undefined
            ? kind === 'rateLimit' || method !== 'GET'
            : fault.method.toUpperCase() === method) &&
          matchesPath(fault.path, path),
      ),
    strikeMergeability: () =>
      strike((fault): fault is MergeabilityFault => fault.kind === 'staleMergeable') !== undefined,
  }
}

function isDelivery(fault: Fault): fault is DeliveryFault {
  return fault.kind === 'duplicate' || fault.kind === 'drop' || fault.kind === 'reorder' || fault.kind === 'delay'
}

function isRequest(fault: Fault): fault is RequestFault {
  return fault.kind === 'errorAfterWrite' || fault.kind === 'errorBeforeWrite' || fault.kind === 'rateLimit'
}

function same(wanted: string | undefined, actual: string | undefined): boolean {
  return wanted === undefined || wanted === actual
}

export function matchesPath(pattern: string | undefined, path: string): boolean {
  if (pattern === undefined) return true
  const wanted = pattern.split('/')
  const actual = path.split('/')
  const open = wanted.at(-1) === '**'
  if (open) wanted.pop()
  if (open ? actual.length < wanted.length : actual.length !== wanted.length) return false
  return wanted.every((segment, index) => segment === '*' || segment === actual[index])
}
