import { isProduct } from './layout.ts'
import type { Breach, Ratchet } from './ratchet.ts'
import type { SourceFile } from './source.ts'

/** TigerBeetle's limit, which the house takes: a reader sees the whole function at once. */
const MAX_LINES = 70

export const longFunctions: Ratchet = {
  name: 'long-functions',
  remedy: `Split it: a function of the product has at most ${MAX_LINES} lines.`,
  breaches: ({ files }) => files.filter(({ path }) => isProduct(path)).flatMap(longIn),
}

function longIn({ path, functions }: SourceFile): Breach[] {
  return functions
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ name, line, lines }) => ({ entry: `${path} ${name}`, count: lines, at: `${path}:${line}` }))
}
