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
}

/** `known`: what `--only` may name. */
export function benchArguments(given: readonly string[], known: readonly string[]): BenchArguments {
  const { values } = parseArgs({
    args: [...given],
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
    },
  })
  const only = values.only.flatMap((list) => list.split(',')).filter((name) => name !== '')
  const unknown = only.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`--only knows ${known.join(', ')}; not ${unknown.join(', ')}`)
  if (values.write && (values.quick || only.length > 0))
    throw new Error('--write takes a whole run: no --quick, no --only')
  return { json: values.json, quick: values.quick, write: values.write, only: new Set(only) }
}
