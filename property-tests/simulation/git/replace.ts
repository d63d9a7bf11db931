/**
 * Puts git in memory and the time of the run beneath the local forge, while node loads it: its store, its REST dialect
 * and its webhooks stay as they are, and no process is started for a commit. Has to be imported before the forge is.
 */
import { registerHooks } from 'node:module'

const forge = new URL('../../../standins/forge/', import.meta.url).href
const real = `${forge}git/`
const own = new URL('./', import.meta.url).href
const time = new URL('../time.ts', import.meta.url).href
const replaced = ['refs.ts', 'commits.ts', 'diff.ts', 'merge.ts', 'bare.ts']

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    const file = resolved.url.startsWith(real) ? resolved.url.slice(real.length) : undefined
    return file !== undefined && replaced.includes(file) ? { ...resolved, url: `${own}${file}` } : resolved
  },
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.startsWith(forge)) return loaded
    // On its first line, so that all others keep their numbers.
    return { ...loaded, source: `import { SimulatedDate as Date } from '${time}'; ${String(loaded.source)}` }
  },
})
