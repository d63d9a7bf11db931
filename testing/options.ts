/** How every script of `package.json` reads its options, so that a wrong call is refused in one way. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

/** A shell's for a program that was called wrongly. */
const usageExitCode = 2

type ValuesOf<T extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: T }>>['values']

type Read<T extends ParseArgsOptionsConfig> =
  | { readonly values: ValuesOf<T> }
  | { readonly wantsHelp: true }
  | { readonly fault: string }

/** `numbers`: the options that take a whole number. */
export function optionsFrom<const T extends ParseArgsOptionsConfig>(
  given: readonly string[],
  options: T,
  numbers: readonly (keyof T & string)[] = [],
): Read<T> {
  if (given.some((each) => each === '--help' || each === '-h')) return { wantsHelp: true }
  try {
    const { values } = parseArgs({ args: [...given], options })
    const texts = values as Readonly<Record<string, unknown>>
    // A default may be Infinity: it is nothing that somebody typed.
    const wrong = numbers.find((name) => texts[name] !== options[name]?.default && !/^\d+$/.test(String(texts[name])))
    return wrong === undefined ? { values } : { fault: `--${wrong} takes a whole number, not ${String(texts[wrong])}` }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

/** The options of this process. `--help` ends it with 0 after the usage, a wrong call with 2. */
export function readOptions<const T extends ParseArgsOptionsConfig>(
  usage: string,
  options: T,
  numbers: readonly (keyof T & string)[] = [],
): ValuesOf<T> {
  const read = optionsFrom(process.argv.slice(2), options, numbers)
  if ('values' in read) return read.values
  if ('fault' in read) return refuseCall(usage, read.fault)
  console.log(usage)
  process.exit(0)
}

/** Ends this process: it was called wrongly. */
export function refuseCall(usage: string, fault: string): never {
  console.error(`${fault}\n\n${usage}`)
  process.exit(usageExitCode)
}
