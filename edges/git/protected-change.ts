/** Whether a change touches what a later agent obeys or a machine runs unseen, and the words in which a push is refused for it. */
import { isInstructionFile, type PathGuard } from './path-guard.ts'
import { foldedNames } from './path-pattern.ts'
import { TooManyPlacesError, leadingTo, leadsFrom, placesOf, type Lead, type Places } from './protected-places.ts'
import { otherReasons } from './protected-paths.ts'
import {
  changedPaths,
  entriesOf,
  gitlinkMode,
  linkMode,
  textsOf,
  UnreadableTreeError,
  type ChangedPath,
  type TreeEntry,
} from './pushed-tree.ts'
import type { Quarantine } from './cache.ts'

export interface TouchedPath {
  readonly path: string
  readonly reason: string
}

/** The longest target that a file system takes (PATH_MAX). */
const longestTarget = 4096
/** As the wrapper follows them when it reads instructions, with some to spare. */
const includeDepth = 5
const longestInstructions = 256 * 1024
const mostInstructions = 500

/** What of `from..to` is protected; undefined when that cannot be told, which only a maintainer's word gets past. */
export async function touchedPaths(
  git: Quarantine['git'],
  guard: PathGuard,
  from: string,
  to: string,
): Promise<readonly TouchedPath[] | undefined> {
  try {
    const changes = await changedPaths(git, from, to)
    if (changes.length === 0) return []
    const entries = await entriesOf(git, to)
    const links = await linksIn(git, to, entries)
    const places = placesOf(guard, links, await includesIn(git, to, entries, links))
    return changes.flatMap((change) => {
      const reason = reasonFor(guard, places, links, change)
      return reason === undefined ? [] : [{ path: change.path, reason }]
    })
  } catch (error) {
    if (error instanceof UnreadableTreeError || error instanceof TooManyPlacesError) return undefined
    throw error
  }
}

function reasonFor(
  guard: PathGuard,
  places: Places,
  links: readonly Lead[],
  { path, modes }: ChangedPath,
): string | undefined {
  if (modes.includes(gitlinkMode)) return otherReasons.gitlink
  const own = guard(path)
  if (own !== undefined) return own
  const by = leadingTo(places, path)
  if (by !== undefined) return `it is read as ${shown(by)}`
  if (!modes.includes(linkMode)) return undefined
  const target = links.find(({ from, to }) => from === path && guard(to) !== undefined)
  return target && `it leads to ${shown(target.to)}`
}

async function linksIn(
  git: Quarantine['git'],
  commit: string,
  entries: readonly TreeEntry[],
): Promise<readonly Lead[]> {
  const links = entries.filter(({ mode, size }) => mode === linkMode && size <= longestTarget)
  const targets = await textsOf(git, commit, links)
  return links.flatMap(({ path, sha }) => leadsFrom(path, targets.get(sha) ?? ''))
}

/** A reference stands at the start of a word; those in code are taken too, which protects more. */
const reference = /(?:^|[\s`(])@((?:[^\s\\`]|\\ )+)/g

/** What protected instructions include, and these in turn. */
async function includesIn(
  git: Quarantine['git'],
  commit: string,
  entries: readonly TreeEntry[],
  links: readonly Lead[],
): Promise<readonly Lead[]> {
  const files = entries.filter(
    ({ mode, size }) => mode !== linkMode && mode !== gitlinkMode && size <= longestInstructions,
  )
  const linked = placesOf((path) => (isInstructionFile(path) ? path : undefined), links, [])
  let open: readonly TreeEntry[] = files.filter(
    ({ path }) => isInstructionFile(path) || leadingTo(linked, path) !== undefined,
  )
  const seen = new Set<string>()
  const found: Lead[] = []
  for (let depth = 0; depth < includeDepth && open.length > 0; depth += 1) {
    open = nearestRoot(open).slice(0, mostInstructions)
    for (const { path } of open) seen.add(path)
    const texts = await textsOf(git, commit, open)
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
    leadsFrom(path, target.replaceAll('\\ ', ' ').replace(/[.,;:!?)]+$/, '')).filter(({ to }) => folded(to) !== ''),
  )
}

function folded(path: string): string {
  return foldedNames(path).join('/')
}

/** Paths are the pod's words: one line, and short. */
function shown(path: string): string {
  return path.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?').slice(0, 120)
}

const mostShown = 5

export function refusalFor(touched: readonly TouchedPath[]): string {
  const byReason = new Map<string, string[]>()
  for (const { path, reason } of touched.slice(0, mostShown))
    byReason.set(reason, [...(byReason.get(reason) ?? []), shown(path)])
  const listed = [...byReason].map(([reason, paths]) => `${paths.join(', ')} (${reason})`).join('; ')
  const more = touched.length > mostShown ? ` and ${touched.length - mostShown} more` : ''
  // The way out first: what shows a refusal may cut it.
  return `protected paths: do not change them, or ask a maintainer to comment /allow-ci-changes and submit the work again. Changed: ${listed}${more}`
}
