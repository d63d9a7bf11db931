import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { exposeMetrics } from './expose-metrics.ts'
import type { Clock, LoopSilence } from '../ports.ts'

export interface HttpMetrics {
  readonly registry: Registry
  observe(method: string, route: string, status: number, seconds: number): void
}

/** One registry a server: several servers may live in one process. The route's pattern is the label, never the path. */
export function createMetrics(name: string, { silences }: Pick<Clock, 'silences'>): HttpMetrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service: name })
  exposeMetrics(metricsOfProcess(), registry)
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request line to the end of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 30],
    registers: [registry],
  })
  if (silences !== undefined) watchSilences(registry, silences)
  return {
    registry,
    observe: (method, route, status, seconds) => duration.observe({ method, route, status }, seconds),
  }
}

function watchSilences(registry: Registry, silences: () => readonly LoopSilence[]): void {
  const perLoop = (name: string, help: string, valueOf: (loop: LoopSilence) => number): void =>
    registry.registerMetric(
      new Gauge({
        ...{ name, help, labelNames: ['loop'], registers: [] },
        collect() {
          this.reset()
          for (const loop of silences()) this.set({ loop: loop.name }, valueOf(loop))
        },
      }),
    )
  perLoop('loop_silence_seconds', 'Time since the last turn of a loop of the process.', (loop) => loop.silentMs / 1000)
  perLoop('loop_stopped', '1: the loop has had no turn for too long.', ({ isTooLong }) => Number(isTooLong))
}

/** Failures of what a timer called. */
export const timerFaults = new Counter({
  name: 'timer_faults_total',
  help: 'Failures of what a timer called.',
  registers: [],
})

/** Turns of the loops that a server's clock watches. */
export const loopTurns = new Counter({
  name: 'loop_turns_total',
  help: 'Turns of the loops of the process, by how they ended.',
  labelNames: ['loop', 'outcome'],
  registers: [],
})

let ofProcess: Registry | undefined

/** Collected once, whatever number of servers comes and goes: prom-client cannot be told to stop watching the process. */
function metricsOfProcess(): Registry {
  if (ofProcess) return ofProcess
  ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  ofProcess.registerMetric(timerFaults)
  ofProcess.registerMetric(loopTurns)
  return ofProcess
}
