/** Durations as Go writes them, `1h30m`: what Kubernetes resources use. */
const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

export const goDurationPattern = '^([0-9]+([.][0-9]+)?(ns|us|µs|ms|s|m|h))+$'

/** Whole milliseconds; undefined when it is none. */
export function goDurationMs(text: string): number | undefined {
  if (!new RegExp(goDurationPattern, 'u').test(text)) return undefined
  const parts = text.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/gu)
  return Math.floor([...parts].reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0))
}
