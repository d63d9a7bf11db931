import { parseArgs } from 'node:util'

export interface BenchArguments {
  /** The last line is the whole report as JSON. */
  readonly json: boolean
  /** Fewer and shorter rounds: to see that it runs, not to be published. */
  readonly quick: boolean
  /** BENCHMARKS.md takes the report. */
  readonly write: boolean
  /** What to run; empty: everything. */
  readonly only: ReadonlySet<string>
  /** Of the options that this bench alone has. */
  readonly more: Readonly<Record<string, string | undefined>>
}

const options = {
  json: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  only: { type: 'string', multiple: true, default: [] as string[] },
} as const

/** `known`: what `--only` may name, undefined: anything; `others`: further options with a value. A text: what is wrong with them. */
export function benchArguments(
  given: readonly string[],
  known: readonly string[] | undefined,
  others: readonly string[] = [],
): BenchArguments | string {
  try {
    const further = Object.fromEntries(others.map((name) => [name, { type: 'string' } as const]))
    const { values } = parseArgs({ args: [...given], options: { ...further, ...options } })
    const { json, quick, write } = values
    const only = values.only.flatMap((list) => list.split(',')).filter((name) => name !== '')
    const unknown = only.filter((name) => known?.includes(name) === false)
    if (known && unknown.length > 0) return `--only knows ${known.join(', ')}; not ${unknown.join(', ')}`
    if (write && (quick || only.length > 0)) return '--write takes a whole run: no --quick, no --only'
    const more = Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        others.includes(name) && typeof value === 'string' ? [[name, value]] : [],
      ),
    )
    return { json, quick, write, only: new Set(only), more }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
