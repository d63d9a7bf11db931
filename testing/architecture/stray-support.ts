import { posix } from 'node:path'
import type { House } from './house.ts'
import { isProduct } from './layout.ts'
import type { Ratchet } from './ratchet.ts'
import { targetOf, type SourceFile } from './source.ts'

/**
 * A file among the product's that no program runs: only tests, test support and the laboratory import it, or nothing does.
 * Programs start in `bin/`. A file that a source of the product names in a string is started by its path.
 */
export const straySupport: Ratchet = {
  name: 'stray-support',
  remedy: 'Move what only tests import to the `testing/` folder beside it; delete what nothing imports.',
  breaches: (house) => {
    const programs = programsOf(house)
    const isRun = runBy(programs)
    return programs
      .filter(({ path }) => isProduct(path) && !isRun(path))
      .map(({ path }) => ({ entry: path, count: 1, at: `${path}:1` }))
  },
}

function programsOf({ files, others }: House): SourceFile[] {
  return [...files, ...others].filter(({ path }) => isProduct(path) || path.startsWith('bin/'))
}

/** A browser runs it, as one bundle. */
const page = 'edges/inspector/page/main.ts'

/** What is reached from `bin/` by imports and by paths in strings. */
function runBy(programs: readonly SourceFile[]): (path: string) => boolean {
  const byPath = new Map(programs.map((file) => [file.path, file]))
  const run = new Set<string>()
  const next = programs.map(({ path }) => path).filter((path) => path.startsWith('bin/') || path === page)
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    const file = byPath.get(path)
    if (file === undefined || run.has(path)) continue
    run.add(path)
    next.push(...file.imports.flatMap(({ specifier }) => targetOf(path, specifier) ?? []))
    next.push(...namedIn(file))
  }
  return (path) => path.endsWith('.d.ts') || run.has(path)
}

const pathInString = /['"`}]\/?((?:[\w.-]+\/)*[\w-]+\.(?:tsx?|mjs))['"`]/g

/** A path in a string, also in the parts that `join` takes, is one from the root or from the file's folder. */
function namedIn({ path, text }: SourceFile): string[] {
  const named = [text, text.replaceAll("', '", '/')].flatMap((each) => [...each.matchAll(pathInString)])
  return named.flatMap(([, name = '']) => [name, posix.join(posix.dirname(path), name)])
}
