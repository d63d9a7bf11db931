import { refInFiles } from './ref-files.ts'
import { askGit, git } from './run.ts'

export const ZERO_SHA = '0'.repeat(40)
const HEADS = 'refs/heads/'

/** A moved ref; a side that doesn't exist is all zeros. */
export interface RefUpdate {
  readonly ref: string
  readonly before: string
  readonly after: string
}

export function branchOf(ref: string): string | undefined {
  return ref.startsWith(HEADS) ? ref.slice(HEADS.length) : undefined
}

export function refOf(branch: string): string {
  return `${HEADS}${branch}`
}

/** The object id of a full ref, or undefined. */
export async function readRef(path: string, ref: string): Promise<string | undefined> {
  const found = await refInFiles(path, ref)
  if (found !== undefined) return found ?? undefined
  const { code, stdout } = await askGit(path, ['rev-parse', '--verify', '--quiet', '--end-of-options', ref], {
    answers: [1, 128],
  })
  return code === 0 ? stdout.toString().trim() : undefined
}

export async function branchTip(path: string, branch: string): Promise<string | undefined> {
  return readRef(path, refOf(branch))
}

/** A commit by sha, short sha, branch, tag or full ref, as the forges' `{ref}` parameter takes it. */
export async function resolveCommit(path: string, name: string): Promise<string | undefined> {
  for (const ref of [refOf(name), `refs/tags/${name}`, `refs/${name}`]) {
    const isMissing = (await refInFiles(path, ref)) === null
    const sha = isMissing ? undefined : await readRef(path, `${ref}^{commit}`)
    if (sha) return sha
  }
  return readRef(path, `${name}^{commit}`)
}

export async function listRefs(path: string, prefix: string): Promise<Array<{ ref: string; sha: string }>> {
  const lines = await git(path, ['for-each-ref', '--format=%(objectname) %(refname)', prefix])
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ sha: line.slice(0, 40), ref: line.slice(41) }))
}

/** Moves a ref only from where the caller saw it. False: somebody was faster. */
export async function moveRef(path: string, update: RefUpdate): Promise<boolean> {
  const change =
    update.after === ZERO_SHA ? ['-d', update.ref, update.before] : [update.ref, update.after, update.before]
  const { code } = await askGit(path, ['update-ref', ...change], { answers: [1, 128] })
  return code === 0
}

export async function setRef(path: string, ref: string, sha: string): Promise<void> {
  await git(path, ['update-ref', ref, sha])
}

export async function isAncestor(path: string, ancestor: string, descendant: string): Promise<boolean> {
  return (await askGit(path, ['merge-base', '--is-ancestor', ancestor, descendant], { answers: [1, 128] })).code === 0
}

export async function mergeBase(path: string, one: string, other: string): Promise<string | undefined> {
  const { code, stdout } = await askGit(path, ['merge-base', one, other], { answers: [1] })
  return code === 0 ? stdout.toString().trim() : undefined
}

/** The branches whose tip the commit is. */
export async function branchesAt(path: string, sha: string): Promise<string[]> {
  return (await git(path, ['for-each-ref', `--points-at=${sha}`, '--format=%(refname)', HEADS]))
    .split('\n')
    .flatMap((ref) => branchOf(ref) ?? [])
}
