import type { RuntimeObserver } from '../../runtime/observer.ts'

/** Tells each of them everything. */
export function bothObservers(first: RuntimeObserver, second: RuntimeObserver): RuntimeObserver {
  const names = Object.keys(first) as (keyof RuntimeObserver)[]
  const pairs = names.map((name) => {
    const [one, two] = [first[name], second[name]] as [(...figures: unknown[]) => void, (...figures: unknown[]) => void]
    const both = (...figures: unknown[]): void => {
      one(...figures)
      two(...figures)
    }
    return [name, both] as const
  })
  return Object.fromEntries(pairs) as unknown as RuntimeObserver
}
