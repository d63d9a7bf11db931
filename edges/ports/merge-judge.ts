import type { MergeMethod } from '../forge/port.ts'

export interface TouchedPath {
  readonly path: string
  /** Completes "protected, because ". */
  readonly reason: string
}

/**
 * What a merge makes of its base branch (GIT-7, decisions/0032). `tree`: the tree that the base has after the merge; the
 * tree of the merge commit must equal it. Only `clean` and `behind` let a merge go on without a maintainer's word.
 */
export type MergeJudgement =
  | { readonly kind: 'clean'; readonly tree: string }
  /** The merge changes protected paths of the base. Without `tree` it conflicts too. */
  | { readonly kind: 'protected'; readonly paths: readonly TouchedPath[]; readonly tree?: string }
  /** The merge leaves every protected path of the base as it is, but the head still has older states of `paths`. */
  | { readonly kind: 'behind'; readonly paths: readonly TouchedPath[]; readonly tree: string }
  /** Not yet: it does not merge by this method. `paths`: where. */
  | { readonly kind: 'conflict'; readonly paths: readonly string[]; readonly reason: string }
  /** Not yet: what the merge makes of the base cannot be read. */
  | { readonly kind: 'unreadable'; readonly reason: string }

export interface MergeQuestion {
  /** `<namespace>/<name>`. */
  readonly project: string
  readonly repository: string
  readonly baseBranch: string
  readonly headSha: string
  readonly method: MergeMethod
}

/** `base`: where the base branch stood; undefined when it is not there. */
export type MergeAnswer = MergeJudgement & { readonly base: string | undefined }

/** The git gateway, as whoever merges sees it. A forge that does not answer is thrown, never judged. */
export interface MergeJudge {
  /** By base and head as the forge has them at this moment. */
  judge(question: MergeQuestion): Promise<MergeAnswer>
  /** The tree of a commit as the forge has it; undefined when the forge does not give it. */
  treeOf(repositoryRef: Pick<MergeQuestion, 'project' | 'repository'>, sha: string): Promise<string | undefined>
}
