import { gitSucceeds, gitText, lastLines, type Git, type GitResult } from '../git.ts'
import { keptRef, type BranchTips, type Repository } from '../repository.ts'
import type { ReconcileResult } from '../requests.ts'
import { keepWorkTree } from './keep.ts'
import { whileMoving } from './moving.ts'
import { RepositoryReader } from './reader.ts'

interface Reconciled {
  readonly result: ReconcileResult
  /** Sentences for the agent's instructions: what it must do or know first. */
  readonly findings: readonly string[]
}

/**
 * Brings one repository to where the agent may start: on its work branch, with everything merged in the order
 * uncommitted work, local commits, remote work branch, base (WORKSPACE-8). With `sha` the work branch is
 * brought to exactly that head and nothing is merged (REVIEW-2).
 */
export async function reconcile(
  git: Git,
  repository: Repository,
  stamp: string,
  fetchFailed: boolean,
): Promise<Reconciled> {
  const steps = new Reconciler(git, repository, stamp)
  const result = await steps.run(fetchFailed)
  return { result, findings: steps.findings }
}

/** Enough to begin with; the agent can list the rest. */
const maxNamed = 10

class Reconciler {
  readonly findings: string[] = []
  readonly #git: Git
  readonly #repository: Repository
  readonly #reader: RepositoryReader
  readonly #stamp: string

  constructor(git: Git, repository: Repository, stamp: string) {
    this.#git = git
    this.#repository = repository
    this.#reader = new RepositoryReader(git, repository.dir)
    this.#stamp = stamp
  }

