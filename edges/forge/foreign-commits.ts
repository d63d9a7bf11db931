/**
 * Whose the commits of a merge request are (REVIEW-3, decisions/0064). Author lines say nothing: evidence is who pushed. A
 * pod's push is in the gateway's own record, a person's in a signed delivery. What neither accounts for is foreign.
 */
import { sameLogin } from '../../machines/rules/logins.ts'
import { isAdopted } from '../../machines/rules/may-merge.ts'
import type { CommitGraph, Graph } from '../ports/commit-graph.ts'
import type { Mirror } from './mirror/mirror.ts'
import { NO_COMMIT, type BranchPush } from './mirror/store/pushes.ts'
import type { ForgeMergeRequest } from './port.ts'
import { forgePath, maintainersOf, projectId, type ProjectSettings, type RepositorySettings } from './projects.ts'

/** A commit that nobody who may let it merge brought. `by`: who pushed it; empty where nobody knows. */
export interface ForeignCommit {
  readonly sha: string
  readonly by: string
}

export interface Judged extends Pick<BranchPush, 'before' | 'after'> {
  readonly by: string
  readonly mayMerge: boolean
}

/** Newest first. */
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
      left.push(...parents.get(at)!)
    }
    return found
  }
  const own = new Set<string>()
  const pushedBy = new Map<string, string>()
  for (const { before, after, by, mayMerge } of pushes) {
    // What stood there before is unknown, so nobody can say what this push brought.
    if (missing.includes(before)) continue
    const there = behind(before)
    for (const sha of behind(after)) {
      if (there.has(sha)) continue
      if (mayMerge) own.add(sha)
      else pushedBy.set(sha, by)
    }
  }
  const inHead = behind(head)
  return commits
    .filter(({ sha, isOwnMerge }) => inHead.has(sha) && !own.has(sha) && !isOwnMerge)
    .map(({ sha }) => ({ sha, by: pushedBy.get(sha) ?? '' }))
}

/** Where the head's history cannot be read, the head itself is foreign. */
export type ReadForeign = (
  project: ProjectSettings,
  repository: RepositorySettings,
  mergeRequest: ForgeMergeRequest,
) => Promise<readonly ForeignCommit[]>

interface ForeignDeps {
  readonly mirror: Pick<Mirror, 'pushesTo'>
  readonly graph: CommitGraph
}

export function createReadForeign({ mirror, graph }: ForeignDeps): ReadForeign {
  return async (project, repository, found) => {
    const ref = refOf(found, forgePath(repository, project.scm))
    const pushes = await mirror.pushesTo(project.name, repository.name, ref)
    const { headSha: head, baseBranch } = found
    const beside = pushes.flatMap(({ before, after }) => [before, after]).filter((sha) => sha !== NO_COMMIT)
    const read = await graph.read({
      project: projectId(project),
      repository: repository.name,
      baseBranch,
      head,
      beside,
    })
    const judged = pushes.map((push) => ({
      ...push,
      by: push.by ?? '',
      mayMerge: mayMerge(push, project, repository, found),
    }))
    return read === undefined ? [{ sha: head, by: '' }] : foreignIn(read, head, judged)
  }
}

/** Of a fork the branch is not ours to see: its merge request tells of its pushes. */
export function refOf(
  { number, headBranch, headRepository }: Pick<ForgeMergeRequest, 'number' | 'headBranch' | 'headRepository'>,
  path: string,
): string {
  const isHere = headRepository?.toLowerCase() === path.toLowerCase()
  return isHere ? `refs/heads/${headBranch}` : `refs/pull/${number}/head`
}

function mayMerge(
  { by }: BranchPush,
  project: ProjectSettings,
  repository: RepositorySettings,
  { author, headBranch }: ForgeMergeRequest,
): boolean {
  if (by === undefined) return true
  if (maintainersOf(project, repository).some((login) => sameLogin(login, by))) return true
  const policy = {
    botLogin: project.scm.botLogin,
    maintainerLogins: [],
    adoptBranchPrefix: project.kinds.adoptBranchPrefix,
    upgradeEngineLogins: project.upgradeEngineLogins,
  }
  return isAdopted({ author: author.login, headBranch }, policy) && isAdopted({ author: by, headBranch }, policy)
}
