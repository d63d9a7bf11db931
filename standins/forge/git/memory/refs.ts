import { branchOf, refOf, ZERO_SHA, type RefUpdate } from '../refs.ts'
import { bareAt, blobOf, filesOf, historyOf, type Bare } from './objects.ts'

const HEADS = 'refs/heads/'
/** Git takes no fewer digits. */
const SHORT_SHA = /^[0-9a-f]{4,39}$/
/** A file of a commit. */
const FILE = /^([0-9a-f]{40}):(.+)$/

export async function readRef(path: string, ref: string): Promise<string | undefined> {
  const bare = bareAt(path)
  const { refs, commits } = bare
  const [, commit, file] = FILE.exec(ref) ?? []
  if (commit !== undefined && file !== undefined) return fileId(bare, commit, file)
  const name = ref.replace(/\^\{commit\}$/, '')
  return refs.get(name) ?? (commits.has(name) ? name : undefined)
}

function fileId(bare: Bare, commit: string, file: string): string | undefined {
  const text = bare.commits.has(commit) ? filesOf(bare, commit).get(file) : undefined
  return text === undefined ? undefined : blobOf(text)
}

export async function branchTip(path: string, branch: string): Promise<string | undefined> {
  return readRef(path, refOf(branch))
}

export async function resolveCommit(path: string, name: string): Promise<string | undefined> {
  for (const candidate of [refOf(name), `refs/tags/${name}`, `refs/${name}`, name]) {
    const sha = await readRef(path, candidate)
    if (sha !== undefined) return sha
  }
  const isShort = SHORT_SHA.test(name)
  return isShort ? [...bareAt(path).commits.keys()].find((sha) => sha.startsWith(name)) : undefined
}

export async function listRefs(path: string, prefix: string): Promise<Array<{ ref: string; sha: string }>> {
  const all = [...bareAt(path).refs].map(([ref, sha]) => ({ ref, sha }))
  const folder = prefix.replace(/\/?$/, '/')
  return all.filter(({ ref }) => ref === prefix || ref.startsWith(folder)).toSorted((a, b) => (a.ref < b.ref ? -1 : 1))
}

export async function moveRef(path: string, { ref, before, after }: RefUpdate): Promise<boolean> {
  const { refs } = bareAt(path)
  if ((refs.get(ref) ?? ZERO_SHA) !== before) return false
  if (after === ZERO_SHA) refs.delete(ref)
  else refs.set(ref, after)
  return true
}

export async function setRef(path: string, ref: string, sha: string): Promise<void> {
  bareAt(path).refs.set(ref, sha)
}

export async function isAncestor(path: string, ancestor: string, descendant: string): Promise<boolean> {
  return historyOf(bareAt(path), descendant).includes(ancestor)
}

export async function mergeBase(path: string, one: string, other: string): Promise<string | undefined> {
  const before = new Set(historyOf(bareAt(path), one))
  return historyOf(bareAt(path), other).find((sha) => before.has(sha))
}

export async function branchesAt(path: string, sha: string): Promise<string[]> {
  return (await listRefs(path, HEADS)).flatMap((one) => (one.sha === sha ? (branchOf(one.ref) ?? []) : []))
}
