import { join } from 'node:path'

/** Where one clone and everything about it lies in the workspace. */
export interface WorkspacePaths {
  readonly name: string
  readonly dir: string
  /** The fresh repository, until it takes its place. */
  readonly fresh: string
  /** What could be read out of an unusable one. */
  readonly rescue: string
  /** The `.git` that a fresh one replaces, for as long as it takes. */
  readonly replaced: string
  /** A `.git` that holds more than could be carried over. */
  readonly left: (stamp: string) => string
  /** What was moved out of the work tree. */
  readonly setAside: string
}

export function workspacePathsOf(workspaceDir: string, name: string): WorkspacePaths {
  const broken = join(workspaceDir, '.broken')
  return {
    name,
    dir: join(workspaceDir, name),
    fresh: join(workspaceDir, `${name}.cloning`),
    rescue: join(workspaceDir, `${name}.rescue`),
    replaced: join(broken, `${name}.git`),
    left: (stamp) => join(broken, `${name}-${stamp}.git`),
    setAside: join(workspaceDir, '.set-aside', name),
  }
}
