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

/** Where the work branch and its two counterparts at the remote stand, as far as they are there. */
export interface BranchTips {
  readonly head: string | undefined
  readonly remote: string | undefined
  readonly base: string | undefined
}

/** How a checkout stands: the branch that HEAD names, undefined when detached, and whether a commit of everything would hold something. */
export interface CheckoutState {
  readonly branch: string | undefined
  readonly isDirty: boolean
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
    return (await this.checkout()).isDirty
  }

  async checkout(): Promise<CheckoutState> {
    const said = await gitText(this.#git, [...status, ...statusOptions], this.#run)
    const lines = said.split('\n')
    const named = lines.find((line) => line.startsWith(headMark))?.slice(headMark.length)
    return {
      branch: named === '(detached)' ? undefined : named,
      isDirty: lines.some((line) => line !== '' && !line.startsWith('# ')),
    }
  }

  /** By one program: at the end of a turn every program more is waited for. */
  async tips(branch: string, base: string): Promise<BranchTips> {
    const asked = { head: `refs/heads/${branch}`, remote: remoteRef(branch), base: remoteRef(base) }
    const format = '--format=%(objectname) %(refname)'
    const said = await gitText(this.#git, ['for-each-ref', format, ...Object.values(asked)], this.#run)
    // A name matches what lies below it too.
    const tip = (ref: string): string | undefined =>
      said
        .split('\n')
        .find((line) => line.endsWith(` ${ref}`))
        ?.split(' ', 1)[0]
    return { head: tip(asked.head), remote: tip(asked.remote), base: tip(asked.base) }
  }

  async isAncestor(older: string, newer: string): Promise<boolean> {
    return gitSucceeds(this.#git, ['merge-base', '--is-ancestor', older, newer], this.#run)
  }
}

const status = ['--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--no-ahead-behind'] as const
const statusOptions = ['--untracked-files=normal', '--ignore-submodules=dirty'] as const
const headMark = '# branch.head '

/** Refs of the remote as this wrapper fetches them, out of the agent's way. */
export const remoteRef = (branch: string): string => `refs/remotes/origin/${branch}`

/** Snapshots of work that an abort would have dropped; kept in the volume, never pushed. */
export const keptRef = (name: string): string => `refs/statewright/kept/${name}`
