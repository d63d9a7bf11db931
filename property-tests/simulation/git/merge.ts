/** Stands in for `standins/forge/git/merge.ts`: three ways, file by file. */
import { bareAt, commitAt, filesOf, keepCommit, keepTree } from './objects.ts'
import { commitsBetween } from './commits.ts'
import { mergeBase } from './refs.ts'
import { timestamp } from '../time.ts'

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

export async function mergeTrees(path: string, base: string, head: string): Promise<string | undefined> {
  const ancestor = await mergeBase(path, base, head)
  return mergeOver(path, ancestor, base, head)
}

/** Undefined on a conflict: both sides changed one file, and not alike. */
function mergeOver(path: string, ancestor: string | undefined, ours: string, theirs: string): string | undefined {
  const bare = bareAt(path)
  const [a, b] = [filesOf(bare, ours), filesOf(bare, theirs)]
  const from = ancestor === undefined ? new Map<string, string>() : filesOf(bare, ancestor)
  const merged = new Map<string, string>()
  for (const name of new Set([...from.keys(), ...a.keys(), ...b.keys()])) {
    const [was, mine, yours] = [from.get(name), a.get(name), b.get(name)]
    if (mine !== yours && mine !== was && yours !== was) return undefined
    const text = mine === was ? yours : mine
    if (text !== undefined) merged.set(name, text)
  }
  return keepTree(bare, merged)
}

export async function writeCommit(path: string, spec: CommitSpec): Promise<string> {
  const now = timestamp()
  const person = ({ name, email, date = now }: Identity) => ({ name, email, date })
  const { tree, parents, message, author, committer } = spec
  return keepCommit(bareAt(path), {
    tree,
    parents,
    message: message.trimEnd(),
    author: person(author),
    committer: person(committer),
  })
}

export async function rebaseCommits(
  path: string,
  base: string,
  head: string,
  committer: Identity,
): Promise<string | undefined> {
  let tip = base
  for (const { sha, parents } of await commitsBetween(path, base, head)) {
    const tree = mergeOver(path, parents[0], tip, sha)
    if (tree === undefined) return undefined
    const { message, author } = commitAt(bareAt(path), sha)
    tip = await writeCommit(path, { tree, parents: [tip], message, author, committer })
  }
  return tip
}
