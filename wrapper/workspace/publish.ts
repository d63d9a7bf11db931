import type { FailedPush } from '../../machines/turn/schema.ts'
import { gitText, lastLines, type Git, type GitResult } from './git.ts'
import { commitAll } from './repair.ts'
import { mergeOrAbort, returnToBranch } from './checkout.ts'
import { remoteRef, RepositoryReader, type Repository } from './repository.ts'

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
  for (const repository of repositories) {
    try {
      const outcome = await publish(git, repository, stamp)
      if (outcome.state === 'refused') failed.push({ repo: repository.name, error: outcome.reason })
      else if (outcome.state === 'pushed' || (await isPublished(git, repository, heads))) pushed.push(repository.name)
    } catch (error) {
      failed.push({ repo: repository.name, error: (error as Error).message })
    }
  }
  return { pushed, failed }
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
  const heads = new Map<string, string>()
  for (const repository of repositories)
    heads.set(repository.name, (await new RepositoryReader(git, repository.dir).sha('HEAD')) ?? '')
  return heads
}

/**
 * True when the remote holds what is here: the mid-turn push published what this turn committed, or an earlier pod was
 * killed between its push and its report. Said by nobody, such work would be submitted again and again.
 */
async function isPublished(git: Git, repository: Repository, heads: ReadonlyMap<string, string>): Promise<boolean> {
  const reader = new RepositoryReader(git, repository.dir)
  const head = await reader.sha('HEAD')
  if (head === undefined || head !== (await reader.sha(remoteRef(repository.branch)))) return false
  const base = await reader.sha(remoteRef(repository.base))
  const isOwnWork = repository.sha === '' && base !== undefined && !(await reader.isAncestor(head, base))
  return head !== heads.get(repository.name) || isOwnWork
}

async function publish(git: Git, repository: Repository, stamp: string): Promise<PushOutcome> {
  await commitAll(git, repository.dir, 'Commit the work left at the end of a turn')
  if (!(await returnToBranch(git, repository, stamp))) {
    return {
      state: 'refused',
      reason: `the checkout was left on another branch, which does not merge into ${repository.branch}`,
      behind: false,
    }
  }
  const first = await push(git, repository)
  if (first.state !== 'refused' || !first.behind) return first
  const reason = await mergeRemote(git, repository)
  return reason === undefined ? push(git, repository) : { state: 'refused', reason, behind: true }
}

/** Pushes the work branch and nothing else; never forces. */
export async function push(git: Git, repository: Repository): Promise<PushOutcome> {
  if (!(await hasUnpushed(git, repository))) return { state: 'nothing' }
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
async function hasUnpushed(git: Git, repository: Repository): Promise<boolean> {
  const reader = new RepositoryReader(git, repository.dir)
  const head = await reader.sha(`refs/heads/${repository.branch}`)
  if (!head) return false
  const remote = await reader.sha(remoteRef(repository.branch))
  if (remote) return remote !== head
  const base = await reader.sha(remoteRef(repository.base))
  return !base || !(await reader.isAncestor(head, base))
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
