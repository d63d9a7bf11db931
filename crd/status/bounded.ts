/** What a server takes of a status (RESOURCES-33, RESOURCES-34): no nulls, and at most 256 kB. */
import { withoutNulls } from './shape.ts'

/** A server refuses a whole object at about 1.5 MB, and each write of it is sent to everyone who watches. */
const mostBytes = 256_000

type Plain = Readonly<Record<string, unknown>>

/** `truncated` names the fields that were cut: of a list the newest are there, of a text its beginning. */
export function bounded(status: object): object {
  let shown = withoutNulls(status) as Plain
  const cut = new Set<string>()
  while (sizeOf({ ...shown, ...named(cut) }) > mostBytes) {
    const name = largestOf(shown)
    if (name === undefined) break
    shown = { ...shown, [name]: halfOf(shown[name]) }
    cut.add(name)
  }
  return { ...shown, ...named(cut) }
}

function named(cut: ReadonlySet<string>): { readonly truncated?: readonly string[] } {
  return cut.size === 0 ? {} : { truncated: [...cut].toSorted() }
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Conditions are few, and their messages are bounded. */
function largestOf(status: Plain): string | undefined {
  const sizes = Object.entries(status)
    .filter(([name, value]) => name !== 'conditions' && isCuttable(value))
    .map(([name, value]) => [name, sizeOf(value)] as const)
  return sizes.toSorted(([, one], [, other]) => other - one)[0]?.[0]
}

function isCuttable(value: unknown): boolean {
  return (Array.isArray(value) || typeof value === 'string') && value.length > 0
}

function halfOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(Math.ceil(value.length / 2))
  const text = String(value)
  return text.slice(0, Math.floor(text.length / 2)).toWellFormed()
}