  /** What can be asked at once is: at every boot somebody waits for this. */
  async run(fetchFailed: boolean): Promise<ReconcileResult> {
    const { branch, base, sha } = this.#repository
    const [tips, current, before] = await Promise.all([
      this.#reader.tips(branch, base),
      this.#reader.branch(),
      this.#reader.sha('HEAD'),
    ])
    if (current !== branch) await this.#enterBranch(tips, current, before)
    if (sha) return this.#pin(sha)
    const [kept, branches, head] = await Promise.all([this.#nameKept(), this.#nameBranches(), this.#reader.sha('HEAD')])
    this.findings.push(...kept, ...branches)
    if (tips.remote !== undefined && tips.remote !== head) {
      if (!(await this.#merge(tips.remote, `the pushed state of ${branch}`))) return 'conflict'
    }
    if (fetchFailed) return 'fetch_fail'
    if (tips.base === undefined) return this.#baseUnresolved()
    if (tips.base === head || (await this.#reader.isAncestor(tips.base, 'HEAD'))) return 'up_to_date'
    return (await this.#merge(tips.base, `the base branch ${base}`)) ? 'merged' : 'conflict'
  }

  #baseUnresolved(): ReconcileResult {
    this.findings.push(
      `The base branch ${this.#repository.base} of ${this.#repository.name} does not exist at the remote.`,
    )
    return 'base_unresolved'
  }

  /** Work that an earlier boot set aside is named until it is merged: the agent that was told may not have lived. */
  async #nameKept(): Promise<readonly string[]> {
    const { dir, name } = this.#repository
    const listed = await gitText(this.#git, ['for-each-ref', '--format=%(refname)', '--no-merged=HEAD', keptRef('')], {
      cwd: dir,
    })
    const refs = listed.split('\n').filter(Boolean)
    if (refs.length === 0) return []
    const more = refs.length > maxNamed ? ` and ${refs.length - maxNamed} more` : ''
    return [
      `${name} keeps work of interrupted sessions that is not merged: ${refs.slice(-maxNamed).join(', ')}${more}. Look whether anything of it is still wanted (git diff HEAD...<ref>), and delete the refs you are done with.`,
    ]
  }

  /** Only the work branch is pushed: commits on a branch of the agent's own would end with the volume. */
  async #nameBranches(): Promise<readonly string[]> {
    const { dir, name, branch } = this.#repository
    const format = '--format=%(objectname) %(refname:lstrip=2)'
    const listed = await gitText(this.#git, ['for-each-ref', format, '--no-merged=HEAD', 'refs/heads/'], { cwd: dir })
    const left: string[] = []
    for (const line of listed.split('\n').filter(Boolean)) {
      const [sha = '', local = ''] = line.split(' ')
      if (local !== branch && !(await this.#isPushed(sha))) left.push(local)
    }
    if (left.length === 0) return []
    const more = left.length > maxNamed ? ` and ${left.length - maxNamed} more` : ''
    return [
      `${name} has branches with commits that are nowhere else: ${left.slice(-maxNamed).join(', ')}${more}. Only ${branch} is pushed: merge what is still wanted into it, and delete the branches you are done with.`,
    ]
  }

  /** On the work branch with everything that HEAD held: commits made elsewhere are merged in, never left behind. */
  async #enterBranch(tips: BranchTips, current: string | undefined, head: string | undefined): Promise<void> {
    const { branch, dir } = this.#repository
    const start = tips.remote ?? tips.base
    const isLeft = head !== undefined && head !== start && !(await this.#isPushed(head))
    const kept = keptRef(`${this.#stamp}-${head?.slice(0, 12)}`)
    // A detached head has no other name, and a branch may be deleted.
    if (isLeft) await gitText(this.#git, ['update-ref', kept, head], { cwd: dir })
    const target = tips.head !== undefined ? [branch] : ['--no-track', '-B', branch, ...(start ? [start] : [])]
    const checkout = ['checkout', '--quiet', '--ignore-other-worktrees', ...target]
    await whileMoving(dir, () => gitText(this.#git, checkout, { cwd: dir }))
    if (!isLeft || !(await this.#merge(head, `commits made on ${current ?? 'a detached head'}`))) return
    await gitText(this.#git, ['update-ref', '-d', kept], { cwd: dir })
  }

  async #isPushed(sha: string): Promise<boolean> {
    const containing = await this.#git(['for-each-ref', '--count=1', '--contains', sha, 'refs/remotes/origin/'], {
      cwd: this.#repository.dir,
    })
    return containing.stdout.trim() !== ''
  }

  /** Merge only, never a reset; a conflict leaves a clean tree and a first job for the agent. */
  async #merge(sha: string, what: string): Promise<boolean> {
    const { dir, name } = this.#repository
    if (await this.#reader.isAncestor(sha, 'HEAD')) return true
    const [merged, conflicts] = await whileMoving(dir, () => this.#tryMerge(sha, what))
    if (merged.code === 0) return true
    const files = conflicts.trim().split('\n').filter(Boolean)
    const where = files.length > 0 ? ` in ${files.slice(0, 20).join(', ')}` : `: ${lastLines(merged.stderr)}`
    this.findings.push(
      `FIRST JOB in ${name}: merge ${what} (git merge ${sha}); it conflicts${where}. Resolve the conflict and commit before anything else.`,
    )
    return false
  }

  async #tryMerge(sha: string, what: string): Promise<readonly [GitResult, string]> {
    const run = { cwd: this.#repository.dir }
    const merged = await this.#git(['merge', '--quiet', '--no-edit', '-m', `Merge ${what}`, sha], run)
    if (merged.code === 0) return [merged, '']
    const conflicts = await this.#git(['diff', '--name-only', '--diff-filter=U'], run)
    await this.#git(['merge', '--abort'], run)
    return [merged, conflicts.stdout]
  }

  /** The exact head under review, on the work branch. Commits that only this volume has are kept and said. */
  async #pin(sha: string): Promise<ReconcileResult> {
    const { dir, name, branch } = this.#repository
    if (!(await this.#reader.sha(sha))) {
      this.findings.push(`The head ${sha} of ${name} could not be fetched.`)
      return 'fetch_fail'
    }
    const head = await this.#reader.sha('HEAD')
    if (head === sha) return 'up_to_date'
    if (head && (await this.#reader.isAncestor(head, sha))) {
      await whileMoving(dir, () => gitText(this.#git, ['merge', '--quiet', '--ff-only', sha], { cwd: dir }))
      return 'merged'
    }
    return this.#setAside(sha, head, branch)
  }

  async #setAside(sha: string, head: string | undefined, branch: string): Promise<ReconcileResult> {
    const { dir, name } = this.#repository
    const kept = keptRef(`${this.#stamp}-before-${sha.slice(0, 12)}`)
    if (head) await gitText(this.#git, ['update-ref', kept, head], { cwd: dir })
    await keepWorkTree(this.#git, dir, `${this.#stamp}-work-tree`)
    await whileMoving(dir, () => gitText(this.#git, ['checkout', '--quiet', '-B', branch, sha], { cwd: dir }))
    this.findings.push(`${name} held commits that are not part of ${sha}; they are kept as ${kept}.`)
    return 'merged'
  }
}

/** Was the agent's checkout left on another branch? Answers false when the way back conflicts. */
export async function returnToBranch(git: Git, dir: string, branch: string, stamp: string): Promise<boolean> {
  const reader = new RepositoryReader(git, dir)
  if ((await reader.branch()) === branch) return true
  const head = await reader.sha('HEAD')
  if (!head) return false
  const kept = keptRef(`${stamp}-${head.slice(0, 12)}`)
  await gitText(git, ['update-ref', kept, head], { cwd: dir })
  if (!(await whileMoving(dir, () => switchOrReset(git, dir, branch)))) return false
  if (!(await reader.isAncestor(head, 'HEAD')) && !(await mergeOrAbort(git, dir, head))) return false
  await gitText(git, ['update-ref', '-d', kept], { cwd: dir })
  return true
}

/** Everything is committed here: a checkout that fails half-way is taken back. */
async function switchOrReset(git: Git, dir: string, branch: string): Promise<boolean> {
  const checkout = ['checkout', '--quiet', '--ignore-other-worktrees', branch]
  if (await gitSucceeds(git, checkout, { cwd: dir })) return true
  await git(['reset', '--hard', '--quiet'], { cwd: dir })
  return false
}

/** A merge that conflicts leaves the tree as it was. */
export function mergeOrAbort(git: Git, dir: string, revision: string): Promise<boolean> {
  return whileMoving(dir, async () => {
    if (await gitSucceeds(git, ['merge', '--quiet', '--no-edit', revision], { cwd: dir })) return true
    await git(['merge', '--abort'], { cwd: dir })
    return false
  })
}
