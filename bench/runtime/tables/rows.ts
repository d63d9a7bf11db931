/** The figures of a run as flat rows, for the JSON report and for the tables. */
import type { CellResult } from '../../kit/measure/cell.ts'
import { median } from '../../kit/measure/percentile.ts'
import type { ContenderName } from '../contenders/contenders.ts'
import type { Results } from '../results.ts'
import { medianOf, ratioOf } from './summary.ts'
import type { Metric } from './summary.ts'

type Figures = Readonly<Partial<Record<Metric, number>>>

export interface ThroughputRow extends Figures {
  readonly section: 'throughput'
  readonly contender: ContenderName
  readonly clients: number
  readonly rounds: number
  /** The slowest and the fastest round. */
  readonly perSecondRange: readonly [number, number]
  /** CPU time of the product on Postgres times this is the contender's: steady where times are not. */
  readonly cpuToOwn?: number
}

export interface ScaleRow extends Figures {
  readonly section: 'scale'
  readonly population: number
  readonly pick: 'hot' | 'any'
}

const metrics = [
  'perSecond',
  'ackP50Ms',
  'ackP99Ms',
  'effectP50Ms',
  'effectP99Ms',
  'cpuUs',
  'logBytes',
  'storedBytes',
  'foreignCores',
] as const satisfies readonly Metric[]

export function throughputRows({ throughput }: Results): ThroughputRow[] {
  const cells = new Map(throughput.map(({ contender, clients }) => [`${contender} ${clients}`, { contender, clients }]))
  return [...cells.values()].map(({ contender, clients }) => {
    const rates = throughput
      .filter((one) => one.contender === contender && one.clients === clients)
      .map(({ result }) => result.perSecond)
    const cpuToOwn = ratioOf(throughput, [contender, 'own-postgres'], clients, 'cpuUs')
    return {
      section: 'throughput',
      contender,
      clients,
      rounds: rates.length,
      perSecondRange: [Math.min(...rates), Math.max(...rates)],
      ...(cpuToOwn === undefined ? {} : { cpuToOwn }),
      ...figures((metric) => medianOf(throughput, contender, clients, metric)),
    }
  })
}

export function scaleRows({ scale }: Results): ScaleRow[] {
  const cells = new Map(scale.map(({ population, pick }) => [`${population} ${pick}`, { population, pick }]))
  return [...cells.values()].map(({ population, pick }) => {
    const results = scale
      .filter((one) => one.population === population && one.pick === pick)
      .map(({ result }) => result)
    return { section: 'scale', population, pick, ...figures((metric) => median(present(results, metric))) }
  })
}

export function jsonRows(results: Results): object[] {
  return [
    ...throughputRows(results),
    ...scaleRows(results),
    ...results.recovery.map((one, round) => ({ section: 'recovery', round, ...one })),
    ...results.forwarding.map((one) => ({ section: 'forwarding', ...one })),
    ...results.timers.map((one, round) => ({ section: 'timers', round, ...one })),
  ]
}

function figures(of: (metric: Metric) => number | undefined): Figures {
  return Object.fromEntries(
    metrics.flatMap((metric) => {
      const value = of(metric)
      return value === undefined ? [] : [[metric, value]]
    }),
  )
}

function present(results: readonly CellResult[], metric: Metric): number[] {
  return results.flatMap((result) => result[metric] ?? [])
}
