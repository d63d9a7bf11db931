/** Whether a change touches what a later agent obeys or a machine runs unseen. */
import type { TouchedPath } from '../../ports/merge-judge.ts'
import type { PathGuard } from './path-guard.ts'
import { leadingTo } from './protected-places.ts'
import { otherReasons } from './protected-paths.ts'
import { gitlinkMode, linkMode, noMode, type ChangedPath } from '../store/pushed-tree.ts'
import { shown } from './refusal.ts'
import type { TreeView } from './tree-view.ts'
import { unknownShape, type KnownShapes } from './unknown-shape.ts'

interface Sight {
  readonly guard: PathGuard
  /** Of every tree in which somebody may read a changed path: what one of them protects is protected. */
  readonly views: readonly TreeView[]
  /** What the base has: only what it lacks is asked about for its shape. */
  readonly shapes: KnownShapes
}

export function touchedOf(sight: Sight, changes: readonly ChangedPath[]): readonly TouchedPath[] {
  return changes.flatMap((change) => {
    const reason = reasonFor(sight, change)
    return reason === undefined ? [] : [{ path: change.path, reason }]
  })
}

function reasonFor({ guard, views, shapes }: Sight, { path, modes }: ChangedPath): string | undefined {
  if (modes.includes(gitlinkMode)) return otherReasons.gitlink
  const own = guard(path)
  if (own !== undefined) return own
  const by = views.map(({ protectedPaths }) => leadingTo(protectedPaths, path)).find((name) => name !== undefined)
  if (by !== undefined) return `it is read as ${shown(by)}`
  const target = modes.includes(linkMode) ? protectedTarget(guard, views, path) : undefined
  if (target !== undefined) return `it leads to ${shown(target)}`
  return modes[0] === noMode ? unknownShape(shapes, path) : undefined
}

function protectedTarget(guard: PathGuard, views: readonly TreeView[], path: string): string | undefined {
  const links = views.flatMap((view) => view.links)
  return links.find(({ from, to }) => from === path && guard(to) !== undefined)?.to
}
