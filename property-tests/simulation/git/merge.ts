/** Three ways, file by file. */
import type { CommitSpec, Identity } from '../../../standins/forge/git/merge.ts'
import { bareAt, commitAt, filesOf, keepCommit, keepTree } from './objects.ts'
import { commitsBetween } from './commits.ts'
import { mergeBase } from './refs.ts'

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

/** `now`: as forges show it. */
export async function writeCommit(now: string, path: string, spec: CommitSpec): Promise<string> {
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
  now: string,
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
    tip = await writeCommit(now, path, { tree, parents: [tip], message, author, committer })
  }
  return tip
}
