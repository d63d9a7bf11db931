import { askGit, git } from './run.ts'
import { readCommit, type Commit } from './commits.ts'

export interface Identity {
  readonly name: string
  readonly email: string
  readonly date?: string
}

export interface CommitSpec {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  readonly author: Identity
  readonly committer: Identity
}

/** The tree of a merge made without a work tree, or undefined on a conflict. */
export async function mergeTrees(path: string, base: string, head: string): Promise<string | undefined> {
  const { code, stdout } = await askGit(path, ['merge-tree', '--write-tree', '--no-messages', base, head], {
    answers: [1],
  })
  return code === 0 ? stdout.toString().split('\n')[0] : undefined
}

export async function writeCommit(path: string, spec: CommitSpec): Promise<string> {
  const parents = spec.parents.flatMap((parent) => ['-p', parent])
  return git(path, ['commit-tree', spec.tree, ...parents], {
    input: `${spec.message.trimEnd()}\n`,
    env: { ...identity('AUTHOR', spec.author), ...identity('COMMITTER', spec.committer) },
  })
}

/** Replays the commits of head on base one by one, merges left out; undefined when one of them doesn't apply. */
export async function rebaseCommits(
  path: string,
  base: string,
  head: string,
  committer: Identity,
): Promise<string | undefined> {
  const shas = (await git(path, ['rev-list', '--reverse', '--topo-order', '--no-merges', head, `^${base}`]))
    .split('\n')
    .filter(Boolean)
  let tip = base
  for (const sha of shas) {
    const next = await replay(path, tip, await readCommit(path, sha), committer)
    if (!next) return undefined
    tip = next
  }
  return tip
}

/**
 * Git 2.39 can't name the base of merge-tree, so the tip is dressed as a child of the commit's parent: then that parent
 * is the merge base, and the merge is the cherry-pick.
 */
async function replay(path: string, tip: string, commit: Commit, committer: Identity): Promise<string | undefined> {
  const parent = commit.parents[0]
  if (!parent) return undefined
  const tipTree = await git(path, ['rev-parse', `${tip}^{tree}`])
  const dressed = await writeCommit(path, {
    tree: tipTree,
    parents: [parent],
    message: 'replay',
    author: committer,
    committer,
  })
  const tree = await mergeTrees(path, dressed, commit.sha)
  return tree
    ? writeCommit(path, { tree, parents: [tip], message: commit.message, author: commit.author, committer })
    : undefined
}

function identity(role: 'AUTHOR' | 'COMMITTER', who: Identity): Record<string, string> {
  return {
    [`GIT_${role}_NAME`]: who.name,
    [`GIT_${role}_EMAIL`]: who.email,
    ...(who.date ? { [`GIT_${role}_DATE`]: who.date } : {}),
  }
}
