import type { FailedPush } from '../../machines/turn/schema.ts'
import { gitText, lastLines, type Git, type GitResult } from './git.ts'
import { commitAll } from './repair.ts'
import { mergeOrAbort, returnToBranch } from './checkout.ts'
import { remoteRef, RepositoryReader, type BranchTips, type CheckoutState, type Repository } from './repository.ts'

export interface Published {
  readonly pushed: readonly string[]
  readonly failed: readonly FailedPush[]
}

export type PushOutcome =
  | { readonly state: 'nothing' | 'pushed' }
  | { readonly state: 'refused'; readonly reason: string; readonly behind: boolean }

/**
 * The end of a turn: commits and pushes every touched repository, each for itself. A refusal by the gateway, for
 * example before the grant (rulings 4.4), is no failure of the turn: the work stays in the volume and is named in `failed`.
 */
export async function publishAll(
  git: Git,
  repositories: readonly Repository[],
  heads: ReadonlyMap<string, string>,
  stamp: string,
): Promise<Published> {
  const pushed: string[] = []
  const failed: FailedPush[] = []
  // Looked at all at once: most turns leave most clones as they were.
  const standings = await Promise.all(repositories.map((repository) => look(git, repository).catch(() => undefined)))
  for (const [index, repository] of repositories.entries()) {
    try {
      const standing = standings[index] ?? (await look(git, repository))
      const outcome = await publish(git, repository, standing, heads.get(repository.name), stamp)
      if (outcome.state === 'refused') failed.push({ repo: repository.name, error: outcome.reason })
      if (outcome.state === 'pushed') pushed.push(repository.name)
    } catch (error) {
      failed.push({ repo: repository.name, error: (error as Error).message })
    }
  }
  return { pushed, failed }
}

interface Standing {
  readonly checkout: CheckoutState
  readonly tips: BranchTips
}

async function look(git: Git, { dir, branch, base }: Repository): Promise<Standing> {
  const reader = new RepositoryReader(git, dir)
  const [checkout, tips] = await Promise.all([reader.checkout(), reader.tips(branch, base)])
  return { checkout, tips }
}

/** Pushes what is committed in every repository, each for itself. */
export async function pushAll(git: Git, repositories: readonly Repository[]): Promise<Published> {
  const pushed: string[] = []
  const failed: FailedPush[] = []
  for (const repository of repositories) {
    try {
      const outcome = await push(git, repository)
      if (outcome.state === 'refused') failed.push({ repo: repository.name, error: outcome.reason })
      if (outcome.state === 'pushed') pushed.push(repository.name)
    } catch (error) {
      failed.push({ repo: repository.name, error: (error as Error).message })
    }
  }
  return { pushed, failed }
}

/** Where every work branch stood, so that the turn's end can tell what the turn touched. */
export async function readHeads(git: Git, repositories: readonly Repository[]): Promise<ReadonlyMap<string, string>> {
  const read = async ({ name, dir }: Repository): Promise<readonly [string, string]> => [
    name,
    (await new RepositoryReader(git, dir).sha('HEAD')) ?? '',
  ]
  return new Map(await Promise.all(repositories.map(read)))
}

/**
 * True when the remote holds what is here: the mid-turn push published what this turn committed, or an earlier pod was
 * killed between its push and its report. Said by nobody, such work would be submitted again and again.
 */
async function isPublished(
  git: Git,
  repository: Repository,
  { head, remote, base }: BranchTips,
  before: string | undefined,
): Promise<boolean> {
  if (head === undefined || head !== remote) return false
  if (head !== before) return true
  return repository.sha === '' && base !== undefined && !(await isPartOf(git, repository, head, base))
}

async function publish(
  git: Git,
  repository: Repository,
  { checkout, tips }: Standing,
  before: string | undefined,
  stamp: string,
): Promise<PushOutcome> {
  const { dir, branch, base } = repository
  const isAtHome = checkout.branch === branch
  if (checkout.isDirty) await commitAll(git, dir, 'Commit the work left at the end of a turn')
  if (!isAtHome && !(await returnToBranch(git, repository, stamp))) {
    return {
      state: 'refused',
      reason: `the checkout was left on another branch, which does not merge into ${branch}`,
      behind: false,
    }
  }
  const isAsSeen = isAtHome && !checkout.isDirty
  const now = isAsSeen ? tips : await new RepositoryReader(git, dir).tips(branch, base)
  const first = await pushTips(git, repository, now)
  if (first.state === 'nothing')
    return { state: (await isPublished(git, repository, now, before)) ? 'pushed' : 'nothing' }
  if (first.state !== 'refused' || !first.behind) return first
  const reason = await mergeRemote(git, repository)
  return reason === undefined ? push(git, repository) : { state: 'refused', reason, behind: true }
}

/** Pushes the work branch and nothing else; never forces. */
export async function push(git: Git, repository: Repository): Promise<PushOutcome> {
  const { dir, branch, base } = repository
  return pushTips(git, repository, await new RepositoryReader(git, dir).tips(branch, base))
}

async function pushTips(git: Git, repository: Repository, tips: BranchTips): Promise<PushOutcome> {
  if (!(await hasUnpushed(git, repository, tips))) return { state: 'nothing' }
  const { branch, dir, url } = repository
  const result = await git(['push', '--porcelain', url, `refs/heads/${branch}:refs/heads/${branch}`], {
    cwd: dir,
    remote: true,
  })
  if (result.code !== 0) return { state: 'refused', reason: refusalReason(result), behind: isBehind(result) }
  await gitText(git, ['update-ref', remoteRef(branch), `refs/heads/${branch}`], { cwd: dir })
  return { state: 'pushed' }
}

/** A branch without a commit of its own is not worth a push: the remote would get an empty copy of the base. */
async function hasUnpushed(git: Git, repository: Repository, { head, remote, base }: BranchTips): Promise<boolean> {
  if (head === undefined) return false
  if (remote !== undefined) return remote !== head
  return base === undefined || !(await isPartOf(git, repository, head, base))
}

async function isPartOf(git: Git, { dir }: Repository, older: string, newer: string): Promise<boolean> {
  return older === newer || new RepositoryReader(git, dir).isAncestor(older, newer)
}

async function mergeRemote(git: Git, repository: Repository): Promise<string | undefined> {
  const { branch, dir, url } = repository
  const fetched = await git(['fetch', '--quiet', url, `+refs/heads/${branch}:${remoteRef(branch)}`], {
    cwd: dir,
    remote: true,
  })
  if (fetched.code !== 0) return lastLines(fetched.stderr)
  if (await mergeOrAbort(git, dir, remoteRef(branch))) return undefined
  return `${branch} at the remote has commits that conflict with the work here`
}

function isBehind(result: GitResult): boolean {
  return /\((fetch first|non-fast-forward)\)/.test(result.stdout + result.stderr)
}

/** `--porcelain` gives one line for the ref; what the gateway says comes as `remote:` lines. */
function refusalReason(result: GitResult): string {
  const said = result.stderr
    .split('\n')
    .filter((line) => line.startsWith('remote:'))
    .map((line) => line.slice('remote:'.length).trim())
    .filter(Boolean)
  const ref = result.stdout
    .split('\n')
    .find((line) => line.startsWith('!'))
    ?.split('\t')
    .pop()
  return (
    [ref, ...said].filter(Boolean).join(': ').slice(0, 1000) ||
    lastLines(result.stderr) ||
    `git push ended with ${result.code}`
  )
}
