/**
 * A planted bug is an edit of the product's sources while node loads them: the product has no hook for it. An edit that
 * finds nothing to change is an error.
 */
import { registerHooks } from 'node:module'

export interface Edit {
  /** From the root. */
  readonly file: string
  readonly find: RegExp
  readonly replace: string
}

export function edit(file: string, find: RegExp, replace: string): Edit {
  return { file, find, replace }
}

export function oneEdit(...of: Parameters<typeof edit>): readonly [Edit] {
  return [edit(...of)]
}

export interface Planting {
  readonly name: string
  readonly edits: readonly Edit[]
  /** Files that are loaded a second time, next to the right ones; absent: the right ones themselves are edited. */
  readonly beside?: (file: string) => boolean
}

interface Planted {
  /** Ends the address of what is loaded a second time. */
  readonly query: string
  /** Edits of files that nothing has loaded. */
  unused(): readonly string[]
}

const root = new URL('../', import.meta.url).href

/** The hooks stay: what is imported only when it is needed has to be found by them too. */
export function plant({ name, edits, beside }: Planting): Planted {
  const query = beside ? `?planted=${name}` : ''
  const missed = new Set(edits.map(({ file }) => file))
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      const isAsked = beside !== undefined && [specifier, context.parentURL].some((one) => one?.endsWith(query))
      const file = fileOf(found.url)
      return isAsked && file !== undefined && beside(file) ? { ...found, url: root + file + query } : found
    },
    load(url, context, next) {
      const loaded = next(url, context)
      const own = edits.filter(({ file }) => url === root + file + query)
      if (own.length === 0) return loaded
      const source = own.reduce((text, { find, replace, file }) => {
        if (text.search(find) < 0) throw new Error(`${name} finds ${find} in ${file} no more`)
        missed.delete(file)
        return text.replace(find, replace)
      }, String(loaded.source))
      return { ...loaded, source }
    },
  })
  return { query, unused: () => [...missed] }
}

function fileOf(address: string): string | undefined {
  const isOurs = address.startsWith(root) && !address.includes('/node_modules/')
  return isOurs ? address.slice(root.length).split('?')[0] : undefined
}
