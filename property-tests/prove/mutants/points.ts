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
let reached: Set<number> | undefined

/** A conjunct that makes a row without an event hold for ever is asked without end. */
const mostAsked = 100_000
let asked = 0

export function turnOn(number: number): void {
  on = number
  asked = 0
}

/** Which switches were passed since it was asked before. */
export function passed(): ReadonlySet<number> {
  const all = reached ?? new Set()
  reached = new Set()
  return all
}

export function countNoMore(): void {
  reached = undefined
}

/** The instrumented sources know this by its global name: they are no module that could import it. */
const switches = {
  dropped,
  isOn(number: number): boolean {
    reached?.add(number)
    if (on === number && ++asked > mostAsked) throw new Error('this machine never comes to rest')
    return on === number
  },
}
Object.defineProperty(globalThis, '__mutants', { value: switches })
