import type { FailedPush } from '../../../machines/turn/schema.ts'
import { gitText, lastLines, type Git, type GitResult } from '../git.ts'
import { remoteRef, type BranchTips } from '../repository.ts'
import { isPartOf, tips, type Bare } from './bare.ts'
import type { Crossings } from './crossings.ts'
import { mergeBase, mergeRemote, takeTips, type Behind } from './merge-remote.ts'
import { messageOf } from '../../errors.ts'

export interface Published {
  readonly pushed: readonly string[]
  readonly failed: readonly FailedPush[]
}

export type PushOutcome =
  | { readonly state: 'nothing' | 'pushed' }
  | { readonly state: 'refused'; readonly reason: string; readonly behind?: Behind }

/**
 * The end of a turn: commits and pushes every touched repository, each for itself. A refusal by the gateway, for
 * example before the grant (GIT-5), is no failure of the turn: the work stays in the volume and is named in `failed`.
 * The agent's side commits and merges; what is pushed, and whether it was, is read from the bare repository alone.
 */
export async function publishAll(
  crossings: Crossings,
  bares: readonly Bare[],
  heads: ReadonlyMap<string, string>,
  stamp: string,
): Promise<Published> {
  // Looked at all at once: most turns leave most clones as they were.
  const standings = await Promise.all(bares.map((bare) => look(crossings, bare).catch(() => undefined)))
  return each(bares, async (bare, index) => {
    const standing = standings[index] ?? (await look(crossings, bare))
    return publish(crossings, bare, standing, { before: heads.get(bare.repository.name), stamp })
  })
}

/** Pushes what is committed in every repository, each for itself, for an agent that waits for it. */
export function pushAll(crossings: Crossings, bares: readonly Bare[]): Promise<Published> {
  return each(bares, async (bare) => {
    const [{ isSettled }, now] = await Promise.all([look(crossings, bare), committed(crossings, bare)])
    return pushOnBase(crossings, bare, now, isSettled)
  })
}

async function each(
  bares: readonly Bare[],
  publishOne: (bare: Bare, index: number) => Promise<PushOutcome>,
): Promise<Published> {
  const pushed: string[] = []
  const failed: FailedPush[] = []
  for (const [index, bare] of bares.entries()) {
    const { name: repo } = bare.repository
    try {
      const outcome = await publishOne(bare, index)
      if (outcome.state === 'refused') failed.push({ repo, error: outcome.reason })
      if (outcome.state === 'pushed') pushed.push(repo)
    } catch (error) {
      failed.push({ repo, error: messageOf(error) })
    }
  }
  return { pushed, failed }
}

/** `head` is what the agent's side says: it decides whether anything is taken, never what is pushed. */
interface Standing {
  readonly isSettled: boolean
  readonly head: string | undefined
  readonly known: BranchTips
}

async function look({ git, inside }: Crossings, bare: Bare): Promise<Standing> {
  const { name, branch } = bare.repository
  const [inner, known] = await Promise.all([inside.ask('look', { name, branch }), tips(git, bare)])
  return { isSettled: inner.isAtHome && !inner.isDirty, head: inner.head, known }
}

/** Where every work branch stood, so that the turn's end can tell what the turn touched. */
export async function readHeads(git: Git, bares: readonly Bare[]): Promise<ReadonlyMap<string, string>> {
  const read = async (bare: Bare): Promise<readonly [string, string]> => [
    bare.repository.name,
    (await tips(git, bare)).head ?? '',
  ]
  return new Map(await Promise.all(bares.map(read)))
}

/**
 * True when the remote holds what is here: the mid-turn push published what this turn committed, or an earlier pod was
 * killed between its push and its report. Said by nobody, such work would be submitted again and again.
 */
async function isPublished(
  git: Git,
  bare: Bare,
  { head, remote, base }: BranchTips,
  before: string | undefined,
): Promise<boolean> {
  if (head === undefined || head !== remote) return false
  if (head !== before) return true
  return bare.repository.sha === '' && base !== undefined && !(await isPartOf(git, bare, head, base))
}

