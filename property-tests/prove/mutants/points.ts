/** The switches in the instrumented sources. */
export interface Point {
  readonly path: string
  readonly line: number
  readonly sort: 'conjunct' | 'effect'
  readonly text: string
}

export const points: Point[] = []

/** Stands where an effect was: whoever performs effects leaves it out. */
export const dropped = { type: 'mutant.dropped', params: {} } as const

let on = -1
let decisive: Set<number> | undefined

export function turnOn(number: number): void {
  on = number
}

/** Effects that were asked for and conjuncts that were not plainly true, since it was asked before: where a mutant differs. */
export function decided(): ReadonlySet<number> {
  const all = decisive ?? new Set()
  decisive = new Set()
  return all
}

export function countNoMore(): void {
  decisive = undefined
}

/** The instrumented sources know this by its global name: they are no module that could import it. */
const switches = {
  dropped,
  isOn(number: number): boolean {
    return on === number
  },
  conjunct<T>(number: number, value: T): T {
    if (value !== true) decisive?.add(number)
    return value
  },
  effect<T>(number: number, value: T): T {
    decisive?.add(number)
    return value
  },
}
Object.defineProperty(globalThis, '__mutants', { value: switches })
