import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { print } from './output/terminal.ts'

/** The command was called wrongly: exit code 2, and the message says how to call it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export interface Parsed {
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly positionals: readonly string[]
}

/** Options of one command; `--help` prints its usage and ends it. */
export function readArgs(args: readonly string[], options: ParseArgsOptionsConfig, usage: string): Parsed | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
      strict: true,
    })
    if (values['help'] === true) {
      print(usage.split('\n'))
      return undefined
    }
    return { values: values as Parsed['values'], positionals }
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  }
}

export function text(parsed: Parsed, name: string): string | undefined {
  const value = parsed.values[name]
  return typeof value === 'string' ? value : undefined
}

export function flag(parsed: Parsed, name: string): boolean {
  return parsed.values[name] === true
}

export function count(parsed: Parsed, name: string, fallback: number): number {
  const given = text(parsed, name)
  if (given === undefined) return fallback
  if (!/^\d+$/.test(given)) throw new UsageError(`--${name} takes a whole number, not ${given}`)
  return Number(given)
}