async function publish(
  crossings: Crossings,
  bare: Bare,
  { isSettled, head, known }: Standing,
  { before, stamp }: { readonly before: string | undefined; readonly stamp: string },
): Promise<PushOutcome> {
  const { name, branch } = bare.repository
  if (!isSettled && !(await crossings.inside.ask('settle', { name, branch, stamp })).isSettled) {
    return {
      state: 'refused',
      reason: `the checkout was left on another branch, which does not merge into ${branch}`,
    }
  }
  const now = isSettled && head === known.head ? known : await takeTips(crossings, bare)
  const first = await pushOnBase(crossings, bare, now, true)
  if (first.state === 'nothing')
    return { state: (await isPublished(crossings.git, bare, now, before)) ? 'pushed' : 'nothing' }
  return mend(crossings, bare, first)
}

/** One merge of each, should the first bring the second to light. */
const mostMerges = 2

async function mend(crossings: Crossings, bare: Bare, first: PushOutcome): Promise<PushOutcome> {
  let outcome = first
  for (
    let merges = 0;
    merges < mostMerges && outcome.state === 'refused' && outcome.behind !== undefined;
    merges += 1
  ) {
    const reason = await mergeRemote(crossings, bare, outcome.behind)
    if (reason !== undefined) return { state: 'refused', reason }
    outcome = await pushTips(crossings, bare, await takeTips(crossings, bare))
  }
  return outcome
}

/**
 * In the middle of a turn: pushes the work branch and nothing else; never forces. Nobody merges into files on which an agent
 * works without its knowledge (WORK-PUSH-2).
 */
export async function push(crossings: Crossings, bare: Bare): Promise<PushOutcome> {
  return pushTips(crossings, bare, await committed(crossings, bare))
}

/** The work branch with what the agent has committed, whatever lies beside it. */
async function committed(crossings: Crossings, bare: Bare): Promise<BranchTips> {
  const { name, branch } = bare.repository
  const [inner, known] = await Promise.all([crossings.inside.ask('head', { name, branch }), tips(crossings.git, bare)])
  return inner.head === known.head ? known : takeTips(crossings, bare)
}

/** What has nothing to push gets no merge commit either: the base alone is no work. */
async function pushOnBase(crossings: Crossings, bare: Bare, now: BranchTips, isSettled: boolean): Promise<PushOutcome> {
  if (!(await hasUnpushed(crossings.git, bare, now))) return { state: 'nothing' }
  return pushTips(crossings, bare, await mergeBase(crossings, bare, now, isSettled))
}

async function pushTips(crossings: Crossings, bare: Bare, now: BranchTips): Promise<PushOutcome> {
  const { git, inside } = crossings
  if (now.head === undefined || !(await hasUnpushed(git, bare, now))) return { state: 'nothing' }
  const { dir, repository } = bare
  const { branch, url, name } = repository
  const result = await git(['push', '--porcelain', url, `${now.head}:refs/heads/${branch}`], { cwd: dir, remote: url })
  if (result.code !== 0) return { state: 'refused', reason: refusalReason(result), ...behindOf(result) }
  await Promise.all([
    gitText(git, ['update-ref', remoteRef(branch), now.head], { cwd: dir }),
    // For the agent's own orientation: nothing here reads it.
    inside.ask('note', { name, branch, sha: now.head }).catch(() => undefined),
  ])
  return { state: 'pushed' }
}

/** A branch without a commit of its own is not worth a push: the remote would get an empty copy of the base. */
async function hasUnpushed(git: Git, bare: Bare, { head, remote, base }: BranchTips): Promise<boolean> {
  if (head === undefined) return false
  if (remote !== undefined) return remote !== head
  return base === undefined || !(await isPartOf(git, bare, head, base))
}

/** The second in the words of the git gateway (`edges/git/rules/refusal.ts`); without them the refusal stands as it is. */
function behindOf({ stdout, stderr }: GitResult): { readonly behind?: Behind } {
  if (/\((fetch first|non-fast-forward)\)/.test(stdout + stderr)) return { behind: 'branch' }
  return /^!.*\(merge \S+ first \(git merge /m.test(stdout) ? { behind: 'base' } : {}
}

/** `--porcelain` gives one line for the ref; what the gateway says comes as `remote:` lines. */
function refusalReason(result: GitResult): string {
  const remoteLines = result.stderr
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
    [ref, ...remoteLines].filter(Boolean).join(': ').slice(0, 1000) ||
    lastLines(result.stderr) ||
    `git push ended with ${result.code}`
  )
}
