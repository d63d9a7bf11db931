/** US dollars per million tokens. */
interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** Anthropic's list prices by model family; cache reads cost a tenth of input, five-minute cache writes a quarter more. */
const families: readonly (readonly [prefix: string, input: number, output: number])[] = [
  ['claude-opus-4-1', 15, 75],
  ['claude-opus-4-0', 15, 75],
  ['claude-opus-4-20', 15, 75],
  ['claude-opus', 5, 25],
  ['claude-sonnet', 3, 15],
  ['claude-haiku', 1, 5],
  ['claude-3-5-haiku', 0.8, 4],
]

const unknown: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** Cost is an estimate for people; budgets count tokens. A model that is not listed costs nothing here. */
export function priceOf(model: string): Price {
  const family = families.find(([prefix]) => model.startsWith(prefix))
  if (!family) return unknown
  const [, input, output] = family
  return { input, output, cacheRead: input / 10, cacheWrite: input * 1.25 }
}
