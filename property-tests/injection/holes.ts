/**
 * Negative controls: a gate of the product is switched off, and a text of the corpus has to show it. A hole is an edit of
 * the product's sources while node loads them; each has a graph of modules of its own, so that one process plays all.
 */
import { registerHooks } from 'node:module'
import type { play } from './play.ts'
import type { openScene } from './scene.ts'
import type { openBystander, Situation } from './stories.ts'

export interface Hole {
  readonly name: string
  readonly does: string
  /** The text that exposes it, and where it stands. */
  readonly text: string
  readonly situation: Situation
  /** What must be broken, among other things. */
  readonly law: RegExp
  /** From the root; `find` must be there. */
  readonly edits: readonly { readonly file: string; readonly find: RegExp; readonly replace: string }[]
}

export const holes: readonly Hole[] = [
  {
    name: 'no-profile-check',
    does: 'answers every tool to every kind of agent',
    text: 'files/todo-in-code.md',
    situation: 'review',
    law: /^profile/,
    edits: [{ file: 'edges/agents/caller.ts', find: /!mayCall\(claims\.agentKind, tool\)/g, replace: 'false' }],
  },
]

interface Planted {
  readonly openScene: typeof openScene
  readonly play: typeof play
  readonly openBystander: typeof openBystander
}

const root = new URL('../../', import.meta.url).href

export async function plantedScene(hole: Hole): Promise<Planted> {
  const mark = `?hole=${hole.name}`
  const missed = new Set(hole.edits.map(({ file }) => file))
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      const isOurs = found.url.startsWith(root) && !found.url.includes('/node_modules/') && !found.url.includes('?')
      return isOurs && (context.parentURL?.endsWith(mark) || specifier.endsWith(mark)) ? { ...found, url: found.url + mark } : found
    },
    load(url, context, next) {
      const loaded = next(url, context)
      const own = hole.edits.filter(({ file }) => url === root + file + mark)
      if (own.length === 0) return loaded
      const source = own.reduce((text, { find, replace, file }) => {
        if (text.search(find) < 0) throw new Error(`${hole.name} finds ${find} in ${file} no more`)
        missed.delete(file)
        return text.replace(find, replace)
      }, String(loaded.source))
      return { ...loaded, source }
    },
  })
  const [scene, played, stories] = await Promise.all([
    import(`./scene.ts${mark}`),
    import(`./play.ts${mark}`),
    import(`./stories.ts${mark}`),
  ])
  if (missed.size > 0) throw new Error(`${hole.name} edits what is not loaded: ${[...missed].join(', ')}`)
  // What is imported only when it is needed has to be found by the same hooks: they stay.
  void hooks
  return { openScene: scene.openScene, play: played.play, openBystander: stories.openBystander }
}
