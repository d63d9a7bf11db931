/** The gateway's judgement for whoever merges (GIT-7): the same question as at the push, for the heads of this moment. */
import type { MergeJudge } from '../../ports/merge-judge.ts'
import type { CachedRepository, GitCache } from '../store/cache.ts'
import { enrolledAt, remoteOf, type Enrolled, type RepositoryRef, type RemoteDeps } from '../store/enrolled.ts'
import { judgeMerge } from './judge-merge.ts'
import { pathGuard } from './path-guard.ts'
import { treeOf } from '../store/pushed-tree.ts'

interface MergeJudgeDeps extends RemoteDeps {
  /** The gateway's own: of two caches in one folder each would fetch under the other's hands. */
  readonly cache: GitCache
}

export function createMergeJudge({ cache, ...deps }: MergeJudgeDeps): MergeJudge {
  async function open(repositoryRef: RepositoryRef): Promise<Enrolled & { readonly copy: CachedRepository }> {
    const enrolled = await enrolledAt(deps.directory, repositoryRef)
    return { ...enrolled, copy: await cache.update(await remoteOf(deps, enrolled)) }
  }
  return {
    async judge({ baseBranch, headSha: head, method, ...repositoryRef }) {
      const { project, copy } = await open(repositoryRef)
      const base = (await copy.heads()).get(`refs/heads/${baseBranch}`)
      if (base === undefined) return { kind: 'unreadable', reason: `there is no branch ${baseBranch}`, base }
      return copy.quarantine(async ({ git, bring }) => {
        if (!(await bring(head))) return { kind: 'unreadable', reason: `the forge does not give ${head}`, base }
        const guard = pathGuard(project.scm.protectedPaths)
        return { ...(await judgeMerge({ git, guard, base, head, method })), base }
      })
    },
    async treeOf(repositoryRef, sha) {
      const { copy } = await open(repositoryRef)
      return copy.quarantine(async ({ git, bring }) => ((await bring(sha)) ? treeOf(git, sha) : undefined))
    },
  }
}
