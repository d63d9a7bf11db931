import { git } from './run.ts'
import { ZERO_SHA } from './refs.ts'

export interface Signature {
  readonly name: string
  readonly email: string
  readonly date: string
}

export interface Commit {
  readonly sha: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: Signature
  readonly committer: Signature
  readonly message: string
}

const FORMAT = ['%H', '%T', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x00')

/** What a webhook of a push shows at most: each costs a look at its paths. GitHub's own limit is larger. */
const PUSHED_COMMITS = 50

export interface PushedCommit extends Commit {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly modified: readonly string[]
}

export async function readCommit(path: string, sha: string): Promise<Commit> {
  const [commit] = await log(path, ['-1', sha])
  if (!commit) throw new Error(`no commit ${sha}`)
  return commit
}

/** Newest first. */
export async function listCommits(path: string, range: readonly string[], limit = 250): Promise<Commit[]> {
  return log(path, [`--max-count=${limit}`, ...range])
}

/** Oldest first, as both forges list the commits of a merge request. */
export async function commitsBetween(path: string, base: string, head: string): Promise<Commit[]> {
  return (await listCommits(path, ['--topo-order', head, `^${base}`])).toReversed()
}

/** What a push brought: for a new branch, what no other branch had. */
export async function pushedCommits(path: string, ref: string, before: string, after: string): Promise<PushedCommit[]> {
  if (after === ZERO_SHA) return []
  const known = before === ZERO_SHA ? ['--not', `--exclude=${ref}`, '--glob=refs/heads'] : [`^${before}`]
  const commits = (await listCommits(path, [after, ...known], PUSHED_COMMITS)).toReversed()
  return Promise.all(commits.map(async (commit) => ({ ...commit, ...(await changedPaths(path, commit.sha)) })))
}

async function changedPaths(path: string, sha: string): Promise<Pick<PushedCommit, 'added' | 'removed' | 'modified'>> {
  const fields = (
    await git(path, ['diff-tree', '--root', '--no-commit-id', '--name-status', '--no-renames', '-r', '-z', sha])
  ).split('\0')
  const paths: Record<string, string[]> = { A: [], D: [], M: [] }
  for (let at = 0; at + 1 < fields.length; at += 2) (paths[fields[at] ?? ''] ?? paths.M)?.push(fields[at + 1] ?? '')
  return { added: paths.A ?? [], removed: paths.D ?? [], modified: paths.M ?? [] }
}

export async function countCommits(path: string, base: string, head: string): Promise<number> {
  return Number(await git(path, ['rev-list', '--count', head, `^${base}`]))
}

async function log(path: string, args: readonly string[]): Promise<Commit[]> {
  const text = await git(path, ['log', '-z', `--format=${FORMAT}%x00`, ...args])
  const fields = text.split('\0')
  const commits: Commit[] = []
  // Ten fields and the empty one between records that -z and the closing %x00 leave.
  for (let at = 0; at + 9 < fields.length; at += 11) commits.push(commitFrom(fields.slice(at, at + 10)))
  return commits
}

function commitFrom(fields: readonly string[]): Commit {
  const [sha = '', tree = '', parents = '', an = '', ae = '', ad = '', cn = '', ce = '', cd = '', message = ''] = fields
  return {
    sha,
    tree,
    parents: parents.split(' ').filter(Boolean),
    message: message.trimEnd(),
    author: { name: an, email: ae, date: utc(ad) },
    committer: { name: cn, email: ce, date: utc(cd) },
  }
}

function utc(date: string): string {
  return new Date(date).toISOString().replace('.000Z', 'Z')
}
