/**
 * The local forge is a program of its own and asks `Date` for the time. Here its files are given this one in its place
 * (`git/replace.ts`): the time of the run. The database keeps the real one, which it must not see jump.
 */
const current = { now: (): number => 0 }

export class SimulatedDate extends Date {
  constructor(...given: [] | [number | string]) {
    super(given.length === 0 ? current.now() : given[0])
  }

  static override now(): number {
    return Math.floor(current.now())
  }
}

export function installTime(now: () => number): void {
  current.now = now
}

/** Of now, as forges show it: to the second. */
export function timestamp(): string {
  return new SimulatedDate().toISOString().replace(/\.\d+Z$/, 'Z')
}
