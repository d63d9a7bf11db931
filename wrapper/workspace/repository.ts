import { join } from 'node:path'
import type { RepositoryConfig } from '../boot/repositories.ts'
import { gitSucceeds, gitText, type Git, type GitRun } from './git.ts'

/** A clone in the workspace. `base` and `branch` are resolved: never empty. */
export interface Repository {
  readonly name: string
  readonly dir: string
  readonly url: string
  readonly base: string
  readonly branch: string
  readonly sha: string
}

export function repositoryDir(workspaceDir: string, config: RepositoryConfig): string {
  return join(workspaceDir, config.name)
}

/** Asks one clone; every answer is read fresh. */
export class RepositoryReader {
  readonly #git: Git
  readonly #run: GitRun

  constructor(git: Git, dir: string) {
    this.#git = git
    this.#run = { cwd: dir }
  }

  async sha(revision: string): Promise<string | undefined> {
    const result = await this.#git(['rev-parse', '--verify', '--quiet', `${revision}^{commit}`], this.#run)
    return result.code === 0 ? result.stdout.trim() : undefined
  }

  /** The branch that HEAD names, undefined when detached. */
  async branch(): Promise<string | undefined> {
    const result = await this.#git(['symbolic-ref', '--quiet', '--short', 'HEAD'], this.#run)
    return result.code === 0 ? result.stdout.trim() : undefined
  }

  async isDirty(): Promise<boolean> {
    return (
      (await gitText(
        this.#git,
        ['--no-optional-locks', 'status', '--porcelain', '--untracked-files=normal', '--ignore-submodules=dirty'],
        this.#run,
      )) !== ''
    )
  }

  async isAncestor(older: string, newer: string): Promise<boolean> {
    return gitSucceeds(this.#git, ['merge-base', '--is-ancestor', older, newer], this.#run)
  }
}

/** Refs of the remote as this wrapper fetches them, out of the agent's way. */
export const remoteRef = (branch: string): string => `refs/remotes/origin/${branch}`

/** Snapshots of work that an abort would have dropped; kept in the volume, never pushed. */
export const keptRef = (name: string): string => `refs/statewright/kept/${name}`
