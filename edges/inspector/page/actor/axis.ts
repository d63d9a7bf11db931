/** Ticks of a time line, by how long after its begin they are: no two of them read alike, however short it is. */
import { span } from '../format.ts'

interface Tick {
  /** Milliseconds. */
  readonly after: number
  readonly label: string
}

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

/** Between two ticks: what people count in. */
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28, 56, 112, 224, 448, 896, 1792, 3584].map((count) => count * day),
]

/** As many as have place for their words on the narrowest screen. */
const mostTicks = 4

export function ticksOf(life: number): readonly Tick[] {
  const step = steps.find((each) => each * mostTicks >= life) ?? life
  const count = Math.max(1, Math.ceil((life * 6) / 7 / step))
  return Array.from({ length: count }, (_, index) => ({ after: index * step, label: labelOf(index * step) }))
}

function labelOf(after: number): string {
  if (after === 0) return 'start'
  if (after < second) return `${after} ms`
  return after < minute ? `${after / second} s` : span(after)
}
