/**
 * Whose the commits of a merge request are (REVIEW-3, decisions/0064). Author lines say nothing: evidence is who pushed. A
 * pod's push is in the gateway's own record, a person's in a signed delivery. What neither accounts for is foreign.
 */
import { isAdopted } from '../../machines/rules/may-merge.ts'
import type { CommitGraph, Graph } from '../ports/commit-graph.ts'
import { isOfFork, refOf } from './head-ref.ts'
import type { Mirror } from './mirror/mirror.ts'
import type { People } from './mirror/facts/people.ts'
import { NO_COMMIT, type BranchPush } from './mirror/store/pushes.ts'
import type { ForgeMergeRequest } from './port.ts'
import { forgePath, projectId, type ProjectSettings, type RepositorySettings } from './projects.ts'

/** A commit that nobody who may let it merge brought. `by`: who pushed it; empty where nobody knows. */
interface ForeignCommit {
  readonly sha: string
  readonly by: string
}

export interface Judged extends Pick<BranchPush, 'after'> {
  /** Absent: nobody knows what stood there before. */
  readonly before?: string
  readonly by: string
  readonly mayMerge: boolean
  /** Its merge request told of it, which shows the newest head, perhaps of a later push. */
  readonly isLoose?: boolean
}

/** Newest first. `pushes`: oldest first. */
export function foreignIn(
  { commits, missing }: Graph,
  head: string,
  pushes: readonly Judged[],
): readonly ForeignCommit[] {
  const parents = new Map(commits.map(({ sha, parents: own }) => [sha, own]))
  const behind = (sha: string): ReadonlySet<string> => {
    const found = new Set<string>()
    const left = [sha]
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      if (found.has(at) || !parents.has(at)) continue
      found.add(at)
      left.push(...(parents.get(at) ?? []))
    }
    return found
  }
  // Who brought it first: what somebody pushed and took back, another may have in his clone, and push with his own.
  const broughtBy = new Map<string, Judged>()
  for (const push of pushes) {
    const before = missing.includes(push.before ?? '') ? undefined : push.before
    // What stood there before is unknown, so nobody can say what this push brought.
    if (before === undefined && push.mayMerge) continue
    const there = behind(before ?? NO_COMMIT)
    for (const sha of behind(endOf(push, pushes, behind)))
      if (!there.has(sha) && !broughtBy.has(sha)) broughtBy.set(sha, push)
  }
  const inHead = behind(head)
  return commits
    .filter(({ sha, isOwnMerge }) => inHead.has(sha) && broughtBy.get(sha)?.mayMerge !== true && !isOwnMerge)
    .map(({ sha }) => ({ sha, by: broughtBy.get(sha)?.by ?? '' }))
}

/** Where another push began from what this one shows and ended at the same head, this one ended where that one began. */
function endOf(push: Judged, pushes: readonly Judged[], behind: (sha: string) => ReadonlySet<string>): string {
  if (push.isLoose !== true || push.before === undefined) return push.after
  const there = behind(push.before)
  let end = push.after
  for (const { before = '', after } of pushes)
    if (after === push.after && before !== end && !there.has(before) && behind(end).has(before)) end = before
  return end
}

/** Where the head's history cannot be read, the head itself is foreign. */
export type ReadForeign = (
  project: ProjectSettings,
  repository: RepositorySettings,
  mergeRequest: ForgeMergeRequest,
) => Promise<readonly ForeignCommit[]>

interface ForeignDeps {
  readonly mirror: Pick<Mirror, 'pushesTo' | 'people'>
  readonly graph: CommitGraph
}

export function createReadForeign({ mirror, graph }: ForeignDeps): ReadForeign {
  return async (project, repository, found) => {
    const ref = refOf(found, forgePath(repository, project.scm))
    const repositoryRef = { project: projectId(project), repository: repository.name }
    const pushes = await mirror.pushesTo(repositoryRef.project, repositoryRef.repository, ref)
    const people = await mirror.people(repositoryRef.project, repositoryRef.repository)
    const { headSha: head, baseBranch } = found
    const beside = pushes.flatMap(({ before, after }) => [before, after]).filter((sha) => sha !== NO_COMMIT)
    const read = await graph.read({ ...repositoryRef, baseBranch, head, beside })
    const isLoose = isOfFork(ref)
    const judged = (isLoose ? pushes : sinceDeletions(pushes)).map(({ by, ...push }) => ({
      ...push,
      isLoose,
      by: by?.login ?? '',
      mayMerge: by === undefined || (people !== undefined && mayMerge(by, people, project, found)),
    }))
    return read === undefined ? [{ sha: head, by: '' }] : foreignIn(read, head, judged)
  }
}

/**
 * Who makes a branch again that was deleted, by a button or from a clone, brings what it did not have then. Where nobody told
 * of its deletion, its state before is unknown.
 */
export function sinceDeletions(
  pushes: readonly BranchPush[],
): readonly (Omit<BranchPush, 'before'> & { readonly before?: string })[] {
  return pushes.flatMap((push, at) => {
    if (push.after === NO_COMMIT) return []
    const last = pushes[at - 1]
    if (push.before !== NO_COMMIT || last === undefined) return [push]
    const { before: _, ...made } = push
    return [last.after === NO_COMMIT ? { ...made, before: last.before } : made]
  })
}

function mayMerge(
  by: NonNullable<BranchPush['by']>,
  people: People,
  project: ProjectSettings,
  { author, headBranch }: ForgeMergeRequest,
): boolean {
  // A bot that the Project lists counts as human.
  if (people.isMaintainer({ ...by, bot: false })) return true
  const policy = {
    botLogin: project.scm.botLogin,
    maintainerLogins: [],
    adoptBranchPrefix: project.kinds.adoptBranchPrefix,
    upgradeEngineLogins: project.upgradeEngineLogins,
  }
  return isAdopted({ author: author.login, headBranch }, policy) && isAdopted({ author: by.login, headBranch }, policy)
}
