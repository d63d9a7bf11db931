/** What a schedule consists of, as data: made from the seed alone, and smaller ones can be made of it. */
import type { ActorAddress } from '../../../machines/definition.ts'

export interface Plan {
  readonly seed: number
  readonly processes: readonly ProcessPlan[]
  readonly settings: Settings
  readonly clients: readonly ClientPlan[]
  readonly faults: readonly Fault[]
  /** How the last processes end before what they left is judged. */
  readonly ending: 'stopped' | 'crashed'
}

export interface ProcessPlan {
  readonly slot: number
  readonly startsAtMs: number
}

export interface Settings {
  readonly shards: number
  readonly leaseMs: number
  readonly pollMs: number
  readonly snapshotEvery: number
  readonly maxBatch: number
  readonly halving: 'measured' | 'always'
  readonly settleRestMs: number
  readonly maxHot: number
  readonly maxHeldEffects: number
  readonly idleSnapshotMs: number
  readonly maxQueued: number
  /** The slowest that a healthy store is, there or back. */
  readonly latencyMs: number
}

/** One sender: waits for the acknowledgement of a step before it makes the next. */
export interface ClientPlan {
  readonly name: string
  readonly steps: readonly Step[]
}

export type Step = SendStep | OperatorStep

export interface SendStep {
  readonly kind: 'send'
  readonly afterMs: number
  /** Sent in one go, without waiting in between. */
  readonly sends: readonly Send[]
}

export interface Send {
  readonly key: string
  readonly to: ActorAddress
  readonly type: string
  readonly fields: Readonly<Record<string, string | number>>
  /** Sent again under its key: with the first, or so long after it. */
  readonly again: readonly number[]
}

/** Somebody looks, or puts back what was given up. */
export interface OperatorStep {
  readonly kind: 'operator'
  readonly afterMs: number
  readonly asks: readonly Question[]
}

export type Question = 'list' | 'read' | 'replay' | 'effects' | 'timers' | 'letters' | 'redeliver'

export type Fault = CrashFault | StoreFault | OutageFault | PauseFault | JumpFault | StopFault

/** The process dies at a point of `points.ts`: the nth time that it comes there, or anywhere, as counted over its life. */
export interface CrashFault {
  readonly kind: 'crash'
  /** Undefined: whoever comes there first. */
  readonly slot: number | undefined
  readonly point: string | undefined
  readonly nth: number
  readonly restartMs: number
}

/** One statement of the slot goes wrong: the nth of the schedule, or its nth commit. */
export interface StoreFault {
  readonly kind: 'store'
  readonly slot: number
  readonly of: 'statements' | 'commits'
  readonly nth: number
  /**
   * It never arrives; it is done and the answer is lost; it arrives late; its answer does. Stalled: it arrives late, and
   * until then the process that sent it is paused.
   */
  readonly what: 'unsent' | 'answer lost' | 'late' | 'slow' | 'stalled'
  readonly ms: number
}

export interface OutageFault {
  readonly kind: 'outage'
  /** Undefined: the store itself is away. */
  readonly slot: number | undefined
  readonly atMs: number
  readonly forMs: number
}

export interface PauseFault {
  readonly kind: 'pause'
  readonly slot: number
  readonly atMs: number
  readonly forMs: number
}

export interface JumpFault {
  readonly kind: 'jump'
  readonly slot: number
  readonly atMs: number
  readonly byMs: number
}

/** Told to stop, and started again. */
export interface StopFault {
  readonly kind: 'stop'
  readonly slot: number
  readonly atMs: number
  readonly restartMs: number
}

export function isCalm(plan: Plan): boolean {
  return plan.faults.length === 0
}

export function jumpsOf(plan: Plan): readonly JumpFault[] {
  return plan.faults.filter((fault) => fault.kind === 'jump')
}

export function faultText(fault: Fault): string {
  const { kind, slot, ...rest } = fault
  const details = Object.entries(rest).map(([name, value]) => `${name} ${value ?? 'any'}`)
  return `${kind} of ${slot === undefined ? 'all' : `process ${slot}`}: ${details.join(', ')}`
}
