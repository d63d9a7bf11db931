/** Whether a change touches what a later agent obeys or a machine runs unseen. */
import type { TouchedPath } from '../ports/merge-judge.ts'
import type { PathGuard } from './path-guard.ts'
import { leadingTo } from './protected-places.ts'
import { otherReasons } from './protected-paths.ts'
import { gitlinkMode, linkMode, type ChangedPath } from './pushed-tree.ts'
import { shown } from './refusal.ts'
import type { TreeView } from './tree-view.ts'

/** `views`: of every tree in which somebody may read a changed path: what one of them protects is protected. */
export function touchedOf(
  guard: PathGuard,
  views: readonly TreeView[],
  changes: readonly ChangedPath[],
): readonly TouchedPath[] {
  return changes.flatMap((change) => {
    const reason = reasonFor(guard, views, change)
    return reason === undefined ? [] : [{ path: change.path, reason }]
  })
}

function reasonFor(guard: PathGuard, views: readonly TreeView[], { path, modes }: ChangedPath): string | undefined {
  if (modes.includes(gitlinkMode)) return otherReasons.gitlink
  const own = guard(path)
  if (own !== undefined) return own
  const by = views.map(({ places }) => leadingTo(places, path)).find((name) => name !== undefined)
  if (by !== undefined) return `it is read as ${shown(by)}`
  if (!modes.includes(linkMode)) return undefined
  const target = views.flatMap(({ links }) => links).find(({ from, to }) => from === path && guard(to) !== undefined)
  return target && `it leads to ${shown(target.to)}`
}
