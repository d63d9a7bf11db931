import { isProduct } from './layout.ts'
import type { Breach, Ratchet } from './ratchet.ts'
import type { SourceFile } from './source.ts'

/** CONTRIBUTING, "Plain words": a name states which act it is, such as deliver, notify, render or report. */
const unwanted = new Set(['tell', 'tells', 'told', 'say', 'says', 'said'])

export const saidNames: Ratchet = {
  name: 'said-names',
  remedy: 'Name the act by an engineer’s verb (deliver, notify, render, report), or the thing by a noun.',
  breaches: ({ files, others }) => [...files, ...others].filter(({ path }) => isProduct(path)).flatMap(saidIn),
}

function saidIn({ path, declared }: SourceFile): Breach[] {
  return declared
    .filter(({ name }) => wordsOf(name).some((word) => unwanted.has(word)))
    .map(({ line }) => ({ entry: path, count: 1, at: `${path}:${line}` }))
}

/** Of camelCase, PascalCase, snake_case and CONSTANT_CASE. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
}
