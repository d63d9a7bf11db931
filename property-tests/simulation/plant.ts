/** A planted bug is an edit of the product's sources while node loads them: the product has no hook for it. */
import { registerHooks } from 'node:module'
import type { PlantedBug } from './bugs.ts'

const root = new URL('../../', import.meta.url).href

export function plant({ name, edits }: PlantedBug): void {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      const own = edits.filter(({ file }) => url === root + file)
      if (own.length === 0) return loaded
      const source = own.reduce((text, { find, replace, file }) => {
        if (!find.test(text)) throw new Error(`${name} finds ${find} in ${file} no more`)
        return text.replace(find, replace)
      }, String(loaded.source))
      return { ...loaded, source }
    },
  })
}
