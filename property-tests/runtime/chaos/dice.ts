import { seeded } from '../../../runtime/random.ts'

/** Chance that a seed decides: the same seed, the same run of faults. */
export interface Dice {
  /** 0 up to 1. */
  next(): number
  between(low: number, high: number): number
  pick<T>(items: readonly T[]): T
  /** Each once, in an order that the seed decides. */
  shuffled<T>(items: readonly T[]): T[]
  /** One of the names, each as likely as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name
}

export function dice(seed: number): Dice {
  const next = seeded(seed)
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    pick: (items) => items[Math.floor(next() * items.length)]!,
    shuffled(items) {
      const left = [...items]
      return items.map(() => left.splice(Math.floor(next() * left.length), 1)[0]!)
    },
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const names = Object.keys(weights) as Name[]
      let rest = next() * names.reduce((sum, name) => sum + weights[name], 0)
      return names.find((name) => (rest -= weights[name]) < 0) ?? names.at(-1)!
    },
  }
}
