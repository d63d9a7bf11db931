import { gitSucceeds, gitText, type Git, type GitRun } from '../git.ts'
import { remoteRef, type BranchTips } from '../repository.ts'

/** How a checkout stands: the branch that HEAD names, undefined when detached, and whether a commit of everything would hold something. */
interface CheckoutState {
  readonly branch: string | undefined
  /** The commit that HEAD names, undefined before the first. */
  readonly head: string | undefined
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
    const output = await gitText(this.#git, [...status, ...statusOptions], this.#run)
    const lines = output.split('\n')
    const valueOf = (mark: string): string | undefined =>
      lines.find((line) => line.startsWith(mark))?.slice(mark.length)
    const named = valueOf(headMark)
    const head = valueOf(commitMark)
    return {
      branch: named === '(detached)' ? undefined : named,
      head: head === '(initial)' ? undefined : head,
      isDirty: lines.some((line) => line !== '' && !line.startsWith('# ')),
    }
  }

  /** By one program: at the end of a turn every program more is waited for. */
  async tips(branch: string, base: string): Promise<BranchTips> {
    const asked = { head: `refs/heads/${branch}`, remote: remoteRef(branch), base: remoteRef(base) }
    const format = '--format=%(objectname) %(refname)'
    const refs = await gitText(this.#git, ['for-each-ref', format, ...Object.values(asked)], this.#run)
    // A name matches what lies below it too.
    const tip = (ref: string): string | undefined =>
      refs
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
const commitMark = '# branch.oid '
