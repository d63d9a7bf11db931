import type { House } from './house.ts'
import { isProduct } from './layout.ts'
import type { Breach, Ratchet } from './ratchet.ts'
import { targetOf, type SourceFile } from './source.ts'

/**
 * A name that a file of the product exports and no other file imports, tests and laboratory included; and a dependency
 * that no file of the product names (decisions/0036).
 */
export const unused: Ratchet = {
  name: 'unused',
  remedy: 'Delete it. A name that its own file needs loses its `export`.',
  breaches: (house) => [...unusedExports(house), ...unusedDependencies(house)],
}

function unusedExports({ files, others }: House): Breach[] {
  const all = [...files, ...others]
  const taken = new Set(all.flatMap(takenBy))
  return all
    .filter(({ path }) => isProduct(path) && !path.endsWith('.d.ts'))
    .flatMap(({ path, exports }) => {
      if (taken.has(`${path} *`)) return []
      const names = new Map(exports.map(({ name, line }) => [name, line]))
      return [...names]
        .filter(([name]) => !taken.has(`${path} ${name}`))
        .map(([name, line]) => ({ entry: `${path} ${name}`, count: 1, at: `${path}:${line}` }))
    })
}

function takenBy({ path, imports }: SourceFile): string[] {
  return imports.flatMap(({ specifier, names }) => {
    const target = targetOf(path, specifier)
    return target === undefined ? [] : names.map((name) => `${target} ${name}`)
  })
}

/** A package may be opened by its path, so a string that names it is enough. */
function unusedDependencies({ files, others, manifest }: House): Breach[] {
  const { dependencies = {} } = JSON.parse(manifest) as { readonly dependencies?: object }
  const product = [...files, ...others].filter(({ path }) => isProduct(path))
  return Object.keys(dependencies)
    .filter((name) => !product.some(({ text }) => ["'", '/'].some((end) => text.includes(`'${name}${end}`))))
    .map((name) => {
      const line = manifest.split('\n').findIndex((content) => content.includes(`"${name}"`)) + 1
      return { entry: `package.json ${name}`, count: 1, at: `package.json:${line}` }
    })
}
