import { posix } from 'node:path'

/** Reads a file of the base branch, by its path from the repository's root; undefined when there is none. */
type ReadBaseFile = (path: string) => Promise<string | undefined>

/** As the CLI follows them: an include of an include, five deep. */
const maxDepth = 5
const maxIncluded = 20

/** A reference stands at the start of a word, outside code: `@docs/style.md`, `@./x`, `@~/x`, `@/etc/x`. */
const reference = /(^|\s)@((?:[^\s\\`]|\\ )+)/g

/**
 * The CLI would replace `@path` in an instruction file by that file of the work tree, which a stranger may have written,
 * or stop at a dialog when it lies outside. So what a base branch's instructions include is read from the base
 * branch and put behind them, and every reference becomes code, which the CLI leaves alone.
 */
export async function withIncludes(text: string, path: string, read: ReadBaseFile): Promise<string> {
  const included = new Map<string, string>()
  const own = await take(text, path, { read, included, depth: 0 })
  const sections = [...included].map(([from, content]) => `\n\n## Included from ${from}\n\n${content.trim()}`)
  return `${own.trimEnd()}${sections.join('')}\n`
}

interface Taking {
  readonly read: ReadBaseFile
  readonly included: Map<string, string>
  readonly depth: number
}

async function take(text: string, path: string, taking: Taking): Promise<string> {
  const targets: string[] = []
  const disarmed = outsideCode(text, (prose) =>
    prose.replaceAll(reference, (_whole, before: string, target: string) => {
      targets.push(target)
      return `${before}\`@${target}\``
    }),
  )
  for (const target of targets) await include(target, path, taking)
  return disarmed
}

async function include(target: string, from: string, { read, included, depth }: Taking): Promise<void> {
  const path = withinRepository(target, from)
  if (path === undefined || included.has(path) || included.size >= maxIncluded || depth >= maxDepth) return
  const text = await read(path)
  if (text === undefined || text.includes('\0')) return
  // Before its own includes: two files may include each other.
  included.set(path, '')
  included.set(path, await take(text, path, { read, included, depth: depth + 1 }))
}

/** Relative to the file that holds it; undefined for what lies outside the repository. */
function withinRepository(target: string, from: string): string | undefined {
  const plain = target.replaceAll('\\ ', ' ').replace(/(?<![.,;:!?)])[.,;:!?)]+$/, '')
  if (plain === '' || plain.startsWith('~') || plain.startsWith('/')) return undefined
  const path = posix.join(posix.dirname(from), plain)
  return path.startsWith('../') || path === '..' || path === '.' ? undefined : path
}

/** Fenced blocks and code spans are left as they are. */
function outsideCode(text: string, change: (prose: string) => string): string {
  let fence: string | undefined
  return text
    .split('\n')
    .map((line) => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
      if (fence === undefined && mark === undefined) return outsideSpans(line, change)
      if (fence === undefined) fence = mark
      else if (mark?.startsWith(fence)) fence = undefined
      return line
    })
    .join('\n')
}

function outsideSpans(line: string, change: (prose: string) => string): string {
  return line
    .split(/(`+[^`]*`+)/)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('')
}
