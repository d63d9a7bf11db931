import type { Registry } from 'prom-client'

/** Makes the series of one registry part of another one's /metrics. */
export function exposeMetrics(of: Registry, at: Registry): void {
  for (const { name } of of.getMetricsAsArray()) at.registerMetric(of.getSingleMetric(name)!)
}
