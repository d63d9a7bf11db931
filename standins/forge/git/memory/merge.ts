/** Three ways, file by file. */
import type { CommitSpec, Identity } from '../merge.ts'
import { changeOf, linesOf } from './diff.ts'
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
    const isTwice = mine !== yours && mine !== was && yours !== was
    if (isTwice && (was === undefined || mine === undefined || yours === undefined)) return undefined
    const text = isTwice ? mergeTexts(was!, mine!, yours!) : mine === was ? yours : mine
    if (isTwice && text === undefined) return undefined
    if (text !== undefined) merged.set(name, text)
  }
  return keepTree(bare, merged)
}

/** Both sides' changes in one file, when at least one line that neither touched lies between them. */
function mergeTexts(was: string, mine: string, yours: string): string | undefined {
  const old = linesOf(was)
  const [one, other] = [changeOf(old, linesOf(mine)), changeOf(old, linesOf(yours))].toSorted((a, b) => a.from - b.from)
  if (!one || !other || one.to >= other.from) return undefined
  return [
    ...old.slice(0, one.from),
    ...one.lines,
    ...old.slice(one.to, other.from),
    ...other.lines,
    ...old.slice(other.to),
  ].join('')
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
    if (parents.length > 1) continue
    if (parents.length === 0) return undefined
    const tree = mergeOver(path, parents[0], tip, sha)
    if (tree === undefined) return undefined
    const { message, author } = commitAt(bareAt(path), sha)
    tip = await writeCommit(now, path, { tree, parents: [tip], message, author, committer })
  }
  return tip
}
