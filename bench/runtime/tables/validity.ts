/**
 * A peer that was set up badly flatters us. So each peer is held against what it did when it was studied by itself on a
 * quiet machine of two cores: more than 30 % under that, the machine's own difference aside, and the run is invalid.
 * The machine's difference is what the raw group commit, which is none of ours and none of theirs, did in the same run
 * against its own figure of then. A cell that stayed disturbed by other programs makes the run invalid as well.
 */
import { median } from '../../kit/measure/percentile.ts'
import { contenders } from '../contenders/contenders.ts'
import type { ContenderInfo, ContenderName } from '../contenders/contenders.ts'
import type { Results } from '../results.ts'
import type { ScaleResult } from '../scale.ts'
import { medianOf } from './summary.ts'
import type { Measured } from '../measured.ts'
import { mostAttempts, mostForeignCores } from '../undisturbed.ts'

/** Operations a second at 1, 16 and 128 clients. */
type Reference = Readonly<Record<number, number>>

const yardstick: Reference = { 1: 3628, 16: 23_757, 128: 40_252 }
const peers: Partial<Record<ContenderName, Reference>> = {
  'dbos-steps': { 1: 1327, 16: 1478, 128: 1545 },
  'dbos-messages': { 1: 461, 16: 532, 128: 569 },
  'restate-object': { 1: 280, 16: 689, 128: 1068 },
  'restate-runs': { 1: 968, 16: 2639, 128: 4235 },
}
const lowestShare = 0.7

export interface PeerCheck {
  readonly contender: ContenderName
  readonly clients: number
  readonly perSecond: number
  readonly reference: number
  /** This machine, now, against the reference's: 1 when it is as fast or faster. */
  readonly machine: number
  readonly isFair: boolean
}

export function checkPeers(measured: readonly Measured[]): PeerCheck[] {
  return Object.entries(peers).flatMap(([name, reference]) =>
    Object.entries(reference).flatMap(([clients, expected]) => {
      const contender = name as ContenderName
      const perSecond = medianOf(measured, contender, Number(clients), 'perSecond')
      const raw = medianOf(measured, 'raw-group-commit', Number(clients), 'perSecond')
      if (perSecond === undefined || raw === undefined) return []
      const machine = Math.min(1, raw / yardstick[Number(clients)]!)
      const isFair = perSecond >= lowestShare * expected * machine
      return [{ contender, clients: Number(clients), perSecond, reference: expected, machine, isFair }]
    }),
  )
}

export function invalidity({ throughput, scale }: Pick<Results, 'throughput' | 'scale'>): string[] {
  const slow = checkPeers(throughput)
    .filter(({ isFair }) => !isFair)
    .map(
      ({ contender, clients, perSecond, reference, machine }) =>
        `${contender} at ${clients} clients did ${perSecond.toFixed(0)}/s, more than 30 % under its ${reference}/s (machine at ${(machine * 100).toFixed(0)} %)`,
    )
  return [...slow, ...disturbed(throughput, scale)]
}

function disturbed(throughput: readonly Measured[], scale: readonly ScaleResult[]): string[] {
  const cells = [
    ...throughput.map(({ contender, clients, ...cell }) => ({
      ...cell,
      name: `${contender} at ${clients} clients`,
      limit: mostForeignCores[storeOf(contender)],
    })),
    ...scale.map(({ pick, population, ...cell }) => ({
      ...cell,
      name: `${pick} of ${population} actors`,
      limit: mostForeignCores.postgres,
    })),
  ]
  return cells
    .filter(({ result, limit }) => result.foreignCores > limit)
    .map(
      ({ name, round, result, limit }) =>
        `${name}, round ${round + 1}: other programs used ${result.foreignCores.toFixed(2)} cores meanwhile (at most ${limit}), measured ${mostAttempts} times`,
    )
}

function storeOf(name: ContenderName): ContenderInfo['store'] {
  return contenders.find((contender) => contender.name === name)!.store
}

/** Of the median cell and of the one that others took most from. */
export function foreignCoresOf(measured: readonly Measured[]): { readonly median: number; readonly most: number } {
  const all = measured.map(({ result }) => result.foreignCores)
  return { median: median(all) ?? 0, most: Math.max(0, ...all) }
}
