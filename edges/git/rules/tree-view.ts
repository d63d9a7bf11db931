/** Where the protected paths of one tree lead: its links, and what its instructions include. */
import type { Quarantine } from '../store/cache.ts'
import { isInstructionFile, type PathGuard } from './path-guard.ts'
import { foldedNames } from './path-pattern.ts'
import { leadingTo, leadsFrom, protectedPathsOf, type Lead, type ProtectedPaths } from './protected-places.ts'
import { entriesOf, gitlinkMode, linkMode, textsOf, type TreeEntry } from '../store/pushed-tree.ts'
import { knownShapes, type KnownShapes } from './unknown-shape.ts'

export interface TreeView {
  readonly links: readonly Lead[]
  readonly protectedPaths: ProtectedPaths
  readonly shapes: KnownShapes
}

/** The longest target that a file system takes (PATH_MAX). */
const longestTarget = 4096
/** As the wrapper follows them when it reads instructions, with some to spare. */
const includeDepth = 5
const longestInstructions = 256 * 1024
const mostInstructions = 500

/** `tree`: the object's own name, which no blob of it can hold. */
export async function viewOf(git: Quarantine['git'], guard: PathGuard, tree: string): Promise<TreeView> {
  const entries = await entriesOf(git, tree)
  const links = await linksIn(git, tree, entries)
  const protectedPaths = protectedPathsOf(guard, links, await includesIn(git, tree, entries, links))
  return { links, protectedPaths, shapes: knownShapes(entries.map(({ path }) => path)) }
}

async function linksIn(git: Quarantine['git'], tree: string, entries: readonly TreeEntry[]): Promise<readonly Lead[]> {
  const links = entries.filter(({ mode, size }) => mode === linkMode && size <= longestTarget)
  const targets = await textsOf(git, tree, links)
  return links.flatMap(({ path, sha }) => leadsFrom(path, targets.get(sha) ?? ''))
}

/** A reference stands at the start of a word; those in code are taken too, which protects more. */
const reference = /(?:^|[\s`(])@((?:[^\s\\`]|\\ )+)/g

/** What protected instructions include, and these in turn. */
async function includesIn(
  git: Quarantine['git'],
  tree: string,
  entries: readonly TreeEntry[],
  links: readonly Lead[],
): Promise<readonly Lead[]> {
  const files = entries.filter(
    ({ mode, size }) => mode !== linkMode && mode !== gitlinkMode && size <= longestInstructions,
  )
  const linked = protectedPathsOf((path) => (isInstructionFile(path) ? path : undefined), links, [])
  let open: readonly TreeEntry[] = files.filter(
    ({ path }) => isInstructionFile(path) || leadingTo(linked, path) !== undefined,
  )
  const seen = new Set<string>()
  const found: Lead[] = []
  for (let depth = 0; depth < includeDepth && open.length > 0; depth += 1) {
    open = nearestRoot(open).slice(0, mostInstructions)
    for (const { path } of open) seen.add(path)
    const texts = await textsOf(git, tree, open)
    const leads = open.flatMap(({ path, sha }) => includedBy(path, texts.get(sha) ?? ''))
    found.push(...leads)
    const wanted = new Set(leads.map(({ to }) => folded(to)))
    open = files.filter(({ path }) => wanted.has(folded(path)) && !seen.has(path))
  }
  return found
}

function nearestRoot(entries: readonly TreeEntry[]): readonly TreeEntry[] {
  const depth = ({ path }: TreeEntry): number => path.split('/').length
  return entries.toSorted((a, b) => depth(a) - depth(b))
}

function includedBy(path: string, text: string): readonly Lead[] {
  return [...text.matchAll(reference)].flatMap(([, target = '']) =>
    leadsFrom(path, target.replaceAll('\\ ', ' ').replace(/(?<![.,;:!?)])[.,;:!?)]+$/, '')).filter(
      ({ to }) => folded(to) !== '',
    ),
  )
}

function folded(path: string): string {
  return foldedNames(path).join('/')
}
