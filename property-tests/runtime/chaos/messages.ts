/** What the driver and a worker process say to each other. */
import { toyDefinitions } from '../../../runtime/contract/toy-machine.ts'
import type { Delivery, Receipt } from '../../../runtime/runtime.ts'

/** Whatever a client sends brings the task into being: none waits for another's. */
export const chaosDefinitions = toyDefinitions(['noted', 'asked', 'askedInOrder', 'told', 'later'])

/** A bug that is built in on purpose: the checker must find it, or it proves nothing. */
export type Plant = 'no-fence' | 'early-ack' | 'blind-to-pauses'

export const plants: readonly Plant[] = ['no-fence', 'early-ack', 'blind-to-pauses']

export interface WorkerSettings {
  readonly url: string
  readonly owner: string
  readonly leaseMs: number
  readonly shards: number
  /** Where its effect handlers write what they did. */
  readonly receipts: string
  readonly plants: readonly Plant[]
}

export type ToWorker =
  | { readonly type: 'deliver'; readonly id: number; readonly delivery: Delivery }
  | { readonly type: 'state'; readonly id: number }

export interface WorkerState {
  /** Deliveries that wait for their answer. */
  readonly waiting: number
  /** Effects under way. */
  readonly performing: number
}

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'receipt'; readonly id: number; readonly receipt: Receipt }
  | { readonly type: 'refused'; readonly id: number; readonly error: string }
  | { readonly type: 'state'; readonly id: number; readonly state: WorkerState }

/** One line of a handler's own account, written before anything else is done. */
export interface EffectLine {
  readonly key: string
  readonly type: string
  readonly params: string
  readonly actor: string
  readonly owner: string
  readonly attempt: number
  readonly at: number
}
