import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RepositoryConfig } from '../boot/repositories.ts'
import { gitSucceeds, gitText, lastLines, type Git } from './git.ts'
import { commitAll, isUsableClone, keepWorkTree, repair, type RepairReport } from './repair.ts'
import { remoteRef, repositoryDir, RepositoryReader, type Repository } from './repository.ts'

/** `ccw_bootstrap_reconcile_total{result}` of S3. */
export type ReconcileResult = 'merged' | 'up_to_date' | 'conflict' | 'base_unresolved' | 'fetch_fail'

export interface Checkout {
  readonly repository: Repository
  readonly result: ReconcileResult
  /** Sentences for the agent's instructions: what it must do or know first. */
  readonly findings: readonly string[]
  readonly repaired?: RepairReport
}

export interface CheckoutOptions {
  readonly git: Git
  readonly workspaceDir: string
  readonly taskBranch: string
  /** Names kept work; unique per boot. */
  readonly stamp: string
  readonly beforeClone: (url: string) => Promise<void>
  readonly afterClone: (dir: string) => Promise<void>
}

/**
 * Brings one repository to where the agent may start: cloned or resumed, on its work branch, with everything merged
 * in the order uncommitted work, local commits, remote work branch, base (S3 Continuity rules). With `sha` the work
 * branch is brought to exactly that head and nothing is merged (rulings 1.29).
 */
export async function checkOut(config: RepositoryConfig, options: CheckoutOptions): Promise<Checkout> {
  const dir = repositoryDir(options.workspaceDir, config)
  const resumed = await isUsableClone(options.git, dir)
  const fresh = resumed ? undefined : await cloneInto(config, dir, options)
  const repaired = resumed ? await repair(options.git, dir, options.stamp) : undefined
  const fetched = resumed ? await fetchAll(options.git, dir, config) : undefined
  const repository = await resolve(config, dir, options)
  const findings = [...(fresh ?? []), ...describeRepair(repository, repaired)]
  const steps = new Reconciler(options.git, repository, options.stamp)
  const result = await steps.run(fetched !== undefined)
  if (fetched !== undefined) findings.push(`The remote of ${config.name} could not be fetched: ${fetched}`)
  return { repository, result, findings: [...findings, ...steps.findings], ...(repaired ? { repaired } : {}) }
}

/** Clones beside the target and renames: a clone that a crash cut short is never taken for a workspace. */
async function cloneInto(config: RepositoryConfig, dir: string, options: CheckoutOptions): Promise<readonly string[]> {
  const staging = `${dir}.cloning`
  await rm(staging, { recursive: true, force: true })
  await mkdir(options.workspaceDir, { recursive: true })
  await options.beforeClone(config.url)
  await gitText(options.git, ['clone', '--quiet', '--origin', 'origin', '--', config.url, staging], {
    cwd: options.workspaceDir,
    remote: true,
  })
  const left = await salvage(dir, staging)
  if (!left) await rename(staging, dir)
  const findings = left ? await adoptWorkTree(config, dir, staging, options) : []
  await options.afterClone(dir)
  return findings
}

/** Is there work in a folder whose `.git` is unusable? */
async function salvage(dir: string, staging: string): Promise<boolean> {
  if (!existsSync(dir)) return false
  const files = (await readdir(dir)).filter((name) => name !== '.git')
  if (files.length > 0) return existsSync(staging)
  await rm(dir, { recursive: true, force: true })
  return false
}

