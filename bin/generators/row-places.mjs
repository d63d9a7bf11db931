// Loads a machine a second time, with each object of its sources marked by its place. XState copies a row's mark into
// the transition that it makes of it, so a transition can say on which line of which file somebody wrote it.
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { root } from '../on-node-24.mjs'

/** Under this key an object says where it was written, and how its guard reads. */
export const written = Symbol.for('statewright.written')

const query = '?written'
const machines = new URL('../../machines/', import.meta.url).href

/**
 * Only Node 24 calls this.
 * @param {string} path from the root
 */
export async function importMarked(path) {
  const { parseAst } = await import('rolldown/parseAst')
  const hooks = module.registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      const isAsked = specifier.endsWith(query) || context.parentURL?.endsWith(query)
      const isPlain = found.url.startsWith(machines) && !found.url.includes('?')
      return isAsked && isPlain ? { ...found, url: found.url + query } : found
    },
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.endsWith(query)) return loaded
      const file = fileURLToPath(url.slice(0, -query.length)).slice(root.length + 1)
      return { ...loaded, source: marked(file, String(loaded.source), parseAst) }
    },
  })
  try {
    return await import(`../../${path}${query}`)
  } finally {
    hooks.deregister()
  }
}

function marked(file, code, parseAst) {
  const marks = objectsIn(parseAst(code, { lang: 'ts' })).map(({ start, properties }) => {
    const guard = properties.find(({ key }) => key?.name === 'guard')?.value
    const line = code.slice(0, start).split('\n').length
    const place = { file, line, guard: guard && code.slice(guard.start, guard.end) }
    const mark = `[Symbol.for('${written.description}')]:${JSON.stringify(place)}`
    // At the end, so that what is spread into a row does not bring a place of its own.
    const last = properties.at(-1)
    return last === undefined ? { at: start + 1, text: mark } : { at: last.end, text: `,${mark}` }
  })
  let [text, from] = ['', 0]
  for (const mark of marks.toSorted((one, other) => one.at - other.at)) {
    text += code.slice(from, mark.at) + mark.text
    from = mark.at
  }
  return text + code.slice(from)
}

function objectsIn(node) {
  if (typeof node !== 'object' || node === null) return []
  const inner = Object.values(node).flatMap(objectsIn)
  return node.type === 'ObjectExpression' ? [node, ...inner] : inner
}