/** Puts the fresh `.git` under the old files, so that what was written there becomes a commit on the work branch. */
async function adoptWorkTree(
  config: RepositoryConfig,
  dir: string,
  staging: string,
  options: CheckoutOptions,
): Promise<readonly string[]> {
  const git = options.git
  const branch = config.branch || options.taskBranch
  const reader = new RepositoryReader(git, staging)
  const start = (await reader.sha(remoteRef(branch))) ?? (await reader.sha('HEAD'))
  if (start) {
    await gitText(git, ['update-ref', `refs/heads/${branch}`, start], { cwd: staging })
    await gitText(git, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`], { cwd: staging })
  }
  await rm(join(dir, '.git'), { recursive: true, force: true })
  await rename(join(staging, '.git'), join(dir, '.git'))
  await rm(staging, { recursive: true, force: true })
  await gitText(git, ['reset', '--quiet'], { cwd: dir })
  const committed = await commitAll(git, dir, 'Keep the files of a workspace whose repository data was unusable')
  return committed
    ? [
        `The git data of ${config.name} was unusable; it was cloned anew and the files that lay there were committed. Check that commit for files that are older than the branch.`,
      ]
    : []
}

async function fetchAll(git: Git, dir: string, config: RepositoryConfig): Promise<string | undefined> {
  await gitText(git, ['config', 'remote.origin.url', config.url], { cwd: dir })
  const result = await git(['fetch', '--quiet', '--prune', config.url, '+refs/heads/*:refs/remotes/origin/*'], {
    cwd: dir,
    remote: true,
  })
  return result.code === 0 ? undefined : lastLines(result.stderr)
}

async function resolve(config: RepositoryConfig, dir: string, options: CheckoutOptions): Promise<Repository> {
  const base = config.base || (await defaultBranch(options.git, dir))
  return { name: config.name, dir, url: config.url, base, branch: config.branch || options.taskBranch, sha: config.sha }
}

async function defaultBranch(git: Git, dir: string): Promise<string> {
  const head = await git(['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD'], { cwd: dir })
  return head.code === 0 ? head.stdout.trim().replace(/^origin\//, '') : 'main'
}

function describeRepair(repository: Repository, report: RepairReport | undefined): readonly string[] {
  if (!report) return []
  const kept = report.kept ? ` The files as they stood are kept as ${report.kept}.` : ''
  return report.aborted.length > 0
    ? [`In ${repository.name} an unfinished ${report.aborted.join(' and ')} was aborted.${kept}`]
    : []
}

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

  async run(fetchFailed: boolean): Promise<ReconcileResult> {
    const { branch, base, sha } = this.#repository
    const baseSha = await this.#reader.sha(remoteRef(base))
    const remoteSha = await this.#reader.sha(remoteRef(branch))
    await this.#enterBranch(remoteSha ?? baseSha)
    if (sha) return this.#pin(sha)
    if (remoteSha && !(await this.#merge(remoteSha, `the pushed state of ${branch}`))) return 'conflict'
    if (fetchFailed) return 'fetch_fail'
    if (!baseSha) return this.#baseUnresolved()
    if (await this.#reader.isAncestor(baseSha, 'HEAD')) return 'up_to_date'
    return (await this.#merge(baseSha, `the base branch ${base}`)) ? 'merged' : 'conflict'
  }

  #baseUnresolved(): ReconcileResult {
    this.findings.push(
      `The base branch ${this.#repository.base} of ${this.#repository.name} does not exist at the remote.`,
    )
    return 'base_unresolved'
  }

  /** On the work branch with everything that HEAD held: commits made elsewhere are merged in, never left behind. */
  async #enterBranch(start: string | undefined): Promise<void> {
    const { branch, dir } = this.#repository
    const current = await this.#reader.branch()
    if (current === branch) return
    const head = await this.#reader.sha('HEAD')
    const exists = (await this.#reader.sha(`refs/heads/${branch}`)) !== undefined
    const target = exists ? [branch] : ['--no-track', '-B', branch, ...(start ? [start] : [])]
    await gitText(this.#git, ['checkout', '--quiet', ...target], { cwd: dir })
    if (head && !(await this.#isPushed(head)))
      await this.#merge(head, `commits made on ${current ?? 'a detached head'}`)
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
    const merged = await this.#git(['merge', '--quiet', '--no-edit', '-m', `Merge ${what}`, sha], { cwd: dir })
    if (merged.code === 0) return true
    const conflicts = await this.#git(['diff', '--name-only', '--diff-filter=U'], { cwd: dir })
    await this.#git(['merge', '--abort'], { cwd: dir })
    const files = conflicts.stdout.trim().split('\n').filter(Boolean)
    const where = files.length > 0 ? ` in ${files.slice(0, 20).join(', ')}` : `: ${lastLines(merged.stderr)}`
    this.findings.push(
      `FIRST JOB in ${name}: merge ${what} (git merge ${sha}); it conflicts${where}. Resolve the conflict and commit before anything else.`,
    )
    return false
  }

  /** The exact head under review, on the work branch. Commits that only this volume has are kept and said. */
  async #pin(sha: string): Promise<ReconcileResult> {
    const { dir, name, branch, url } = this.#repository
    if (!(await this.#reader.sha(sha))) await this.#git(['fetch', '--quiet', url, sha], { cwd: dir, remote: true })
    if (!(await this.#reader.sha(sha))) {
      this.findings.push(`The head ${sha} of ${name} could not be fetched.`)
      return 'fetch_fail'
    }
    const head = await this.#reader.sha('HEAD')
    if (head === sha) return 'up_to_date'
    if (head && (await this.#reader.isAncestor(head, sha))) {
      await gitText(this.#git, ['merge', '--quiet', '--ff-only', sha], { cwd: dir })
      return 'merged'
    }
    return this.#setAside(sha, head, branch)
  }

  async #setAside(sha: string, head: string | undefined, branch: string): Promise<ReconcileResult> {
    const { dir, name } = this.#repository
    const kept = `refs/statewright/kept/${this.#stamp}-before-${sha.slice(0, 12)}`
    if (head) await gitText(this.#git, ['update-ref', kept, head], { cwd: dir })
    await keepWorkTree(this.#git, dir, `${this.#stamp}-work-tree`)
    await gitText(this.#git, ['checkout', '--quiet', '-B', branch, sha], { cwd: dir })
    this.findings.push(`${name} held commits that are not part of ${sha}; they are kept as ${kept}.`)
    return 'merged'
  }
}

/** Was the agent's checkout left on another branch? Answers false when the way back conflicts. */
export async function returnToBranch(git: Git, repository: Repository, stamp: string): Promise<boolean> {
  const reader = new RepositoryReader(git, repository.dir)
  if ((await reader.branch()) === repository.branch) return true
  const head = await reader.sha('HEAD')
  if (!head) return false
  if (!(await gitSucceeds(git, ['checkout', '--quiet', repository.branch], { cwd: repository.dir }))) return false
  if (await reader.isAncestor(head, 'HEAD')) return true
  if (await gitSucceeds(git, ['merge', '--quiet', '--no-edit', head], { cwd: repository.dir })) return true
  await git(['merge', '--abort'], { cwd: repository.dir })
  await gitText(git, ['update-ref', `refs/statewright/kept/${stamp}-${head.slice(0, 12)}`, head], {
    cwd: repository.dir,
  })
  return false
}
